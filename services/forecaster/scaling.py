"""Anchor and scale of a history, in float64 and outside the graph.

A level of 1e12 with a season of 1e3 does not survive float32, so histories are centred and divided here and only then
narrowed. Everything the network sees is unchanged by ``a * x + b`` with ``a > 0``: the anchor is the last observed
value, the scale a mean absolute difference, and no feature knows where zero is.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

CONTEXT: Final = 512
"""Points of history that the network reads."""
FEATURES: Final = 12
"""Numbers that describe a history as a whole."""

_KNEE: Final = 4.0
_LIMIT: Final = 24.0
_STD_SHARE: Final = 1e-3
_EPSILON_STEPS: Final = 8.0
_STEP_SHARE: Final = 0.05
_MIN_PAIRS: Final = 3

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Narrow: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scaled:
    """Histories as the network reads them.

    ``z`` (n, CONTEXT) compressed values, 0 where missing; ``mask`` (n, CONTEXT) 1 where observed;
    ``features`` (n, FEATURES); ``anchor`` and ``scale`` (n,) float64 undo the scaling; ``flat`` (n,) marks histories
    without any variation, which get scale 1.
    """

    z: Narrow
    mask: Narrow
    features: Narrow
    anchor: Floats
    scale: Floats
    flat: Bools


def compress(v: Floats) -> Floats:
    """Linear near 0, logarithmic far out: keeps spikes finite in float32."""
    squeezed: Floats = _KNEE * np.arcsinh(v / _KNEE)
    return squeezed


def expand(z: Floats) -> Floats:
    """The inverse of `compress`; beyond about 800 scales the answer is capped."""
    spread: Floats = _KNEE * np.sinh(np.clip(z, -_LIMIT, _LIMIT) / _KNEE)
    return spread


def scale(x: Floats, observed: Bools, periods: Floats) -> Scaled:
    """Scale right-aligned histories.

    Args:
        x: (n, CONTEXT) values; what stands at unobserved positions is ignored.
        observed: (n, CONTEXT); each row has at least one observed point.
        periods: (n, 2) steps per season, shorter first; 1 means none.
    """
    x = np.where(observed, x, 0.0)
    count = observed.sum(1)
    last = _last_value(x, observed)
    centred = np.where(observed, x - last[:, None], 0.0)
    # In parts of the widest excursion, so that no square over- or underflows.
    span = np.abs(centred).max(1)
    floor = _EPSILON_STEPS * np.finfo(np.float64).eps * np.abs(x).max(1)
    flat = span <= floor
    span = np.where(flat, 1.0, span)
    u = np.where(flat[:, None], 0.0, centred / span[:, None])
    mean = u.sum(1) / count
    std = np.sqrt((np.square(u - mean[:, None]) * observed).sum(1) / count)
    step, step_pairs = _mean_difference(u, observed, np.ones(len(x), np.int64))
    step = np.where(step_pairs > 0, step, std)
    lags = np.clip(periods, 1, CONTEXT).astype(np.int64)
    season, season_pairs = _mean_difference(u, observed, lags[:, 0])
    second, second_pairs = _mean_difference(u, observed, lags[:, 1])
    seasonal = (season_pairs >= _MIN_PAIRS) & (lags[:, 0] > 1)
    twice = (second_pairs >= _MIN_PAIRS) & (lags[:, 1] > 1)
    unit = np.where(seasonal, np.maximum(season, _STEP_SHARE * step), step)
    unit = np.maximum(unit, np.maximum(_STD_SHARE * std, floor / span))
    unit = np.where(flat, 1.0, unit)
    v = u / unit[:, None]
    lowest = np.where(observed, v, np.inf).min(1)
    highest = np.where(observed, v, -np.inf).max(1)
    features = np.stack(
        [
            np.log(count) / 4,
            _ratio(std, unit),
            _ratio(step, unit),
            np.where(twice, _ratio(second, unit), 0.0),
            np.tanh(compress(lowest) / 4),
            np.tanh(compress(highest) / 4),
            np.tanh(compress(mean / unit) / 4),
            ((v == lowest[:, None]) & observed).sum(1) / count,
            ((v == highest[:, None]) & observed).sum(1) / count,
            _repeated(v, observed),
            seasonal.astype(np.float64),
            twice.astype(np.float64),
        ],
        axis=1,
    )
    z = np.where(observed, compress(v), 0.0)
    return Scaled(
        z=z.astype(np.float32),
        mask=observed.astype(np.float32),
        features=features.astype(np.float32),
        anchor=last,
        scale=unit * span,
        flat=flat,
    )


def is_flat(values: Floats) -> bool:
    """Whether the part of one history (t,) that is read shows nothing but rounding noise around its last value."""
    seen = values[-CONTEXT:]
    seen = seen[np.isfinite(seen)]
    return bool(np.abs(seen - seen[-1]).max() <= _EPSILON_STEPS * np.finfo(np.float64).eps * np.abs(seen).max())


def _last_value(x: Floats, observed: Bools) -> Floats:
    position = x.shape[1] - 1 - np.argmax(observed[:, ::-1], axis=1)
    value: Floats = x[np.arange(len(x)), position]
    return value


def _mean_difference(v: Floats, observed: Bools, lags: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Mean of |v[t] - v[t - lag]| over pairs that are both observed, and how many pairs there were."""
    mean = np.zeros(len(v))
    pairs = np.zeros(len(v), np.int64)
    for lag in np.unique(lags):
        rows = np.flatnonzero(lags == lag)
        if lag >= v.shape[1]:
            continue
        both = observed[rows, lag:] & observed[rows, :-lag]
        pairs[rows] = both.sum(1)
        total = (np.abs(v[rows, lag:] - v[rows, :-lag]) * both).sum(1)
        mean[rows] = total / np.maximum(pairs[rows], 1)
    return mean, pairs


def _ratio(part: Floats, unit: Floats) -> Floats:
    value: Floats = np.clip(np.log(np.maximum(part, 1e-9 * unit) / unit), -4, 6) / 3
    return value


def _repeated(v: Floats, observed: Bools) -> Floats:
    both = observed[:, 1:] & observed[:, :-1]
    same = ((v[:, 1:] == v[:, :-1]) & both).sum(1)
    share: Floats = same / np.maximum(both.sum(1), 1)
    return share
