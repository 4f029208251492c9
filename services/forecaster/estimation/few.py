"""Answers without the network: one or two stated records, or targets that are all equal.

Two values are read as draws of a normal distribution of unknown mean and spread, whose next draw follows a Student
distribution with one degree of freedom: the honest answer is very wide. One value, or two equal ones, say nothing about
the spread; half the size of the value, or a quarter of stated bounds, is assumed and noted.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from services.forecaster.scaling import Floats

FEW: Final = 2

_SHARE: Final = 0.5
_OF_BOUNDS: Final = 0.25


def quantiles(values: Floats, levels: Sequence[float], span: float | None) -> tuple[Floats, tuple[str, ...]]:
    """Rising quantiles at rising `levels` of one or two values; `span` is the distance of two-sided bounds."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    notes: tuple[str, ...] = ("few_records",)
    if spread == 0:
        spread = _OF_BOUNDS * span if span else _SHARE * abs(float(values[0])) or 1.0
        notes = (*notes, "spread_assumed")
    reach = spread * math.sqrt(1 + 1 / len(values))
    steps = np.array([math.tan(math.pi * (level - 0.5)) for level in levels])
    return values.mean() + reach * steps, notes
