"""How good forecasts of a caller's own history would have been, beside repeating the last season."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.forecaster.calibration import Origin
from services.forecaster.history import History
from services.forecaster.scaling import Floats


@dataclass(frozen=True, slots=True)
class Backtest:
    """Means over all observed points after all origins of one history."""

    origins: int
    points: int
    absolute_error: float
    """Of the median."""
    naive_error: float
    """Of repeating the last season, or the last value where there is none."""
    coverage: float
    """Share of points between the 10 and 90 % quantiles."""


def judge(origins: Sequence[Origin], answers: Sequence[Floats]) -> Backtest | None:
    """Compare answers (horizon, 3) at 10, 50 and 90 % with what came; None where nothing can be compared."""
    errors, naive, covered = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for origin, answer in zip(origins, answers, strict=True):
        seen = np.isfinite(origin.truth)
        truth, answer = origin.truth[seen], answer[: len(seen)][seen]
        errors.append(np.abs(truth - answer[:, 1]))
        naive.append(np.abs(truth - repeated(origin.history, len(seen))[seen]))
        covered.append(((truth >= answer[:, 0]) & (truth <= answer[:, 2])).astype(np.float64))
    points = int(sum(map(len, errors)))
    if points == 0:
        return None
    means = (float(np.concatenate(parts).mean()) for parts in (errors, naive, covered))
    return Backtest(len(origins), points, *means)


def repeated(history: History, steps: int) -> Floats:
    """The next `steps` if the last season came again; a missing value is taken from the season before, or the last."""
    values, period = history.values, history.seasons.first
    period = period if period < len(values) else 1
    at = len(values) + history.gap + np.arange(steps)
    source = at - period * np.ceil((at - len(values) + 1) / period).astype(np.int64)
    out = np.full(steps, np.nan)
    while np.isnan(out).any() and source.max() >= 0:
        usable = np.isnan(out) & (source >= 0)
        out[usable] = values[source[usable]]
        source = source - period
    return np.where(np.isnan(out), values[-1], out)
