"""Seasons too long to look up step by step: forecast blocks of steps, and single steps only nearby.

The network reads 512 steps, less than two days of five-minute values. For a season over 168 steps the history is also
averaged into blocks so that a season has 48 to 100 of them, and the block forecast, drawn as lines between block
centres, takes over from the step forecast within the first four blocks.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from services.forecaster.history import History
from services.forecaster.paths import Fan
from services.forecaster.scaling import Floats
from services.forecaster.season import Seasons

_LONG: Final = 168
_MOST, _LEAST = 100, 48
_HAND_OVER: Final = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """A history in blocks of `size` steps, how many blocks ahead and how many single steps are wanted."""

    history: History
    size: int
    blocks: int
    steps: int


def applies(history: History) -> bool:
    """Whether the season is too long to look up and shown at least once."""
    season = history.seasons
    return season.second == 1 and _LONG < season.first <= len(history.values)


def plan(history: History, steps: int) -> Plan:
    """Blocks for a history and a number of steps after its last value."""
    season = history.seasons.first
    size = block_size(season)
    values = _means(history.values, size)
    per_season = round(season / size)
    blocks = History(values, seasons=Seasons(per_season, 1, per_season))
    return Plan(blocks, size, -(-steps // size) + 1, min(steps, _HAND_OVER * size))


def join(plan: Plan, near: Fan, far: Fan, steps: int, last: float) -> Fan:
    """One fan of `steps`: the forecast `near` fades into the block forecast `far`, which starts at the last value."""
    ahead = np.arange(1, steps + 1)
    centres = np.r_[0.0, (np.arange(len(far.median)) + 0.5) * plan.size + 0.5]
    median = np.interp(ahead, centres, np.r_[last, far.median])
    tracks = [np.interp(ahead, centres, np.r_[0.0, track]) for track in far.distance.T]
    distance = np.stack(tracks, axis=1)
    share = np.maximum(1 - np.arange(plan.steps) / plan.steps, 0)
    median[: plan.steps] = share * near.median + (1 - share) * median[: plan.steps]
    distance[: plan.steps] = share[:, None] * near.distance + (1 - share)[:, None] * distance[: plan.steps]
    return Fan(median, distance)


def block_size(season: int) -> int:
    """Steps per block: the size that divides the season best, the smallest of equally good ones."""
    sizes = range(-(-season // _MOST), season // _LEAST + 1)
    return min(sizes, key=lambda k: (abs(season / k - round(season / k)) / round(season / k), k))


def _means(values: Floats, size: int) -> Floats:
    """Means of blocks that end with the last value; NaN where nothing was observed."""
    blocks = values[len(values) % size :].reshape(-1, size)
    seen = np.isfinite(blocks)
    count = seen.sum(1)
    total = np.where(seen, blocks / size, 0.0).sum(1) * (size / np.maximum(count, 1))
    out: Floats = np.where(count > 0, total, np.nan)
    return out
