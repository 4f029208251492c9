"""From the network's steps to a fan: horizons beyond the trained one, and widths that never shrink."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from services.forecaster.scaling import Floats

_NO_SEASON: Final = 32
_STEEPEST_GROWTH: Final = 1.0


@dataclass(frozen=True, slots=True)
class Fan:
    """Median (h,) and the signed distances (h, k) of the quantiles from it."""

    median: Floats
    distance: Floats


def extend(fan: Fan, *, period: int, trained: int) -> Fan:
    """Correct the steps beyond the trained horizon; `fan` starts at step 1.

    The network looks up the right seasonal lags there, but believes to stand at the trained horizon. So the median
    goes on with the drift of its own last two seasons, damped with a time constant of the trained horizon, and the
    distances grow with the power of the horizon that they showed between half and all of it (at most linearly). No
    answer is ever read as an observation.
    """
    if len(fan.median) <= trained:
        return fan
    far = np.arange(trained + 1, len(fan.median) + 1)
    median, distance = fan.median.copy(), fan.distance.copy()
    slope = _slope(fan.median[:trained], period)
    median[trained:] += slope * trained * (1 - np.exp(-(far - trained) / trained))
    distance[trained:] *= ((far / trained) ** _growth(fan.distance, period, trained))[:, None]
    return Fan(median, distance)


def never_shrinking(fan: Fan, *, period: int) -> Fan:
    """No quantile is nearer to the median than one season before (one step, without a season)."""
    distance = fan.distance.copy()
    for phase in range(min(period, len(distance))):
        part = distance[phase::period]
        distance[phase::period] = np.sign(part) * np.maximum.accumulate(np.abs(part), axis=0)
    return Fan(fan.median, distance)


def _slope(median: Floats, period: int) -> float:
    span = period if period > 1 else _NO_SEASON
    if 2 * span > len(median):
        return 0.0
    return float(median[-span:].mean() - median[-2 * span : -span].mean()) / span


def _growth(distance: Floats, period: int, trained: int) -> float:
    half = trained // 2
    span = min(max(period, 8), half)
    late = np.abs(distance[trained - span : trained]).mean()
    early = np.abs(distance[half - span : half]).mean()
    if early <= 0 or late <= early:
        return 0.0
    return float(min(np.log2(late / early), _STEEPEST_GROWTH))
