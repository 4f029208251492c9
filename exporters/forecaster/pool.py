"""Pools of synthetic series and the training batches cut from them.

Everything is a function of (seed, number), so a stopped training goes on exactly where it was.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from exporters.forecaster.priors import BUSINESS, DENSE, FAMILIES, PeriodMix
from services.forecaster.scaling import CONTEXT, Scaled, compress, scale

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Rng: TypeAlias = np.random.Generator

CHUNK: Final = 4_000
TARGET_LIMIT: Final = 24.0


@dataclass(frozen=True, slots=True, eq=False)
class Regime:
    """One kind of pool: how long its series are, how far ahead is asked, and the shares of its families."""

    length: int
    horizon: int
    shortest: int
    longest: int
    mix: PeriodMix
    shares: dict[str, float]
    breaks: float
    """Share of series whose future breaks with their past."""


SHORT: Final = Regime(
    length=264,
    horizon=48,
    shortest=3,
    longest=200,
    mix=BUSINESS,
    shares={"smoothing": 0.3, "sarima": 0.2, "structural": 0.26, "kernels": 0.07, "counts": 0.09, "regimes": 0.08},
    breaks=0.12,
)
LONG: Final = Regime(
    length=CONTEXT + 128,
    horizon=128,
    shortest=20,
    longest=CONTEXT,
    mix=DENSE,
    shares={
        "smoothing": 0.13,
        "sarima": 0.1,
        "structural": 0.13,
        "kernels": 0.03,
        "counts": 0.08,
        "regimes": 0.05,
        "two_seasons": 0.48,
    },
    breaks=0.03,
)


@dataclass(frozen=True, slots=True)
class Pool:
    """Series (n, length) float32 with their true periods (n, 2)."""

    regime: Regime
    values: npt.NDArray[np.float32]
    periods: Ints


@dataclass(frozen=True, slots=True)
class Batch:
    """What one training step sees.

    Scaled histories, periods (n, 2), steps (n, s) ahead, compressed targets (n, s), and weights (n, 1): 0 for histories
    without variation, which have no scale and are answered outside the network.
    """

    scaled: Scaled
    periods: npt.NDArray[np.float32]
    steps: npt.NDArray[np.float32]
    targets: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]


def draw_pool(regime: Regime, *, size: int, seed: int) -> Pool:
    """About `size` usable series, shuffled."""
    r = np.random.default_rng([seed, regime.length])
    values, periods = [], []
    for name, share in regime.shares.items():
        left = int(size * share)
        while left > 0:
            count = min(CHUNK, left)
            y, m = FAMILIES[name](r, count, regime.length, regime.mix)
            usable = np.isfinite(y).all(1) & (np.abs(y).max(1) < 1e6) & (y.std(1) > 1e-6)
            values.append(y[usable].astype(np.float32))
            periods.append(m[usable])
            left -= count
    order = r.permutation(sum(map(len, values)))
    return Pool(regime, np.concatenate(values)[order], np.concatenate(periods)[order])


def draw_batch(pool: Pool, *, size: int, steps: int, seed: tuple[int, ...]) -> Batch:
    """Cut histories of random length out of a pool and disturb them as callers' data are disturbed."""
    r = np.random.default_rng(seed)
    regime = pool.regime
    rows = r.integers(0, len(pool.values), size)
    true = pool.periods[rows]
    end = r.integers(max(regime.shortest, 24), regime.length - regime.horizon + 1, size)
    count = np.minimum(_history_lengths(r, regime, true), end)
    position = end[:, None] - CONTEXT + np.arange(CONTEXT)[None]
    history = np.take_along_axis(pool.values[rows], np.maximum(position, 0), 1).astype(np.float64)
    observed = np.arange(CONTEXT)[None] >= CONTEXT - count[:, None]
    ahead = _steps(r, regime.horizon, size, steps)
    future = np.take_along_axis(pool.values[rows], end[:, None] + ahead - 1, 1).astype(np.float64)
    history, future = _transform(r, history, future)
    history = _spikes(r, history, observed)
    observed &= ~_gaps(r, size)
    observed[:, -1] = True
    periods = _told(r, true).astype(np.float64)
    scaled = scale(history, observed, periods)
    future += _break(r, regime.breaks, ahead) * scaled.scale[:, None]
    targets = compress((future - scaled.anchor[:, None]) / scaled.scale[:, None])
    return Batch(
        scaled=scaled,
        periods=periods.astype(np.float32),
        steps=ahead.astype(np.float32),
        targets=np.clip(targets, -TARGET_LIMIT, TARGET_LIMIT).astype(np.float32),
        weights=(~scaled.flat).astype(np.float32)[:, None],
    )


def _history_lengths(r: Rng, regime: Regime, periods: Ints) -> Ints:
    """Log-uniform; seasonal series show at least 1.5 seasons most of the time."""
    m = periods[:, 0].astype(np.float64)
    low = np.where(m > 1, np.clip(1.5 * m, regime.shortest, 96), regime.shortest)
    low = np.where(r.random(len(m)) < 0.06, regime.shortest, low)
    high = np.where((m > 1) | (regime.longest > 300), regime.longest, 130.0)
    count = np.exp(r.uniform(np.log(low), np.log(high)))
    # Long pools are for callers with long histories: half of them show all there is.
    full = (r.random(len(m)) < 0.45) & (regime.longest == CONTEXT)
    return np.where(full, CONTEXT, np.round(count)).astype(np.int64)


def _steps(r: Rng, horizon: int, size: int, steps: int) -> Ints:
    """Steps ahead, near ones more often: the density falls like h^-0.6."""
    weight = np.arange(1, horizon + 1) ** -0.6
    chosen: Ints = r.choice(np.arange(1, horizon + 1), (size, steps), p=weight / weight.sum())
    return chosen


def _transform(r: Rng, history: Floats, future: Floats) -> tuple[Floats, Floats]:
    """Mirror, round to a coarse grid, or saturate; the same for history and future."""
    n = len(history)
    spread = history.std(1, keepdims=True) + 1e-9
    grid = spread * np.exp(r.uniform(np.log(0.05), np.log(0.6), (n, 1)))
    coarse = r.random((n, 1)) < 0.05
    cap = np.quantile(history, 0.85, axis=1, keepdims=True)
    capped = r.random((n, 1)) < 0.015
    sign = np.where(r.random((n, 1)) < 0.12, -1.0, 1.0)

    def apply(v: Floats) -> Floats:
        v = np.where(coarse, np.round(v / grid) * grid, v)
        return sign * np.where(capped, np.minimum(v, cap), v)

    return apply(history), apply(future)


def _break(r: Rng, share: float, ahead: Ints) -> Floats:
    """What rules, definitions and shocks do that no history shows: a walk away from it, in scales, in some futures."""
    n = len(ahead)
    size = np.exp(r.uniform(np.log(0.3), np.log(2.0), (n, 1))) * r.normal(size=(n, 1)) * (r.random((n, 1)) < share)
    away: Floats = size * np.sqrt(ahead)
    return away


def _spikes(r: Rng, history: Floats, observed: Bools) -> Floats:
    """One-off errors that do not come back: in 5 % of histories, half of the time at the very end."""
    n = len(history)
    hit = np.flatnonzero(r.random(n) < 0.05)
    spread = np.where(observed, history, np.nan)[hit]
    size = np.nanmean(np.abs(spread - np.nanmean(spread, 1, keepdims=True)), 1) + 1e-9
    jump = size * np.exp(r.uniform(np.log(3), np.log(400), len(hit))) * r.choice([1, 1, 1, -1], len(hit))
    at = np.where(r.random(len(hit)) < 0.5, CONTEXT - 1, r.integers(CONTEXT - 60, CONTEXT, len(hit)))
    out = history.copy()
    out[hit, at] += jump
    return out


def _gaps(r: Rng, n: int) -> Bools:
    """Single missing points in 8 % of histories, one missing block in 3 %."""
    share = r.random((n, 1)) * 0.35 * (r.random((n, 1)) < 0.08)
    missing: Bools = r.random((n, CONTEXT)) < share
    block = np.flatnonzero(r.random(n) < 0.03)
    start = CONTEXT - 2 - r.integers(1, 80, len(block))
    width = r.integers(2, 40, len(block))
    t = np.arange(CONTEXT)[None]
    missing[block] |= (t >= start[:, None]) & (t < (start + width)[:, None])
    return missing


def _told(r: Rng, true: Ints) -> Ints:
    """The periods a caller states: mostly right, sometimes withheld, wrong, or with a longer one that is not there."""
    told = true.copy()
    n = len(told)
    week = np.select([told[:, 0] == 24, told[:, 0] == 48, told[:, 0] == 96], [168, 336, 480], 1)
    spurious = (told[:, 1] == 1) & (r.random(n) < 0.5)
    told[:, 1] = np.where(spurious, week, told[:, 1])
    told[:, 1] = np.where(r.random(n) < 0.12, 1, told[:, 1])
    wrong = r.random(n) < 0.05
    told[wrong] = np.stack(
        [r.choice([4, 5, 6, 7, 12, 24, 52], int(wrong.sum())), np.ones(int(wrong.sum()), np.int64)], 1
    )
    withheld = r.random(n) < 0.1
    told[withheld] = 1
    return told
