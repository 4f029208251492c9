"""The forecaster: the next steps of a series as calibrated quantiles."""
