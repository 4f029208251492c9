"""The talk's story: one e-mail through the cascade, and the same task by the language model alone."""
