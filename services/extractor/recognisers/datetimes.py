"""Moments: a date and a time that stand together."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.extractor.values import Candidate

_ISO = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?![\d:])")
_LOG = re.compile(r"(?<!\d)(\d{2}/[A-Z][a-z]{2}/\d{4}):(\d{2}:\d{2}:\d{2})(?:\s[+-]\d{4})?")
_BETWEEN = re.compile(
    r"[\s,T(–-]*(?:at|um|à|a las|kl\.?|@|from|gegen|ab)?[\s(]*|,?\s(?:on|am|le|el)\s(?:the\s)?(?:[A-Z]\w+day,?\s)?",
    re.I,
)


def find(text: str, dates: Sequence[Candidate], times: Sequence[Candidate]) -> Iterator[Candidate]:
    """Joins neighbours with nothing but a connecting word between them; the zone stays outside the value."""
    for pattern, form in ((_ISO, "%Y-%m-%d"), (_LOG, "%d/%b/%Y")):
        for match in pattern.finditer(text):
            try:
                day, clock = dt.datetime.strptime(match[1], form).date(), dt.time.fromisoformat(match[2])
            except ValueError:
                continue
            yield Candidate(*match.span(), "datetime", dt.datetime.combine(day, clock))
    ordered = sorted([*dates, *times], key=lambda c: c.start)
    for left, right in pairwise(ordered):
        if {left.kind, right.kind} != {"date", "time"} or left.end > right.start:
            continue
        if right.start - left.end > 24 or not _BETWEEN.fullmatch(text, left.end, right.start):
            continue
        date, time = (left, right) if left.kind == "date" else (right, left)
        value = _join(date.value, time.value)
        other = _join(date.other, time.value)
        yield Candidate(left.start, right.end, "datetime", value, other, sure=date.sure and time.sure)


def _join(day: object, clock: object) -> dt.datetime | None:
    if isinstance(day, dt.date) and isinstance(clock, dt.time):
        return dt.datetime.combine(day, clock)
    return None
