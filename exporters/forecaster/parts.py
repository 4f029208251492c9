"""Building blocks of the synthetic series: seasonal shapes, innovations, slow walks."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Rng: TypeAlias = np.random.Generator


def log_uniform(r: Rng, low: float, high: float, n: int) -> Floats:
    """(n,) draws whose logarithm is uniform."""
    return np.exp(r.uniform(np.log(low), np.log(high), n))


def season(r: Rng, m: Ints, length: int, *, smooth: float = 0.5) -> Floats:
    """(n, length) repeating pattern of period `m` (n,), mean 0 and spread 1; 0 where the period is 1.

    A share `smooth` is a short Fourier sum (always for long periods), the rest random factors per phase or a few
    spikes.
    """
    n, most = len(m), int(max(m.max(), 2))
    phase = np.arange(most)[None] / m[:, None]
    kind = r.choice(3, n, p=[smooth, (1 - smooth) * 0.76, (1 - smooth) * 0.24])
    kind = np.where((m > 60) & (kind == 1), 0, kind)
    waves = np.minimum(r.integers(1, 7, n), np.maximum(m // 2, 1))
    decay = r.uniform(0, 1.2, n)
    pattern = np.zeros((n, most))
    for k in range(1, 7):
        a = r.normal(size=(n, 2)) / k ** decay[:, None]
        wave = a[:, :1] * np.cos(2 * np.pi * k * phase) + a[:, 1:] * np.sin(2 * np.pi * k * phase)
        pattern += np.where((waves >= k)[:, None], wave, 0)
    pattern = np.where((kind == 1)[:, None], r.normal(size=(n, most)), pattern)
    sparse = (
        (r.random((n, most)) < 1.5 / np.maximum(m, 2)[:, None])
        * r.exponential(1, (n, most))
        * r.choice([-1, 1], (n, 1))
    )
    pattern = np.where((kind == 2)[:, None], sparse, pattern)
    out = np.take_along_axis(pattern, np.arange(length)[None] % m[:, None], 1)
    out -= out.mean(1, keepdims=True)
    out /= out.std(1, keepdims=True) + 1e-6
    return np.where(m[:, None] > 1, out, 0.0)


def innovations(r: Rng, n: int, length: int) -> Floats:
    """(n, length) noise of spread about 1: Gaussian, Student t, with outliers, or with clustered volatility."""
    e = r.normal(size=(n, length))
    kind = r.choice(4, n, p=[0.5, 0.25, 0.15, 0.10])
    heavy = kind == 1
    e[heavy] = r.standard_t(4, (int(heavy.sum()), length)) / np.sqrt(2)
    spiky = kind == 2
    shape = (int(spiky.sum()), length)
    e[spiky] += (r.random(shape) < 0.02) * r.normal(0, 5, shape)
    bursts = kind == 3
    volatility = np.cumsum(r.normal(0, 0.1, (int(bursts.sum()), length)), 1)
    e[bursts] *= np.exp(np.clip(volatility - volatility.mean(1, keepdims=True), -2, 2))
    return e


def smooth_walk(r: Rng, n: int, length: int, span: Ints) -> Floats:
    """(n, length) mean-reverting walk with one draw per `span` (n,) steps, linear in between, spread about 1."""
    knots = int(np.ceil(length / span.min())) + 2
    walk = np.zeros((n, knots))
    keep = r.uniform(0.3, 0.95, n)
    walk[:, 0] = r.normal(size=n)
    for i in range(1, knots):
        walk[:, i] = keep * walk[:, i - 1] + np.sqrt(1 - keep**2) * r.normal(size=n)
    at = np.arange(length)[None] / span[:, None]
    left = at.astype(np.int64)
    share = at - left
    return np.take_along_axis(walk, left, 1) * (1 - share) + np.take_along_axis(walk, left + 1, 1) * share


def exponentiate_or_add(r: Rng, y: Floats, *, share: float) -> Floats:
    """Multiplicative (e^y) for a share of the series, additive (1 + y) for the rest."""
    return np.where((r.random(len(y)) < share)[:, None], np.exp(np.clip(y, -6, 6)), 1 + y)
