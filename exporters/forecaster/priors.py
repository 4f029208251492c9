"""Synthetic series: what the forecaster learns from, and nothing else.

Each family draws `n` series of `length` points in economic units (a positive level of about 1, multiplicative or
additive parts) together with their two seasonal periods, shorter first, 1 for none. Simulated exponential smoothing
and SARIMA by pole sampling follow the idea of SarSim0 (ICLR 2026), kernel mixtures that of KernelSynth (Chronos); the
code is our own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from exporters.forecaster.parts import (
    exponentiate_or_add,
    innovations,
    log_uniform,
    season,
    smooth_walk,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Rng: TypeAlias = np.random.Generator
Draw: TypeAlias = tuple[Floats, Ints]
"""Values (n, length) and periods (n, 2)."""

Family: TypeAlias = "Callable[[Rng, int, int, PeriodMix], Draw]"


@dataclass(frozen=True, slots=True)
class PeriodMix:
    """Which single seasons occur, and how often."""

    periods: tuple[int, ...]
    weights: tuple[float, ...]

    def draw(self, r: Rng, n: int) -> Ints:
        """(n,) periods."""
        p = np.asarray(self.weights)
        return r.choice(np.asarray(self.periods, np.int64), n, p=p / p.sum())


BUSINESS = PeriodMix((1, 4, 12, 7, 24, 5, 6, 52, 48), (0.36, 0.17, 0.26, 0.06, 0.05, 0.03, 0.02, 0.03, 0.02))
"""Short histories: yearly, quarterly and monthly figures for the most part."""
DENSE = PeriodMix(
    (1, 12, 7, 24, 5, 52, 48, 96, 60, 30, 144, 288),
    (0.2, 0.11, 0.17, 0.14, 0.05, 0.08, 0.07, 0.03, 0.02, 0.02, 0.04, 0.07),
)
"""Long histories: days, hours and below."""
DOUBLE = ((24, 168), (48, 336), (7, 28), (12, 84), (7, 364), (96, 480))
DOUBLE_WEIGHTS = (0.46, 0.36, 0.04, 0.03, 0.06, 0.05)


def single(m: Ints) -> Ints:
    """Periods (n, 2) of series with at most one season."""
    return np.stack([m, np.ones_like(m)], 1)


def smoothing(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """Exponential-smoothing state space run forwards; in log space for about half of the series."""
    m = mix.draw(r, n)
    kind = r.choice(4, n, p=[0.12, 0.38, 0.30, 0.20])
    alpha = np.choose(kind, [r.uniform(0, 0.05, n), r.uniform(0.02, 0.6, n), r.uniform(0.5, 1, n), np.ones(n)])
    trended = r.random(n) < 0.65
    damping = np.where(r.random(n) < 0.45, r.uniform(0.8, 0.99, n), 1.0)
    beta = np.where(trended, alpha * r.beta(1, 6, n), 0)
    gamma = np.where(m > 1, (1 - alpha) * r.beta(1, 5, n) * (r.random(n) < 0.6), 0)
    sigma = log_uniform(r, 0.003, 0.25, n)
    slope = np.where(trended, r.normal(0, 1, n) * log_uniform(r, 0.02, 1.0, n) * sigma, 0)
    slope += (r.random(n) < 0.35) * np.abs(r.normal(0, 0.02, n)) / np.sqrt(m)
    sigma = np.where(r.random(n) < 0.04, 0.0, sigma)
    amplitude = np.where((m > 1) & (r.random(n) < 0.85), log_uniform(r, 0.2, 12, n) * np.maximum(sigma, 0.01), 0)
    fixed = season(r, m, length) * np.minimum(amplitude, 0.8)[:, None]
    e = innovations(r, n, length) * sigma[:, None]
    level, trend = np.zeros(n), slope.copy()
    moving = np.zeros((n, int(m.max())))
    rows = np.arange(n)
    y = np.empty((n, length))
    for t in range(length):
        phase = t % m
        y[:, t] = level + damping * trend + fixed[:, t] + moving[rows, phase] + e[:, t]
        level = level + damping * trend + alpha * e[:, t]
        trend = damping * trend + beta * e[:, t]
        moving[rows, phase] += gamma * e[:, t]
    return exponentiate_or_add(r, y, share=0.55), single(m)


def sarima(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """Seasonal ARIMA: poles drawn inside the unit circle, d up to 2 (rare), seasonal difference up to 1."""
    m = mix.draw(r, n)
    y = _arma(r, m, length)
    y /= y.std(1, keepdims=True) + 1e-6
    seasonal = (m > 1) & (r.random(n) < 0.6)
    start = season(r, m, length) * log_uniform(r, 0.5, 10, n)[:, None]
    summed = y + np.where(np.arange(length)[None] < m[:, None], start, 0)
    for period in np.unique(m[seasonal]):
        rows = np.flatnonzero(seasonal & (m == period))
        for t in range(period, length):
            summed[rows, t] += summed[rows, t - period]
    y = np.where(seasonal[:, None], summed, y)
    drift = r.normal(0, 0.3, (n, 1)) * (r.random((n, 1)) < 0.6)
    once = np.cumsum(y + drift, 1)
    order = r.choice(3, n, p=[0.3, 0.62, 0.08])
    order = np.where(seasonal, np.minimum(order, 1) * (r.random(n) < 0.4), order)
    y = np.choose(order[:, None], [y, once, np.cumsum(once, 1)])
    return place(r, y - y[:, :1]), single(m)


def _arma(r: Rng, m: Ints, length: int, burn: int = 60) -> Floats:
    """ARMA(2,1)(1,1) paths after a burn-in."""
    n, pad = len(m), int(max(m.max(), 2)) + 1
    radius = r.uniform(0, 0.95, (n, 2)) * (r.random((n, 2)) < 0.7)
    angle = r.uniform(0, np.pi, n)
    cyclic = r.random(n) < 0.35
    first = radius[:, 0] * r.choice([1, 1, 1, -1], n)
    second = radius[:, 1] * r.choice([1, -1], n)
    ar1 = np.where(cyclic, 2 * radius[:, 0] * np.cos(angle), first + second)
    ar2 = np.where(cyclic, -np.square(radius[:, 0]), -first * second)
    ma1 = r.uniform(-0.9, 0.6, n) * (r.random(n) < 0.6)
    seasonal = m > 1
    sma = np.where(seasonal, -r.uniform(0, 0.95, n) * (r.random(n) < 0.7), 0)
    sar = np.where(seasonal, r.uniform(0, 0.5, n) * (r.random(n) < 0.3), 0)
    rows = np.arange(n)
    e = np.concatenate([np.zeros((n, pad)), innovations(r, n, length + burn)], 1)
    y = np.zeros_like(e)
    for t in range(pad, e.shape[1]):
        back = t - np.where(seasonal, m, 1)
        value = e[:, t] + ma1 * e[:, t - 1] + sma * (e[rows, back] + ma1 * e[rows, back - 1])
        value += ar1 * y[:, t - 1] + ar2 * y[:, t - 2] + sar * y[rows, back]
        y[:, t] = np.clip(value, -1e4, 1e4)
    return y[:, pad + burn :]


def structural(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """Piecewise or logistic trend, a season whose size may grow, autocorrelated noise, level shifts."""
    m = mix.draw(r, n)
    t = np.arange(length)[None] / length
    trend = r.normal(0, 1, (n, 1)) * t * log_uniform(r, 0.05, 2.0, n)[:, None]
    knots = r.integers(0, 5, n)
    for i in range(4):
        bend = np.maximum(t - r.random((n, 1)), 0) * r.normal(0, 1.2, (n, 1))
        trend = trend + np.where((knots > i)[:, None], bend, 0)
    growth = r.normal(0, 0.8, (n, 1)) / (1 + np.exp(-(t - r.random((n, 1))) * log_uniform(r, 3, 30, n)[:, None]))
    trend = np.where((r.random(n) < 0.15)[:, None], growth, trend)
    sigma = log_uniform(r, 0.004, 0.25, n)
    noise = autoregressive(innovations(r, n, length), r.uniform(0, 0.95, n) * (r.random(n) < 0.6))
    amplitude = np.where((m > 1) & (r.random(n) < 0.9), np.minimum(log_uniform(r, 0.3, 15, n) * sigma, 0.9), 0)
    swell = np.maximum(1 + (r.random((n, 1)) < 0.25) * r.normal(0, 0.7, (n, 1)) * t, 0)
    sigma = np.where(r.random(n) < 0.04, 0.0, sigma)
    y = trend + season(r, m, length) * amplitude[:, None] * swell + noise * sigma[:, None]
    for _ in range(2):
        at = r.integers(0, length, (n, 1))
        shift = r.normal(0, 0.4, (n, 1)) * (r.random((n, 1)) < 0.15)
        y += np.where(np.arange(length)[None] >= at, shift, 0)
    return exponentiate_or_add(r, y, share=0.6), single(m)


def autoregressive(e: Floats, rho: Floats) -> Floats:
    """First-order autoregression with coefficient `rho` (n,) driven by `e` (n, length)."""
    out = np.empty_like(e)
    out[:, 0] = e[:, 0]
    for t in range(1, e.shape[1]):
        out[:, t] = rho * out[:, t - 1] + e[:, t]
    return out


def place(r: Rng, y: Floats) -> Floats:
    """Put a path that starts at 0 on a positive level of 1, with a spread of 2 to 60 % of it."""
    z = y / (y.std(1, keepdims=True) + 1e-6) * log_uniform(r, 0.02, 0.6, len(y))[:, None]
    return exponentiate_or_add(r, z, share=0.5)


def kernels(r: Rng, n: int, length: int, mix: PeriodMix, *, groups: int = 16) -> Draw:
    """Gaussian processes with random sums and products of simple kernels, one kernel per group."""
    t = np.arange(length) / length
    gap = np.abs(t[:, None] - t[None])
    values, periods = [], []
    for size in np.diff(np.linspace(0, n, groups + 1).astype(int)):
        m = int(mix.draw(r, 1)[0])
        kernel = _kernel(r, t, gap, m)
        jitter = 1e-6 + float(log_uniform(r, 1e-4, 0.1, 1)[0])
        root = np.linalg.cholesky(kernel + jitter * np.eye(length))
        values.append(r.normal(size=(size, length)) @ root.T)
        periods.append(np.full(size, m, np.int64))
    y = np.concatenate(values)
    return place(r, y - y[:, :1]), single(np.concatenate(periods))


def _kernel(r: Rng, t: Floats, gap: Floats, m: int) -> Floats:
    total: Floats | None = None
    for _ in range(r.integers(1, 6)):
        kind = r.choice(5, p=[0.25, 0.35, 0.12, 0.14, 0.14])
        width = float(log_uniform(r, 0.02, 1.5, 1)[0])
        if kind == 0:
            k = np.exp(-0.5 * np.square(gap / width))
        elif kind == 1:
            known = m > 1 and r.random() < 0.8
            period = (m if known else float(log_uniform(r, 4, len(t) / 2, 1)[0])) / len(t)
            k = np.exp(-2 * np.square(np.sin(np.pi * gap / period) / float(log_uniform(r, 0.3, 3, 1)[0])))
        elif kind == 2:
            k = 0.1 + 4 * t[:, None] * t[None]
        elif kind == 3:
            k = 1 / np.sqrt(1 + np.square(gap / width))
        else:
            k = np.eye(len(t)) * float(log_uniform(r, 0.01, 0.5, 1)[0])
        multiply = total is not None and kind != 4 and r.random() < 0.4
        total = k if total is None else (total * k if multiply else total + k)
    assert total is not None
    return total


def counts(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """Counts and intermittent demand: Poisson or negative binomial, seasonal drifting rate, extra and leading zeros."""
    m = mix.draw(r, n)
    t = np.arange(length)[None] / length
    shape = r.normal(0, 0.6, (n, 1)) * t + season(r, m, length) * r.uniform(0, 0.8, (n, 1))
    shape += np.cumsum(r.normal(0, 0.05, (n, length)), 1) * (r.random((n, 1)) < 0.4)
    rate = log_uniform(r, 0.05, 30, n)[:, None] * np.exp(np.clip(shape, -6, 6))
    spread = log_uniform(r, 0.5, 20, n)[:, None]
    rate = np.where(r.random((n, 1)) < 0.5, rate, rate * r.gamma(spread, 1 / spread, (n, length)))
    y = r.poisson(np.minimum(rate, 1e5)).astype(np.float64)
    y[r.random((n, length)) < r.uniform(0, 0.7, (n, 1)) * (r.random((n, 1)) < 0.3)] = 0
    launch = r.integers(1, length // 2, (n, 1)) * (r.random((n, 1)) < 0.1)
    y[np.arange(length)[None] < launch] = 0
    return y, single(m)


def regimes(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """Switching mean-reverting walks, steps and saw teeth."""
    e = innovations(r, n, length)
    y = np.zeros((n, length))

    def regime() -> tuple[Floats, Floats, Floats]:
        return r.normal(0, 1, n), r.uniform(0, 0.3, n), log_uniform(r, 0.02, 0.5, n)

    centre, pull, sigma = regime()
    for t in range(1, length):
        switch = r.random(n) < 0.01
        if switch.any():
            new = regime()
            centre, pull, sigma = (np.where(switch, a, b) for a, b in zip(new, (centre, pull, sigma), strict=True))
        y[:, t] = y[:, t - 1] + pull * (centre - y[:, t - 1]) + sigma * e[:, t]
    tooth = r.integers(3, 48, n)
    saw = r.random(n) < 0.2
    teeth = (np.arange(length)[None] % tooth[:, None]) / tooth[:, None]
    y = np.where(saw[:, None], teeth + 0.1 * y, y)
    return place(r, y), single(np.where(saw, tooth, 1).astype(np.int64))


def two_seasons(r: Rng, n: int, length: int, mix: PeriodMix) -> Draw:
    """A daily shape by class of day, day-to-day strength, a slow level and autocorrelated noise."""
    pair = np.asarray(DOUBLE, np.int64)[r.choice(len(DOUBLE), n, p=DOUBLE_WEIGHTS)]
    day, week = pair[:, 0], pair[:, 1]
    days = np.maximum(week // day, 1)
    most = int(days.max())
    base = season(r, day, length, smooth=0.9)
    other = season(r, day, length, smooth=0.9)
    t = np.arange(length)[None] + r.integers(0, 400, (n, 1)) * day[:, None]
    which = (t // day[:, None]) % days[:, None]
    free = (np.arange(most)[None] >= (days - 2)[:, None]) & (r.random((n, 1)) < 0.8)
    blend = np.where(free, r.uniform(0, 1, (n, 1)), r.uniform(0, 0.15, (n, most))) * (r.random((n, 1)) < 0.85)
    lift = (
        np.where(free, r.normal(-0.6, 0.5, (n, 1)), r.normal(0, 0.12, (n, most))) * log_uniform(r, 0.05, 2, n)[:, None]
    )
    mixing = np.take_along_axis(blend, which, 1)
    # The strength of a day and the level of a stretch of days drift, as load does with the weather.
    strength = np.exp(smooth_walk(r, n, length, day) * r.uniform(0, 0.25, (n, 1)))
    level = smooth_walk(r, n, length, day * r.integers(1, 6, n)) * log_uniform(r, 0.05, 1.2, n)[:, None]
    noise = autoregressive(innovations(r, n, length), r.uniform(0.3, 0.98, n) * (r.random(n) < 0.8))
    noise /= noise.std(1, keepdims=True) + 1e-6
    shape = (1 - mixing) * base + mixing * other + np.take_along_axis(lift, which, 1)
    y = shape * strength + level + noise * log_uniform(r, 0.02, 0.7, n)[:, None]
    y = exponentiate_or_add(r, y * log_uniform(r, 0.03, 0.5, n)[:, None], share=0.5)
    night = (r.random((n, 1)) < 0.06) * np.quantile(y, r.uniform(0.2, 0.5), axis=1, keepdims=True)
    return np.where(night > 0, np.maximum(y - night, 0), y), pair


FAMILIES: dict[str, Family] = {
    "smoothing": smoothing,
    "sarima": sarima,
    "structural": structural,
    "kernels": kernels,
    "counts": counts,
    "regimes": regimes,
    "two_seasons": two_seasons,
}
