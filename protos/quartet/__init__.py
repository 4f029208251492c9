"""Quartet wire contracts."""
