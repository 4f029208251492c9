"""Training, export and reports: the only place that knows torch."""
