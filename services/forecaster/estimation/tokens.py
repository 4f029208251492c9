"""Tables of numbers as the network reads them: one token per row.

Columns and targets are centred and divided in float64, so units do not matter. Columns are put in the order of their
correlation with the target, and turned so that it is positive: neither their order nor their sign matters.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from services.forecaster.estimation.experts import EXPERTS, Floats, Opinion, opinions
from services.forecaster.scaling import compress

COLUMNS: Final = 16
"""Columns that the network sees; the regressions see all."""
STATED: Final = 2 * COLUMNS + 2 * EXPERTS + 1 + EXPERTS + 2 + EXPERTS
"""Numbers of a token."""
BASE: Final = 2 * EXPERTS + 2
"""Numbers of an asked row that its answer starts from: means and log spreads of the regressions and of the median."""

_FLAT: Final = 8 * np.finfo(np.float64).eps

Narrow: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tokens:
    """`stated` (b, n, STATED), `asked` (b, q, STATED), `base` (b, q, BASE); `centre` and `unit` (b,) of the target."""

    stated: Narrow
    asked: Narrow
    base: Narrow
    z: Floats
    centre: Floats
    unit: Floats


def encode(x: Floats, y: Floats, asked: Floats) -> Tokens:
    """Tokens of `b` tables.

    Args:
        x: (b, n, c) columns of the rows that state the target, NaN where missing; n >= 3.
        y: (b, n) their targets, not all equal within a table.
        asked: (b, q, c) columns of the rows that do not.
    """
    centre = np.median(y, axis=1)
    distance = y - centre[:, None]
    unit = np.abs(distance).mean(1)
    z = compress(distance / unit[:, None])
    f, g, weights = _standardised(x, asked, z)
    said = opinions(f, g, z - z.mean(1, keepdims=True), np.square(weights))
    order = np.argsort(-weights, axis=1, kind="stable")[:, :COLUMNS]
    facts = _facts(f, said)
    stated = [*_cells(f, np.isfinite(x), order), *_views(said, z, facts, asked=False)]
    queried = [*_cells(g, np.isfinite(asked), order), *_views(said, z, facts, asked=True)]
    return Tokens(
        stated=np.concatenate(stated, -1).astype(np.float32),
        asked=np.concatenate(queried, -1).astype(np.float32),
        base=_base(said, z, g.shape[1]).astype(np.float32),
        z=z,
        centre=centre,
        unit=unit,
    )


def _standardised(x: Floats, asked: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Columns with mean 0 and size 1, turned to rise with the target, and (b, c) their absolute correlation with it."""
    there = np.isfinite(x)
    count = np.maximum(there.sum(1, keepdims=True), 1)
    filled = np.where(there, x, 0.0)
    mean = filled.sum(1, keepdims=True) / count
    centred = np.where(there, x - mean, 0.0)
    size = np.abs(centred).sum(1, keepdims=True) / count
    flat = size <= _FLAT * np.abs(filled).max(1, keepdims=True)
    size = np.where(flat, 1.0, size)
    live = ~flat
    f = compress(centred / size) * live
    g = compress(np.where(np.isfinite(asked), np.clip((asked - mean) / size, -1e9, 1e9), 0.0)) * live
    middle = f.sum(1, keepdims=True) / count
    f, g = np.where(there, f - middle, 0.0) * live, np.where(np.isfinite(asked), g - middle, 0.0) * live
    root = np.sqrt(np.maximum(np.square(f).sum(1, keepdims=True) / count, 1e-12))
    f, g = f / root, g / root
    zc = z - z.mean(1, keepdims=True)
    pull = (f * zc[..., None]).sum(1)
    reach = np.sqrt(np.square(f).sum(1) * np.square(zc).sum(1, keepdims=True))
    # Rounded, so that noise of the last digits does not decide the order of equally useful columns.
    along = np.round(pull / np.maximum(reach, 1e-12), 9)
    turn = np.where(along < 0, -1.0, 1.0)[:, None]
    return f * turn, g * turn, np.abs(along)


def _cells(f: Floats, there: npt.NDArray[np.bool_], order: npt.NDArray[np.int64]) -> list[Floats]:
    b, rows, _ = f.shape
    used = order.shape[1]
    cells, present = np.zeros((b, rows, COLUMNS)), np.zeros((b, rows, COLUMNS))
    index = np.broadcast_to(order[:, None], (b, rows, used))
    cells[..., :used] = np.clip(np.take_along_axis(f, index, 2), -6, 6)
    present[..., :used] = np.take_along_axis(there.astype(np.float64), index, 2)
    return [cells, present]


def _views(said: tuple[Opinion, ...], z: Floats, facts: Floats, *, asked: bool) -> list[Floats]:
    """What the regressions say of each row, its target, and how far they were off; the last two 0 for asked rows."""
    middle = z.mean(1, keepdims=True)
    means = np.stack([(o.asked_mean if asked else o.mean) + middle for o in said], -1)
    spreads = np.stack([_log(o.asked_spread if asked else o.spread) for o in said], -1)
    rows = means.shape[1]
    told = np.zeros((len(z), rows, 1)) if asked else z[..., None]
    errors = np.zeros_like(means) if asked else told - means
    return [means, spreads, told, errors, np.repeat(facts[:, None], rows, 1)]


def _facts(f: Floats, said: tuple[Opinion, ...]) -> Floats:
    """(b, 2 + EXPERTS) rows, columns, and the leave-one-out errors."""
    live = (np.abs(f).max(1) > 0).sum(1)
    rows = np.full(len(f), np.log(f.shape[1]) / 4)
    return np.stack([rows, np.log1p(live) / 3, *(_log(o.error) for o in said)], -1)


def _base(said: tuple[Opinion, ...], z: Floats, asked: int) -> Floats:
    middle = z.mean(1, keepdims=True)
    none = np.zeros((len(z), asked))
    spread = none + np.log(z.std(1, keepdims=True) + 1e-3)
    means = [np.clip(o.asked_mean + middle, -20, 20) for o in said]
    spreads = [np.log(np.clip(o.asked_spread, 1e-3, 20)) for o in said]
    return np.stack([*means, none, *spreads, spread], -1)


def _log(v: Floats) -> Floats:
    out: Floats = np.log(np.clip(v, 1e-3, 50)) / 2
    return out
