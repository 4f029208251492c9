"""Dates as people write them, brought to ISO 8601: `3 Jan 2026`, `Jan 2026`, `03.01.2026`, `2026/1/3`, `2026-Q2`.

A day and month in figures with slashes or hyphens (`3/1/2026`) are read only where a column shows which comes first.
"""

import re
from collections.abc import Sequence
from typing import Final

from services.forecaster.stamps import StampError, read

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_CLOCK: Final = r"(?P<clock>[T ]\s?\d{1,2}:\d{2}(?::\d{2})?)?"
_FORMS: Final = tuple(
    re.compile(_WEEKDAY + form, re.IGNORECASE)
    for form in (
        r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})" + _CLOCK,
        r"(?P<y>\d{4})[/.](?P<m>\d{1,2})",
        r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})" + _CLOCK,
        r"(?P<d>\d{1,2})(?:st|nd|rd|th)?[\s\-](?P<name>[a-z]{3,9})\.?,?[\s\-](?P<y>\d{4})" + _CLOCK,
        r"(?P<name>[a-z]{3,9})\.?\s(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s(?P<y>\d{4})" + _CLOCK,
        r"(?P<name>[a-z]{3,9})\.?[\s\-](?P<y>\d{4})",
        r"(?P<y>\d{4})[\s\-]?q(?P<q>[1-4])",
        r"q(?P<q>[1-4])[\s\-/](?P<y>\d{4})",
    )
)
_FIGURES: Final = re.compile(_WEEKDAY + r"(?P<a>\d{1,2})[/\-](?P<b>\d{1,2})[/\-](?P<y>\d{4})" + _CLOCK, re.IGNORECASE)


class AmbiguousDates(ValueError):
    """Day and month cannot be told apart."""


def iso(text: str) -> str | None:
    """The date as ISO 8601, in its own precision; None where the text is not a date of a known, unambiguous form.

    A bare year is a number and not a date.
    """
    text = text.strip()
    if re.fullmatch(r"\d{1,6}", text):
        return None
    for form in _FORMS:
        match = form.fullmatch(text)
        if match:
            return _checked(_join(match.groupdict()))
    return _checked(text)


def looks_like_date(text: str) -> bool:
    """Whether `iso_column` may read the text."""
    return iso(text) is not None or _FIGURES.fullmatch(text.strip()) is not None


def iso_column(texts: Sequence[str]) -> list[str | None]:
    """`iso` of each text, with day and month in figures told apart by the whole column. Raises AmbiguousDates."""
    figures = [m for m in (_FIGURES.fullmatch(t.strip()) for t in texts) if m]
    if not figures:
        return [iso(t) for t in texts]
    day_first = any(int(m["a"]) > 12 for m in figures)
    month_first = any(int(m["b"]) > 12 for m in figures)
    if not day_first and not month_first:
        day_first, month_first = _steady(figures)
    if day_first == month_first:
        raise AmbiguousDates(f"day and month of {figures[0][0]!r} cannot be told apart; write dates as YYYY-MM-DD")
    return [_from_figures(t, day_first=day_first) or iso(t) for t in texts]


def _steady(figures: list[re.Match[str]]) -> tuple[bool, bool]:
    """Which reading makes every date the same day of a month: monthly data are written that way."""
    if len(figures) < 3:
        return False, False
    first = len({m["a"] for m in figures}) == 1
    second = len({m["b"] for m in figures}) == 1
    return first and not second, second and not first


def _from_figures(text: str, *, day_first: bool) -> str | None:
    match = _FIGURES.fullmatch(text.strip())
    if match is None:
        return None
    a, b = match["a"], match["b"]
    day, month = (a, b) if day_first else (b, a)
    return _checked(_join({"y": match["y"], "m": month, "d": day, "clock": match["clock"]}))


def _join(parts: dict[str, str | None]) -> str:
    if parts.get("q"):
        return f"{parts['y']}-{3 * int(parts['q'] or 1) - 2:02d}"
    month = _MONTHS.get((parts.get("name") or "").lower()) or int(parts.get("m") or 0)
    day = parts.get("d")
    clock = (parts.get("clock") or "").strip().lstrip("T").strip()
    text = f"{parts['y']}-{month:02d}" + (f"-{int(day):02d}" if day else "")
    return f"{text}T{clock.zfill(len(clock) + (clock.index(':') == 1))}" if clock else text


def _checked(text: str) -> str | None:
    try:
        read(text)
    except StampError:
        return None
    return text
