"""Benchmarks: ratios in one run, never asserted."""
