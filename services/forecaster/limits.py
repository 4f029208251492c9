"""What one request may hold."""

from typing import Final

MAX_SERIES: Final = 10_000
MAX_HORIZON: Final = 1_024
"""Steps of one forecast."""
MAX_LEVELS: Final = 99
MAX_POINTS: Final = 100_000
"""Steps of one series, missing ones included."""
MAX_GAP: Final = 1_024
"""Missing steps at the end of a series."""
MAX_SIZE: Final = 1e100
"""Largest absolute value."""
MAX_ANSWER: Final = 2_000_000
"""Numbers in one answer: series x steps x (quantiles + 2)."""
MAX_INPUT: Final = 2_000_000
"""Points in one request."""
