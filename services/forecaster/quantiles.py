"""Any level from the network's eleven, and the mean that belongs to them.

Between two levels the quantile function is linear in the normal score, so a Gaussian forecast is reproduced exactly.
Beyond the outermost levels the line through the last two goes on: a normal tail with the spread of the outer segment.
Everything is a fixed linear combination of the eleven, hence ordered and equivariant like them.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

import numpy as np

from services.forecaster.scaling import Floats

_NORMAL: Final = NormalDist()
_HIGHEST: Final = 1 - 2**-53


def interpolation(knots: Sequence[float], levels: Sequence[float]) -> Floats:
    """(knots, levels) weights: quantiles at `knots` times this are quantiles at `levels`."""
    at = [_NORMAL.inv_cdf(k) for k in knots]
    weights = np.zeros((len(knots), len(levels)))
    for column, level in enumerate(levels):
        score = _NORMAL.inv_cdf(min(level, _HIGHEST))
        right = int(np.clip(np.searchsorted(at, score), 1, len(at) - 1))
        share = (score - at[right - 1]) / (at[right] - at[right - 1])
        weights[right - 1, column] = 1 - share
        weights[right, column] = share
    return weights


def mean_weights(knots: Sequence[float]) -> Floats:
    """(knots,) weights of the mean: the integral of the interpolated quantile function over all levels.

    Per segment of normal scores [a, b], with density p and distribution P: the integral of 1 is P(b) - P(a), that of
    the score is p(a) - p(b).
    """
    at = [_NORMAL.inv_cdf(k) for k in knots]
    weights = np.zeros(len(knots))
    for i in range(len(at) - 1):
        low = -np.inf if i == 0 else at[i]
        high = np.inf if i == len(at) - 2 else at[i + 1]
        mass = _distribution(high) - _distribution(low)
        first_moment = _density(low) - _density(high)
        share = (first_moment - at[i] * mass) / (at[i + 1] - at[i])
        weights[i] += mass - share
        weights[i + 1] += share
    return weights


def ordered(quantiles: Floats) -> Floats:
    """Remove rounding-size crossings along the last axis."""
    out: Floats = np.maximum.accumulate(quantiles, axis=-1)
    return out


def scores(knots: Sequence[float]) -> Floats:
    """(knots,) normal scores of the levels."""
    return np.array([_NORMAL.inv_cdf(k) for k in knots])


def _distribution(z: float) -> float:
    return float(z > 0) if np.isinf(z) else _NORMAL.cdf(z)


def _density(z: float) -> float:
    return 0.0 if np.isinf(z) else _NORMAL.pdf(z)
