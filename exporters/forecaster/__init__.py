"""Training and export of the forecaster."""
