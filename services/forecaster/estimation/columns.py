"""Records as columns of numbers. What is read of a key is decided by the records that state the target alone."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from services.forecaster.cells import EMPTY, Cell, Kind
from services.forecaster.dates import AmbiguousDates, iso_column, looks_like_date
from services.forecaster.estimation.limits import MAX_COLUMNS
from services.forecaster.estimation.records import Cells, days

_MOST_NAMES: Final = 12
_YEAR_DAYS: Final = 365.2425
_SEASON_SHOWN: Final = 180.0
_MOSTLY: Final = 0.5

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Columns:
    """`stated` (n, c) and `asked` (q, c) with NaN where missing, `used` and `unused` keys, and notes per asked row."""

    stated: Floats
    asked: Floats
    used: tuple[str, ...]
    unused: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]


def build(stated: Sequence[Cells], asked: Sequence[Cells]) -> Columns:
    """Columns of all keys of the stated records, in alphabetical order of the keys."""
    keys = sorted({key for cells in stated for key in cells})
    left: list[list[Floats]] = []
    used, unused = [], []
    notes: list[list[str]] = [[] for _ in asked]
    for key in keys:
        ours = [cells.get(key, EMPTY) for cells in stated]
        theirs = [cells.get(key, EMPTY) for cells in asked]
        made = [both for both in _columns(ours, theirs) if _varies(both[0])]
        room = sum(len(part) for part in left) + len(made) <= MAX_COLUMNS
        if made and room:
            left.append([np.concatenate(both) for both in made])
            used.append(key)
            for i, cell in enumerate(theirs):
                notes[i] += _row_notes(key, cell, ours)
        else:
            unused.append(key)
    n = len(stated)
    both = np.stack([c for part in left for c in part], 1) if left else np.zeros((n + len(asked), 0))
    return Columns(both[:n], both[n:], tuple(used), tuple(unused), tuple(map(tuple, notes)))


def _varies(column: Floats) -> bool:
    seen = column[np.isfinite(column)]
    return len(seen) > 0 and (len(seen) < len(column) or bool(np.ptp(seen) > 0))


def _row_notes(key: str, cell: Cell, ours: list[Cell]) -> list[str]:
    if cell.kind is Kind.NOTHING:
        return [f"not_stated:{key}"]
    if cell.kind is Kind.TEXT and _key_kind(ours) == "names" and _name(cell) not in {_name(c) for c in ours}:
        return [f"new_name:{key}"]
    return []


def _columns(ours: list[Cell], theirs: list[Cell]) -> list[tuple[Floats, Floats]]:
    kind = _key_kind(ours)
    if kind == "numbers":
        return [(_numbers(ours, ours), _numbers(theirs, ours))]
    if kind == "dates":
        return _dates(ours, theirs)
    if kind == "names":
        return _names(ours, theirs)
    return []


def _key_kind(cells: list[Cell]) -> str:
    present = [c for c in cells if c.kind is not Kind.NOTHING]
    if not present:
        return "nothing"
    figures = [c for c in present if c.kind is not Kind.TEXT]
    units = {c.unit for c in figures}
    if len(figures) > _MOSTLY * len(present) and len(units) == 1:
        return "numbers"
    if all(c.kind is Kind.TEXT and looks_like_date(c.text) for c in present):
        return "dates"
    return "names"


def _numbers(cells: list[Cell], ours: list[Cell]) -> Floats:
    unit = next(c.unit for c in ours if c.kind in (Kind.NUMBER, Kind.TRUTH))
    # A number in another unit says nothing about its size.
    return np.array([c.number if c.unit == unit and abs(c.number) < 1e100 else math.nan for c in cells])


def _dates(ours: list[Cell], theirs: list[Cell]) -> list[tuple[Floats, Floats]]:
    """The day, and the season of the year where the records cover half a year, and the weekend."""
    cells = [*ours, *theirs]
    try:
        texts = iso_column([c.text if c.kind is Kind.TEXT else "" for c in cells])
    except AmbiguousDates:
        return []
    day = np.array([days(text)[0] if text else math.nan for text in texts])
    made = [day]
    n = len(ours)
    if np.ptp(day[:n][np.isfinite(day[:n])]) > _SEASON_SHOWN:
        angle = 2 * np.pi * day / _YEAR_DAYS
        made += [np.sin(angle), np.cos(angle)]
    weekday = np.floor(day + 3) % 7
    made.append(np.where(np.isfinite(day), (weekday >= 5).astype(np.float64), np.nan))
    return [(column[:n], column[n:]) for column in made]


def _names(ours: list[Cell], theirs: list[Cell]) -> list[tuple[Floats, Floats]]:
    """One column per name that stands at least twice; one for both of two."""
    counts = Counter(_name(c) for c in ours if c.kind is not Kind.NOTHING)
    names = sorted((name for name, count in counts.items() if count > 1), key=lambda name: (-counts[name], name))
    names = names[:_MOST_NAMES]
    if len(counts) == 2 and len(names) == 2:
        names = names[1:]

    def column(cells: list[Cell], name: str) -> Floats:
        return np.array([math.nan if c.kind is Kind.NOTHING else float(_name(c) == name) for c in cells])

    return [(column(ours, name), column(theirs, name)) for name in names]


def _name(cell: Cell) -> str:
    return cell.text.casefold()
