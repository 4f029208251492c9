"""What people would use instead: each regression with intervals from its own cross-validated errors."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Method: TypeAlias = Callable[[Floats, Floats, Floats, Floats], Floats]
"""Stated columns (n, c), targets (n,), asked columns (q, c), levels -> (q, levels)."""

_FOLDS: Final = 8


def column_mean(x: Floats, y: Floats, asked: Floats, levels: Floats) -> Floats:
    """The mean of the column, with the spread of its values around it."""
    return _conformal(y - (y.sum() - y) / (len(y) - 1), np.full(len(asked), y.mean()), levels)


def neighbours(x: Floats, y: Floats, asked: Floats, levels: Floats) -> Floats:
    """Nearest neighbours on standardised columns."""
    from sklearn.neighbors import KNeighborsRegressor

    count = max(1, round(len(y) ** 0.5))
    return _fitted(lambda n: KNeighborsRegressor(min(count, n)), x, y, asked, levels)


def boosting(x: Floats, y: Floats, asked: Floats, levels: Floats) -> Floats:
    """Gradient-boosted trees."""
    from sklearn.ensemble import GradientBoostingRegressor

    def model(n: int) -> Any:
        return GradientBoostingRegressor(n_estimators=60, max_depth=3, min_samples_leaf=2, random_state=0)

    return _fitted(model, x, y, asked, levels)


def ridge(x: Floats, y: Floats, asked: Floats, levels: Floats) -> Floats:
    """Linear regression with a penalty chosen by leave-one-out."""
    from sklearn.linear_model import RidgeCV

    return _fitted(lambda n: RidgeCV(np.logspace(-2, 3, 11)), x, y, asked, levels)


METHODS: Final[dict[str, Method]] = {
    "mean of column": column_mean,
    "nearest neighbours": neighbours,
    "gradient boosting": boosting,
    "ridge": ridge,
}


def _fitted(model: Callable[[int], Any], x: Floats, y: Floats, asked: Floats, levels: Floats) -> Floats:
    if x.shape[1] == 0:
        return column_mean(x, y, asked, levels)
    mean, size = _moments(x)
    x, asked = np.nan_to_num((x - mean) / size), np.nan_to_num((asked - mean) / size)
    folds = min(_FOLDS, len(y))
    left_out = np.empty(len(y))
    for k in range(folds):
        held = np.arange(len(y)) % folds == k
        left_out[held] = model(int((~held).sum())).fit(x[~held], y[~held]).predict(x[held])
    return _conformal(y - left_out, model(len(y)).fit(x, y).predict(asked), levels)


def _moments(x: Floats) -> tuple[Floats, Floats]:
    there = np.isfinite(x)
    count = np.maximum(there.sum(0), 1)
    mean = np.where(there, x, 0).sum(0) / count
    spread = np.sqrt((np.where(there, x - mean, 0) ** 2).sum(0) / count)
    return mean, np.where(spread > 0, spread, 1.0)


def _conformal(errors: Floats, middle: Floats, levels: Floats) -> Floats:
    """Symmetric quantiles from absolute left-out errors."""
    sizes = np.sort(np.abs(errors))
    held = np.abs(2 * levels - 1)
    rank = np.minimum(np.ceil((len(sizes) + 1) * held - 1e-9).astype(np.int64), len(sizes)) - 1
    reach = np.sign(levels - 0.5) * np.where(held > 0, sizes[np.maximum(rank, 0)], 0)
    out: Floats = middle[:, None] + reach
    return out
