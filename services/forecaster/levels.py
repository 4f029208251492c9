"""Quantile levels of a request."""

from collections.abc import Sequence
from typing import Final

from services.forecaster.limits import MAX_LEVELS
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

DEFAULT_LEVELS: Final = (0.1, 0.5, 0.9)

_SNAP: Final = 1e-7


def read_levels(asked: Sequence[float]) -> tuple[float, ...]:
    """Rising levels; values that came through float32 are taken as the decimal they stand for.

    Raises InvalidField or InputTooLong.
    """
    if len(asked) > MAX_LEVELS:
        raise InputTooLong("quantile levels", limit=MAX_LEVELS, actual=len(asked), field="quantiles")
    levels: list[float] = []
    for i, level in enumerate(asked):
        if not 0 < level < 1:
            raise InvalidField(
                FieldViolation(f"quantiles[{i}]", "must be between 0 and 1, both excluded", "out_of_range")
            )
        near = round(level, 6)
        levels.append(near if 0 < near < 1 and abs(near - level) < _SNAP else level)
        if levels[-1] in levels[:-1]:
            raise InvalidField(FieldViolation(f"quantiles[{i}]", f"{levels[-1]:g} is asked twice", "duplicate"))
    return tuple(sorted(levels)) or DEFAULT_LEVELS
