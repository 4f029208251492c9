"""From a package's GGUF weights to the ONNX model that the llm service runs; no torch."""
