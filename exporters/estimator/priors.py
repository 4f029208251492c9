"""Synthetic tables: columns of many kinds, a target that depends on some of them, and noise of many kinds."""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Rng: TypeAlias = np.random.Generator

WIDEST: Final = 24

_KINDS: Final = (0.30, 0.20, 0.13, 0.17, 0.12, 0.08)
_BENDS: Final[tuple[Callable[[Floats], Floats], ...]] = (
    np.tanh,
    np.sin,
    lambda v: np.maximum(v, 0),
    np.abs,
    np.square,
    np.exp,
    lambda v: v,
)


def draw_tables(r: Rng, count: int, rows: int) -> tuple[Floats, Floats]:
    """`count` tables: columns (count, rows, WIDEST) with NaN for what is missing, targets (count, rows)."""
    x = np.full((count, rows, WIDEST), np.nan)
    y = np.empty((count, rows))
    for i in range(count):
        columns, y[i] = draw_table(r, rows)
        columns = columns[:, :WIDEST]
        x[i, :, : columns.shape[1]] = columns
    return x, y


def draw_table(r: Rng, rows: int) -> tuple[Floats, Floats]:
    """One table: columns (rows, c), targets (rows,)."""
    width = int(np.ceil(np.exp(r.uniform(np.log(0.6), np.log(16)))))
    s = _latent(r, rows, width)
    group = _groups(r, rows) if r.random() < 0.4 else None
    signal = _signal(r, s)
    if group is not None:
        effect = r.normal(size=group.max() + 1)[group] * np.exp(r.uniform(-2, 1))
        slope = r.normal(size=group.max() + 1)[group] * s[:, 0] * (r.random() < 0.3)
        signal = signal / (signal.std() + 1e-9) + effect + slope
    signal = signal / (signal.std() + 1e-9)
    y = _shaped(r, signal + _noise(r, rows, s) * np.exp(r.uniform(np.log(0.01), np.log(2.5))))
    columns = [_column(r, s[:, j]) for j in range(width) if width == 1 or r.random() < 0.9]
    if group is not None and r.random() < 0.9:
        levels = range(1, group.max() + 1) if group.max() == 1 else range(group.max() + 1)
        columns += [(group == level).astype(np.float64) for level in levels]
    if not columns:
        columns = [_column(r, s[:, 0])]
    x = np.stack(columns, 1)
    if r.random() < 0.25:
        x[r.random(x.shape) < r.uniform(0, 0.3)] = np.nan
    return x, y


def _latent(r: Rng, rows: int, width: int) -> Floats:
    """Correlated columns with spread 1; sometimes a trend or a trail along the rows."""
    causes = max(1, int(r.integers(0, width + 2)))
    z = r.normal(size=(rows, causes))
    mix = r.normal(size=(causes, width)) * (r.random((causes, width)) < 0.6)
    x = z @ mix + r.normal(size=(rows, width)) * r.choice([0.1, 0.5, 1.0])
    if r.random() < 0.12:
        x[:, 0] = np.arange(rows) / rows * r.choice([1, 4]) + 0.05 * x[:, 0]
    if r.random() < 0.1:
        x = np.sign(x) * np.abs(x) ** r.uniform(0.5, 1.6)
    out: Floats = (x - x.mean(0)) / (x.std(0) + 1e-9)
    return out


def _groups(r: Rng, rows: int) -> npt.NDArray[np.int64]:
    share = r.dirichlet(np.full(r.integers(2, 8), r.choice([0.7, 3.0])))
    return r.choice(len(share), rows, p=share)


def _signal(r: Rng, s: Floats) -> Floats:
    rows, width = s.shape
    kind = int(r.choice(len(_KINDS), p=_KINDS))
    w = r.normal(size=width) * (r.random(width) < r.choice([0.3, 0.7, 1.0]))
    w[r.integers(width)] += r.normal()
    if kind == 0:
        return np.asarray(s @ w)
    if kind == 1:
        hidden = int(r.integers(2, 12))
        act = _BENDS[int(r.integers(3))]
        inner = act(s @ (r.normal(size=(width, hidden)) * (w != 0)[:, None]) + r.normal(size=hidden))
        return np.asarray(inner @ r.normal(size=hidden))
    if kind == 2:
        waves = r.normal(size=(width, 20)) * r.uniform(0.2, 1.2) * (w != 0)[:, None] / np.sqrt(max((w != 0).sum(), 1))
        return np.asarray(np.cos(s @ waves + r.uniform(0, 6.3, 20)) @ r.normal(size=20))
    if kind == 3:
        y = np.zeros(rows)
        for _ in range(r.integers(1, 8)):
            j, k = r.integers(width, size=2)
            both = (s[:, k] > r.normal() * 0.5) if r.random() < 0.4 else 1.0
            y += r.normal() * (s[:, j] > r.normal() * 0.7) * both
        return y
    if kind == 4:
        bent = [_BENDS[int(2 + r.integers(5))](np.clip(s[:, j], -3, 3)) for j in range(width)]
        return np.asarray(np.stack(bent, 1) @ w)
    j, k = r.integers(width, size=2)
    out: Floats = s @ w + r.normal() * 1.5 * s[:, j] * s[:, k]
    return out


def _noise(r: Rng, rows: int, s: Floats) -> Floats:
    e = r.normal(size=rows)
    kind = r.random()
    if kind < 0.2:
        e = r.standard_t(3, rows) * 0.6
    elif kind < 0.3:
        e = r.exponential(1, rows) - 1
    elif kind < 0.36:
        e = e + (r.random(rows) < 0.05) * r.normal(0, 5, rows)
    if r.random() < 0.3:
        e = e * np.exp(np.clip(s[:, r.integers(s.shape[1])] * r.uniform(0.2, 0.8), -2, 2))
    return e


def _shaped(r: Rng, y: Floats) -> Floats:
    """The target as people record it: plain, skewed, rounded, cut, or turned around."""
    kind = r.random()
    if kind < 0.25:
        y = np.exp(np.clip(y * r.uniform(0.2, 1.1), -6, 6))
    elif kind < 0.33:
        y = np.round(y * r.uniform(1, 6))
    elif kind < 0.38:
        y = np.maximum(y, r.normal() - 0.7)
    elif kind < 0.42:
        y = (y > r.normal() * 0.5).astype(np.float64)
    elif kind < 0.48:
        y = 1 / (1 + np.exp(-y * r.uniform(0.5, 3)))
    return -y if r.random() < 0.25 else y


def _column(r: Rng, s: Floats) -> Floats:
    """A latent column as people record it."""
    kind = r.random()
    if kind < 0.18:
        return np.round(s * r.uniform(0.5, 4))
    if kind < 0.32:
        return np.exp(np.clip(s * r.uniform(0.3, 1.5), -5, 5))
    if kind < 0.42:
        return (s > r.normal() * 0.5).astype(np.float64)
    if kind < 0.48:
        return np.argsort(np.argsort(s)).astype(np.float64)
    return s
