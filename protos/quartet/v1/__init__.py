"""Generated messages and stubs of package quartet.v1."""
