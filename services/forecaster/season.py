"""Which seasons a history has: from the request, from the calendar, or from the values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from services.forecaster.scaling import CONTEXT, Floats

LONGEST: Final = 10_000
"""Longest season, in steps."""
LOOKED_UP: Final = CONTEXT - 8
"""Longest season that the network can look up step by step."""
CANDIDATES: Final = (4, 5, 6, 7, 12, 24, 48, 52, 96)

_DAY_S: Final = 86_400
_LONGER: Final = {24: 168, 48: 336, 7: 364}
_LONGER_SHOWN: Final = 1.25
_DETECTOR_POINTS: Final = 2 * CONTEXT
_DETECTOR_MINIMUM: Final = 8
_SEASONS_NEEDED: Final = 2.5
_CONFIDENCE: Final = 2.0
_BETTER: Final = 1.05
_MULTIPLE_BETTER: Final = 1.3
_SMOOTH: Final = 12
_NEAR_PEAK: Final = 0.75
_LEAST_CORRELATION: Final = 0.12


@dataclass(frozen=True, slots=True)
class Seasons:
    """Steps per season, shorter first; 1 for none. `asked` is what the caller is told."""

    first: int = 1
    second: int = 1
    asked: int = 0


NO_SEASON: Final = Seasons()


def from_steps(steps: int) -> Seasons:
    """Seasons for a stated number of steps; a week of hours brings its day along, a year of days its week."""
    if steps <= 1:
        return NO_SEASON
    for short, long in _LONGER.items():
        if steps == long:
            return Seasons(short, long, long)
    return Seasons(steps, 1, steps)


def with_longer(seasons: Seasons, length: int) -> Seasons:
    """Add the week to a day of hours or half-hours, the year to a week of days, when the history shows enough of it."""
    long = _LONGER.get(seasons.first, 1)
    if seasons.second > 1 or length < _LONGER_SHOWN * long:
        return seasons
    return Seasons(seasons.first, long, seasons.asked)


def of_clock(step_s: float) -> int:
    """Steps per day of a clock grid, per hour where a day is too long, else 1."""
    for cycle in (_DAY_S, _DAY_S // 24):
        steps = cycle / step_s
        if 1 < steps <= LONGEST and steps == int(steps):
            return int(steps)
    return 1


def of_days(days: int) -> int:
    """Steps per season of a grid of whole days: the week for days, the year for weeks."""
    return {1: 7, 7: 52, 14: 26}.get(days, 1)


def of_months(months: int) -> int:
    """Steps per year of a grid of whole months."""
    return 12 // months if months < 12 and 12 % months == 0 else 1


def detect(x: Floats, *, candidates: Sequence[int] = CANDIDATES) -> int:
    """Season of the values alone: the candidate lag at which differences correlate most, 1 when none stands out.

    Differences are divided by their local size and clipped, so trends, growth and single spikes do not decide. A lag
    counts when its autocorrelation is beyond two standard errors (Bartlett), at least 0.12, and a peak (from 12 steps
    on nearly one, as smooth seasons have broad peaks); a multiple of a season must be much stronger to replace it. The
    answer is the same for ``a * x + b``.
    """
    x = x[-_DETECTOR_POINTS:]
    if np.isfinite(x).sum() < _DETECTOR_MINIMUM:
        return 1
    d, seen = _differences(x)
    total = float(d @ d)
    if total <= 0:
        return 1
    longest = min(max(candidates) + 1, len(d) - 2)
    pairs = int(seen.sum())
    r = np.array([float(d[k:] @ d[:-k]) for k in range(1, longest + 1)]) / total
    best, score = 1, 0.0
    for m in candidates:
        if len(x) < _SEASONS_NEEDED * m or m > len(r):
            continue
        limit = _CONFIDENCE * np.sqrt((1 + 2 * np.square(r[: m - 1]).sum()) / pairs)
        beside = max(r[m - 2], r[m] if m < len(r) else 0.0)
        if r[m - 1] > max(limit, _LEAST_CORRELATION) and r[m - 1] >= (beside if m < _SMOOTH else _NEAR_PEAK * beside):
            repeated = np.sign(r[2 * m - 1]) if 2 * m <= len(r) else 0.0
            strength = r[m - 1] * (1 + 0.1 * repeated)
            multiple = best > 1 and m % best == 0
            if strength > (_MULTIPLE_BETTER if multiple else _BETTER) * score:
                best, score = m, strength
    return best


def _differences(x: Floats) -> tuple[Floats, Floats]:
    """Centred, locally scaled, clipped first differences, 0 where a neighbour is missing; and where they were seen."""
    d = np.diff(x)
    seen = np.isfinite(d)
    if not seen.any():
        return np.zeros(len(d)), np.zeros(len(d))
    d = np.where(seen, d, 0.0)
    width = max(len(d) // 4, 8)
    window = np.ones(min(width, len(d)))
    size = np.convolve(np.abs(d), window, "same") / np.maximum(np.convolve(seen, window, "same"), 1)
    overall = np.abs(d).sum() / seen.sum()
    if overall == 0:
        return np.zeros(len(d)), seen.astype(np.float64)
    d = d / np.maximum(size, 0.05 * overall)
    middle = np.median(d[seen])
    spread = 1.48 * np.median(np.abs(d[seen] - middle)) + 1e-9
    d = np.clip(d, middle - 6 * spread, middle + 6 * spread)
    return np.where(seen, d - d[seen].mean(), 0.0), seen.astype(np.float64)
