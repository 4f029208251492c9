"""The service that writes: a small language model, streamed."""
