"""HTTP dialects. One module per wire format, each mapped to the messages of `quartet.v1`."""
