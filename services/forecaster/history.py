"""One series of a request, checked and laid on its grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from services.forecaster import grid as grids
from services.forecaster import season as seasons
from services.forecaster import stamps as iso
from services.forecaster.grid import Grid, GridError
from services.forecaster.limits import MAX_GAP, MAX_POINTS, MAX_SIZE
from services.forecaster.scaling import Floats
from services.forecaster.season import NO_SEASON, Seasons
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

SHORT: Final = 6
"""Fewer observed points than this are noted as a short history."""

_SEASONS_SHOWN: Final = 1.25


@dataclass(frozen=True, slots=True)
class SeriesInput:
    """A series as it was sent; see the proto for the meaning of each part."""

    values: Sequence[float]
    timestamps: Sequence[str] = ()
    season: int | None = None
    frequency: str | None = None


@dataclass(frozen=True, slots=True)
class Calendar:
    """What continues the time stamps of a series."""

    grid: Grid
    last: iso.Stamp
    end: int
    """Position of the last step of the history."""
    path: str

    def check(self, horizon: int) -> None:
        """Raise InvalidField when the horizon leads past the year 9999."""
        try:
            self.grid.moment(self.end + horizon, self.last)
        except (OverflowError, ValueError) as error:
            raise InvalidField(FieldViolation("horizon", f"{self.path} would go on past the year 9999")) from error

    def future(self, horizon: int) -> list[str]:
        """Stamps of the next steps, in the style of the last one of the history."""
        moments = [self.grid.moment(self.end + k, self.last) for k in range(1, horizon + 1)]
        return [self.last.style.write(m) for m in moments]


@dataclass(frozen=True, slots=True)
class History:
    """A series ready for the model.

    `values` end with the last observed one and hold NaN where a step is missing; `gap` is how many missing steps
    follow.
    """

    values: Floats
    gap: int = 0
    seasons: Seasons = NO_SEASON
    calendar: Calendar | None = None
    notes: tuple[str, ...] = ()

    @property
    def observed(self) -> int:
        """Observed points."""
        return int(np.isfinite(self.values).sum())


def read(series: SeriesInput, path: str) -> History:
    """Check a series and lay it on its grid; `path` names it in errors, for example `series[3]`.

    Raises InvalidField or InputTooLong.
    """
    values = _values(series, path)
    calendar, values = _on_grid(series, values, path)
    observed = np.flatnonzero(np.isfinite(values))
    if len(observed) == 0:
        raise InvalidField(FieldViolation(f"{path}.values", "has no observed value, all are missing", "all_missing"))
    gap = len(values) - 1 - int(observed[-1])
    if gap > MAX_GAP:
        raise InputTooLong("missing steps at the end", limit=MAX_GAP, actual=gap, field=f"{path}.values")
    values = values[observed[0] : observed[-1] + 1]
    found, notes = _seasons(series, calendar, values, path)
    if len(observed) < SHORT:
        notes.append("short_history")
    return History(values, gap, found, calendar, tuple(notes))


def _values(series: SeriesInput, path: str) -> Floats:
    values = np.asarray(series.values, np.float64)
    if len(values) == 0:
        raise InvalidField(FieldViolation(f"{path}.values", "is empty", "too_short"))
    if len(values) > MAX_POINTS:
        raise InputTooLong("points of a series", limit=MAX_POINTS, actual=len(values), field=f"{path}.values")
    for bad in np.flatnonzero(np.isinf(values) | (np.abs(np.nan_to_num(values)) > MAX_SIZE))[:1]:
        what = "is infinite" if np.isinf(values[bad]) else f"is beyond {MAX_SIZE:g}"
        raise InvalidField(FieldViolation(f"{path}.values[{bad}]", what))
    return values


def _on_grid(series: SeriesInput, values: Floats, path: str) -> tuple[Calendar | None, Floats]:
    """Where there are stamps: the calendar, and the values with a NaN for every step that has no stamp."""
    frequency = series.frequency or None
    if frequency is not None and frequency not in grids.FREQUENCIES:
        raise InvalidField(FieldViolation(f"{path}.frequency", f"must be one of {', '.join(grids.FREQUENCIES)}"))
    if not series.timestamps:
        return None, values
    if len(series.timestamps) != len(values):
        many = f"has {len(series.timestamps)} time stamps for {len(values)} values"
        raise InvalidField(FieldViolation(f"{path}.timestamps", many))
    stamps = [_stamp(text, f"{path}.timestamps[{i}]") for i, text in enumerate(series.timestamps)]
    try:
        grid = grids.infer(stamps, frequency)
        at = grids.positions(grid, stamps)
    except GridError as error:
        where = f"{path}.timestamps[{error.index}]" if error.index >= 0 else f"{path}.frequency"
        raise InvalidField(FieldViolation(where, str(error))) from error
    length = at[-1] - at[0] + 1
    if length > MAX_POINTS:
        raise InputTooLong("steps between the time stamps", limit=MAX_POINTS, actual=length, field=f"{path}.timestamps")
    filled = np.full(length, np.nan)
    filled[np.asarray(at) - at[0]] = values
    return Calendar(grid, stamps[-1], at[-1], path), filled


def _stamp(text: str, path: str) -> iso.Stamp:
    try:
        return iso.read(text)
    except iso.StampError as error:
        raise InvalidField(FieldViolation(path, str(error))) from error


def _seasons(series: SeriesInput, calendar: Calendar | None, values: Floats, path: str) -> tuple[Seasons, list[str]]:
    """Stated, by the calendar, or detected; a calendar season that the history does not show is dropped with a note."""
    if series.season is not None:
        if series.season > seasons.LONGEST:
            limit = f"must be at most {seasons.LONGEST} steps"
            raise InvalidField(FieldViolation(f"{path}.season", limit))
        return seasons.with_longer(seasons.from_steps(series.season), len(values)), []
    if calendar is not None:
        steps = calendar.grid.season
    elif series.frequency:
        steps = grids.season_of(series.frequency)
    else:
        return seasons.with_longer(seasons.from_steps(seasons.detect(values)), len(values)), []
    if steps > 1 and len(values) < _SEASONS_SHOWN * steps:
        return NO_SEASON, ["season_not_shown"]
    return seasons.with_longer(seasons.from_steps(steps), len(values)), []
