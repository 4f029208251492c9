"""Trains, exports and measures the estimator."""
