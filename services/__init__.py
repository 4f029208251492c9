"""Quartet services: one process each, on one shared runtime."""
