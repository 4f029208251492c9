"""What one estimate may hold."""

from typing import Final

MAX_RECORDS: Final = 10_000
MAX_READ: Final = 128
"""Records that one answer learns from, as many as in training; of more, an even selection is read, with a note."""
MAX_QUERIES: Final = 1_000
MAX_KEYS: Final = 64
"""Keys of one record, nested ones included."""
MAX_COLUMNS: Final = 128
"""Columns after names were spread out."""
