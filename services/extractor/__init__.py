"""Reads typed values with evidence out of text."""
