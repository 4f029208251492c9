"""ONNX Runtime sessions, model cards and the registry."""
