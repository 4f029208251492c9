"""Forecast errors that can be averaged over series of any size, and the seasonal naive forecast beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from exporters.forecaster.evaluation import Held

Floats: TypeAlias = npt.NDArray[np.float64]

LEVELS: Final = tuple(round(i / 10, 1) for i in range(1, 10))
_MEDIAN: Final = LEVELS.index(0.5)


@dataclass(frozen=True, slots=True)
class Score:
    """Means over the series of a group."""

    mase: float
    """Absolute error of the median over the in-sample seasonal error."""
    sql: float
    """Quantile loss (doubled, mean over levels) over the in-sample seasonal error."""
    coverage: float
    """Share of truths between the 0.1 and 0.9 quantiles."""


def of(series: Sequence[Held], answers: Sequence[Floats], season: int) -> Score:
    """Score quantiles (horizon, 9) per series. Series without an in-sample error count for coverage only."""
    levels = np.asarray(LEVELS)
    mase, sql, covered = [], [], []
    for held, q in zip(series, answers, strict=True):
        seen = np.isfinite(held.future)
        y, q = held.future[seen], q[seen]
        covered.append(float(((y >= q[:, 0]) & (y <= q[:, -1])).mean()))
        unit = seasonal_error(held.history, season)
        if unit > 0:
            error = y[:, None] - q
            mase.append(float(np.abs(error[:, _MEDIAN]).mean()) / unit)
            sql.append(2 * float(np.maximum(levels * error, (levels - 1) * error).mean()) / unit)
    return Score(float(np.mean(mase)), float(np.mean(sql)), float(np.mean(covered)))


def seasonal_error(history: Floats, season: int) -> float:
    """Mean absolute difference from one season before; from the step before where that is impossible or 0."""
    for lag in (season, 1):
        if len(history) > lag:
            error = float(np.nanmean(np.abs(history[lag:] - history[:-lag])))
            if error > 0:
                return error
    return 0.0


def seasonal_naive(held: Held, season: int) -> Floats:
    """The last season again, with normal quantiles from its in-sample errors, growing with the root of the seasons."""
    x = _filled(held.history)
    season = season if len(x) > season else 1
    ahead = np.arange(len(held.future))
    median = x[len(x) - season + ahead % season]
    errors = x[season:] - x[:-season] if len(x) > season else np.zeros(1)
    sigma = float(np.sqrt(np.square(errors).mean())) * np.sqrt(ahead // season + 1)
    z = np.array([NormalDist().inv_cdf(level) for level in LEVELS])
    out: Floats = median[:, None] + sigma[:, None] * z[None]
    return out


def _filled(x: Floats) -> Floats:
    seen = np.flatnonzero(np.isfinite(x))
    return np.interp(np.arange(len(x)), seen, x[seen])
