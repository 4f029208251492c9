"""Builds the extractor's model folder: encoder export, word table, calibration and quality report."""
