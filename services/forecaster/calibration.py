"""Conformal widening by rolling origins of the request's own histories.

Every history is also forecast from up to three earlier points (1, 1.5 and 2 horizons before its end). A point's score
is its distance from the median over the distance of the 10 or 90 % quantile on its side, so 1 is the edge of the 80 %
interval. The 80 % quantile of all scores, pooled over the request, is the factor by which the answers are stretched
around the median. Pooling beats one factor per series: one to three origins cannot calibrate a series by themselves.
Method: conformalised quantile regression (Romano, Patterson, Candes 2019) with a multiplicative score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from services.forecaster.history import History
from services.forecaster.paths import Fan
from services.forecaster.scaling import Floats

LEAST_SCORES: Final = 20
"""With fewer scores the intervals stay as they are, with a note."""

_ORIGINS: Final = (1.0, 1.5, 2.0)
_LEAST_LEFT: Final = 8
_SEASONS_LEFT: Final = 1.5
_FACTORS: Final = (0.5, 4.0)
_COVERAGE: Final = 0.8


@dataclass(frozen=True, slots=True)
class Origin:
    """A history cut before some of its points, and those points (NaN where missing)."""

    history: History
    truth: Floats


def origins(histories: Sequence[History], horizon: int) -> Iterator[Origin]:
    """The earlier points from which the histories are long enough to be forecast."""
    for history in histories:
        for share in _ORIGINS:
            left = len(history.values) - int(share * horizon)
            if left < max(_LEAST_LEFT, _SEASONS_LEFT * history.seasons.first):
                continue
            known = history.values[:left]
            seen = np.flatnonzero(np.isfinite(known))
            if len(seen) < _LEAST_LEFT:
                continue
            end = int(seen[-1]) + 1
            cut = History(values=known[:end], gap=left - end, seasons=history.seasons)
            yield Origin(cut, history.values[left : left + horizon])


def scores(origin: Origin, fan: Fan, *, low: int, high: int) -> Floats:
    """Scores of the observed points of one origin; `low` and `high` index the 10 and 90 % distances."""
    ahead = len(origin.truth)
    error = origin.truth - fan.median[:ahead]
    reach = np.where(error < 0, -fan.distance[:ahead, low], fan.distance[:ahead, high])
    usable = np.isfinite(error) & (reach > 0)
    out: Floats = np.abs(error[usable]) / reach[usable]
    return out


def factor(pooled: Floats) -> float:
    """Stretch of all distances from the median: the conformal quantile of the scores, kept within 0.5 to 4."""
    rank = min(int(np.ceil(_COVERAGE * (len(pooled) + 1))), len(pooled))
    return float(np.clip(np.sort(pooled)[rank - 1], *_FACTORS))
