"""The edge: REST dialects, cascades, command line and local supervisor."""
