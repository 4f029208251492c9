"""ISO 8601 time stamps: read with their style, so that the future is written in the same style."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_STAMP: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:(?P<gap>[T ])(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<part>[.,]\d{1,6})?)?"
    r"(?P<offset>Z|[+-]\d{2}(?::?\d{2})?)?(?:\[(?P<zone>[A-Za-z0-9_+\-/]{1,64})\])?)?)?)?"
)


class StampError(ValueError):
    """The text is not a time stamp; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a stamp was written: its precision, separator, offset form and zone."""

    precision: str
    """year, month, day, minute, second or microsecond."""
    gap: str = "T"
    zulu: bool = False
    zone: str = ""

    def write(self, moment: datetime) -> str:
        """The moment in this style."""
        if self.precision in ("year", "month", "day"):
            return moment.date().isoformat()[: {"year": 4, "month": 7, "day": 10}[self.precision]]
        text = moment.isoformat(sep=self.gap, timespec=self._timespec())
        if self.zulu and text.endswith("+00:00"):
            text = text[:-6] + "Z"
        return f"{text}[{self.zone}]" if self.zone else text

    def _timespec(self) -> str:
        return {"minute": "minutes", "second": "seconds"}.get(self.precision, "microseconds")


@dataclass(frozen=True, slots=True)
class Stamp:
    """One stamp: the local moment, with its offset or zone where one was given."""

    moment: datetime
    style: Style

    @property
    def aware(self) -> bool:
        """Whether an offset or zone was given."""
        return self.moment.tzinfo is not None

    @property
    def local(self) -> datetime:
        """What the wall clock showed."""
        return self.moment.replace(tzinfo=None)

    def instant(self) -> datetime:
        """The moment on one axis for all stamps of a kind: UTC, or the wall clock without offset."""
        return self.moment.astimezone(UTC).replace(tzinfo=None) if self.aware else self.moment


def read(text: str) -> Stamp:
    """Parse a date or date-time: `2026-05-31`, `2026-05`, `2026`, `2026-05-31T14:00[:30[.5]]` with `Z`, an offset
    and/or a zone in brackets (RFC 9557: `2026-10-25T02:30+02:00[Europe/Berlin]`).

    Raises StampError.
    """
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        raise StampError(f"{text[:40]!r} is not an ISO 8601 date or date-time")
    g = match.groupdict()
    try:
        day = date(int(g["year"]), int(g["month"] or 1), int(g["day"] or 1))
        if g["gap"] is None:
            precision = "day" if g["day"] else "month" if g["month"] else "year"
            return Stamp(datetime.combine(day, datetime.min.time()), Style(precision))
        micro = int((g["part"] or ".0")[1:].ljust(6, "0"))
        wall = datetime(day.year, day.month, day.day, int(g["hour"]), int(g["minute"]), int(g["second"] or 0), micro)
        precision = "microsecond" if g["part"] else "second" if g["second"] else "minute"
        style = Style(precision, g["gap"], g["offset"] == "Z", g["zone"] or "")
        return Stamp(_attach(wall, g["offset"], g["zone"]), style)
    except OverflowError as error:
        raise StampError(f"{text[:40]!r} is out of range") from error
    except ValueError as error:
        raise StampError(f"{text[:40]!r}: {error}") from error


def _attach(wall: datetime, offset: str | None, zone: str | None) -> datetime:
    fixed = _offset(offset) if offset else None
    if not zone:
        return wall.replace(tzinfo=fixed)
    named = _zone(zone)
    if fixed is None:
        return wall.replace(tzinfo=named)
    moment = wall.replace(tzinfo=fixed).astimezone(named)
    if moment.utcoffset() != fixed.utcoffset(None) and offset != "Z":
        raise ValueError(f"offset {offset} is not in force in {zone} then")
    return moment


def _offset(text: str) -> timezone:
    if text == "Z":
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    delta = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-delta if text[0] == "-" else delta)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name}") from error
