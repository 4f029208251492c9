"""Regular time grids: where a stamp stands on its grid, and which moments come next.

Clock grids (below one day) count elapsed time between instants, so a repeated or skipped local hour is no error when
offsets or a zone are given. Grids of days, business days, weeks and months count on the local calendar, so a daily
stamp keeps its wall-clock time over a change of daylight saving, and the 31st becomes the last day of shorter months.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Final, Protocol

from services.forecaster import season
from services.forecaster.stamps import Stamp

FREQUENCIES: Final = ("minute", "hour", "day", "business_day", "week", "month", "quarter", "year")

_UNIT_S: Final = {"minute": 60, "hour": 3_600}
_UNIT_DAYS: Final = {"day": 1, "week": 7}
_UNIT_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_DAY_S: Final = 86_400
_SHORTEST_MONTH: Final = 28
_SATURDAY: Final = 5
_WORKDAYS: Final = 5


class GridError(ValueError):
    """A stamp does not fit; `index` names it (-1: the frequency or the stamps as a whole)."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class Grid(Protocol):
    """A regular sequence of moments; position 0 is the first stamp."""

    @property
    def season(self) -> int:
        """Steps per season by the calendar, 1 for none."""

    def position(self, stamp: Stamp) -> int | None:
        """Steps from the first stamp, None when off the grid."""

    def moment(self, position: int, like: Stamp) -> datetime:
        """The moment at a position, with the zone or offset of `like`. Raises OverflowError after the year 9999."""


@dataclass(frozen=True, slots=True)
class ClockGrid:
    """Equal steps of elapsed time."""

    start: datetime
    step_us: int

    @property
    def season(self) -> int:
        """Steps per day, else per hour."""
        return season.of_clock(self.step_us / 1e6)

    def position(self, stamp: Stamp) -> int | None:
        """Steps of elapsed time."""
        steps, rest = divmod(_microseconds(stamp.instant() - self.start), self.step_us)
        return None if rest else steps

    def moment(self, position: int, like: Stamp) -> datetime:
        """Start plus elapsed time, on the wall clock of `like`."""
        instant = self.start + timedelta(microseconds=self.step_us * position)
        if like.moment.tzinfo is None:
            return instant
        return instant.replace(tzinfo=UTC).astimezone(like.moment.tzinfo)


@dataclass(frozen=True, slots=True)
class DayGrid:
    """Every `days` days at the same wall-clock time."""

    start: datetime
    days: int

    @property
    def season(self) -> int:
        """A week of days, a year of weeks."""
        return season.of_days(self.days)

    def position(self, stamp: Stamp) -> int | None:
        """Steps between local dates."""
        if stamp.local.time() != self.start.time():
            return None
        steps, rest = divmod((stamp.local.date() - self.start.date()).days, self.days)
        return None if rest else steps

    def moment(self, position: int, like: Stamp) -> datetime:
        """The local date at the wall-clock time."""
        return _in_zone(self.start + timedelta(days=self.days * position), like)


@dataclass(frozen=True, slots=True)
class BusinessGrid:
    """Monday to Friday at the same wall-clock time; public holidays are missing steps."""

    start: datetime

    @property
    def season(self) -> int:
        """A working week."""
        return _WORKDAYS

    def position(self, stamp: Stamp) -> int | None:
        """Working days between local dates."""
        if stamp.local.time() != self.start.time() or stamp.local.weekday() >= _SATURDAY:
            return None
        return _workday(stamp.local.date()) - _workday(self.start.date())

    def moment(self, position: int, like: Stamp) -> datetime:
        """The working day at the wall-clock time."""
        weeks, day = divmod(_workday(self.start.date()) + position, _WORKDAYS)
        return _in_zone(datetime.combine(date.fromordinal(weeks * 7 + day + 1), self.start.time()), like)


@dataclass(frozen=True, slots=True)
class MonthGrid:
    """Every `months` months on one day of the month, or the last day where a month is shorter."""

    start: datetime
    months: int
    day: int

    @property
    def season(self) -> int:
        """Steps per year."""
        return season.of_months(self.months)

    def position(self, stamp: Stamp) -> int | None:
        """Steps between months."""
        local = stamp.local
        if local.time() != self.start.time() or local.day != _day_in(local.year, local.month, self.day):
            return None
        steps, rest = divmod(_month(local) - _month(self.start), self.months)
        return None if rest else steps

    def moment(self, position: int, like: Stamp) -> datetime:
        """The day in that month at the wall-clock time."""
        year, month = divmod(_month(self.start) + self.months * position, 12)
        if year > date.max.year:
            raise OverflowError("after the year 9999")
        day = _day_in(year, month + 1, self.day)
        return _in_zone(datetime.combine(date(year, month + 1, day), self.start.time()), like)


def infer(stamps: Sequence[Stamp], frequency: str | None) -> Grid:
    """The grid that the stamps stand on: the stated frequency, or the commonest step.

    The step of a stated frequency may be a whole multiple, such as 15 minutes for `minute`. Raises GridError.
    """
    _check_kind(stamps)
    if frequency is None and len(stamps) < 2:
        raise GridError(-1, "one time stamp does not show a frequency: state it")
    first = stamps[0].local
    if frequency in _UNIT_S:
        return _clock(stamps, _UNIT_S[frequency] * 1_000_000)
    if frequency == "business_day":
        return BusinessGrid(first)
    if frequency in _UNIT_DAYS:
        return DayGrid(first, _common_step(_day_gaps(stamps), unit=_UNIT_DAYS[frequency]))
    day = max(s.local.day for s in stamps)
    if frequency in _UNIT_MONTHS:
        return MonthGrid(first, _common_step(_month_gaps(stamps), unit=_UNIT_MONTHS[frequency]), day)
    if (
        len({s.local.time() for s in stamps}) > 1
        or _common_step(_instant_gaps(stamps), unit=1) < _DAY_S * 1_000_000 * 0.9
    ):
        return _clock(stamps, 1)
    gaps = _day_gaps(stamps)
    if min(gaps) >= _SHORTEST_MONTH and all(s.local.day == _day_in(s.local.year, s.local.month, day) for s in stamps):
        return MonthGrid(first, _common_step(_month_gaps(stamps), unit=1), day)
    if _common_step(gaps, unit=1) == 1 and _skips_weekends(stamps):
        return BusinessGrid(first)
    return DayGrid(first, _common_step(gaps, unit=1))


def positions(grid: Grid, stamps: Sequence[Stamp]) -> list[int]:
    """Strictly rising positions of all stamps. Raises GridError at the first that is off the grid, early or doubled."""
    out: list[int] = []
    for i, stamp in enumerate(stamps):
        position = grid.position(stamp)
        if position is None:
            raise GridError(i, f"{_text(stamp)} is off the grid of the other time stamps")
        if out and position <= out[-1]:
            what = "repeats" if position == out[-1] else "is earlier than"
            raise GridError(i, f"{_text(stamp)} {what} the time stamp before it")
        out.append(position)
    return out


def season_of(frequency: str) -> int:
    """Steps per season of a frequency without stamps, 1 for none."""
    if frequency in _UNIT_S:
        return season.of_clock(_UNIT_S[frequency])
    if frequency in _UNIT_DAYS:
        return season.of_days(_UNIT_DAYS[frequency])
    return _WORKDAYS if frequency == "business_day" else season.of_months(_UNIT_MONTHS[frequency])


def _check_kind(stamps: Sequence[Stamp]) -> None:
    for i, stamp in enumerate(stamps):
        if stamp.aware != stamps[0].aware:
            raise GridError(i, "time stamps with and without an offset are mixed")
    for i, (a, b) in enumerate(pairwise(stamps), start=1):
        if b.instant() <= a.instant():
            what = "repeats" if b.instant() == a.instant() else "is earlier than"
            raise GridError(i, f"{_text(b)} {what} the time stamp before it")


def _clock(stamps: Sequence[Stamp], unit_us: int) -> ClockGrid:
    """The commonest step; the start is moved to the phase that most stamps share."""
    step = _common_step(_instant_gaps(stamps), unit=unit_us)
    start = stamps[0].instant()
    phase = Counter(_microseconds(s.instant() - start) % step for s in stamps).most_common(1)[0][0]
    return ClockGrid(start + timedelta(microseconds=phase - step if phase else 0), step)


def _common_step(gaps: Sequence[int], *, unit: int) -> int:
    """The commonest gap, the shortest one among equally common; the unit itself when it does not divide that."""
    if not gaps:
        return unit
    most = Counter(gaps)
    top = max(most.values())
    step = min(g for g, n in most.items() if n == top)
    return step if step > 0 and step % unit == 0 else unit


def _instant_gaps(stamps: Sequence[Stamp]) -> list[int]:
    return [_microseconds(b.instant() - a.instant()) for a, b in pairwise(stamps)]


def _day_gaps(stamps: Sequence[Stamp]) -> list[int]:
    return [(b.local.date() - a.local.date()).days for a, b in pairwise(stamps)]


def _month_gaps(stamps: Sequence[Stamp]) -> list[int]:
    return [_month(b.local) - _month(a.local) for a, b in pairwise(stamps)]


def _skips_weekends(stamps: Sequence[Stamp]) -> bool:
    """At least one weekend lies between the stamps, and none of them is on one."""
    crossed = any(b.local.weekday() < a.local.weekday() for a, b in pairwise(stamps))
    return crossed and all(s.local.weekday() < _SATURDAY for s in stamps)


def _microseconds(delta: timedelta) -> int:
    return delta // timedelta(microseconds=1)


def _month(moment: datetime) -> int:
    return moment.year * 12 + moment.month - 1


def _day_in(year: int, month: int, day: int) -> int:
    return min(day, monthrange(year, month)[1])


def _workday(day: date) -> int:
    weeks, weekday = divmod(day.toordinal() - 1, 7)
    return weeks * _WORKDAYS + weekday


def _in_zone(local: datetime, like: Stamp) -> datetime:
    return local.replace(tzinfo=like.moment.tzinfo)


def _text(stamp: Stamp) -> str:
    return stamp.style.write(stamp.moment)
