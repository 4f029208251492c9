"""Calendar dates in digits and with month names."""

import bisect
import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.extractor.recognisers.conventions import Conventions
from services.extractor.recognisers.months import alternation, months
from services.extractor.values import Candidate

_YMD = re.compile(r"(?<![\d/.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?![-/.]\d)")
_CJK = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_PACKED = re.compile(r"(?<![\w-])(20\d{2}|19\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\w-])")
_WEEK = re.compile(r"(?<!\w)(\d{4})-W(\d{2})(?:-([1-7]))?(?!\w)")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?![\d.]*\d)")
_SLASHED = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-])")
_SHORT_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?!\d)(?=\s|$|[,;)])")
_SHORT_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/.-])")
_DATE_CUE = re.compile(
    r"(?:\bon|\bdate|\bdue|\bby|\bsince|\bfrom|\bam|\ble|\bvom|\buntil|\btill|\bbis|day)\s*:?\s*(?:the\s)?$", re.I
)


@lru_cache(maxsize=1)
def _named() -> tuple[re.Pattern[str], ...]:
    month = alternation("months")
    year = r"(?P<year>\d{4}|'\d{2}|(?<=[-/])\d{2})"
    return (
        re.compile(rf"(?<![\w.,])(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?:[\s/-]|\sof\s|\sde\s|\sday "
            rf"of\s)?[\s]?(?P<month>{month})\b\.?"
                   rf"(?:,?[\s/-]+(?:de\s|del\s|of\s)?{year}(?![\d]))?", re.I),
        re.compile(rf"(?<!\w)(?P<month>{month})\b\.?[\s-](?:the\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|[.,]\d|\s?(?:am|pm)\b)"
                   rf"(?:,?\s?(?P<year>\d{{4}})(?!\d)|,?\s(?P<short>'\d{{2}}))?", re.I),
        re.compile(rf"(?<!\w)(?P<day>\d{{1,2}})(?P<month>{month})(?P<year>\d{{4}}|\d{{2}})(?!\w)", re.I),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Anchor:
    """What dates without a year are measured from."""

    reference: dt.date | None = None
    document: tuple[tuple[int, dt.date], ...] = ()

    def near(self, at: int) -> dt.date | None:
        """The reference date, else the full date that stands nearest to position `at`."""
        if self.reference is not None or not self.document:
            return self.reference
        after = bisect.bisect(self.document, at, key=lambda found: found[0])
        return min(self.document[max(0, after - 1) : after + 1], key=lambda found: abs(found[0] - at))[1]


def _year(digits: str) -> int:
    year = int(digits.lstrip("'"))
    return year if len(digits.lstrip("'")) == 4 else year + (2000 if year < 70 else 1900)


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def closest_year(month: int, day: int, anchor: dt.date) -> dt.date | None:
    """The date with this month and day that is nearest to the anchor."""
    found = [d for y in (anchor.year - 1, anchor.year, anchor.year + 1) if (d := _date(y, month, day))]
    return min(found, key=lambda d: abs((d - anchor).days)) if found else None


def _ordered(a: int, b: int, year: int, day_first: bool | None) -> tuple[dt.date | None, dt.date | None]:
    by_day, by_month = _date(year, b, a), _date(year, a, b)
    if by_day is None or by_month is None or by_day == by_month:
        return by_day or by_month, None
    if day_first is not None:
        return (by_day if day_first else by_month), None
    return by_day, by_month


def find(text: str, conventions: Conventions, *, reference: dt.date | None = None) -> Iterator[Candidate]:
    """Dates in order of certainty; places do not overlap."""
    owned = bytearray(len(text))
    full = list(_drop_overlaps(_full(text, conventions), owned))
    yield from full
    anchor = Anchor(
        reference, tuple(sorted((c.start, c.value) for c in full if isinstance(c.value, dt.date) and c.other is None))
    )
    yield from _drop_overlaps(_yearless(text, conventions, anchor), owned)


def _drop_overlaps(found: Iterator[Candidate], owned: bytearray) -> Iterator[Candidate]:
    for candidate in found:
        if not any(owned[candidate.start : candidate.end]):
            owned[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
            yield candidate


def _full(text: str, conventions: Conventions) -> Iterator[Candidate]:
    for pattern in (_YMD, _CJK):
        for match in pattern.finditer(text):
            parts = [int(part) for part in match.groups() if part.isdigit()]
            if value := _date(*parts):
                yield Candidate(*match.span(), "date", value)
    for match in _WEEK.finditer(text):
        try:
            yield Candidate(
                *match.span(), "date", dt.date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 1))
            )
        except ValueError:
            continue
    for pattern in _named():
        for match in pattern.finditer(text):
            named = match.groupdict()
            year = named.get("year") or named.get("short")
            if year and (value := _date(_year(year), months()[named["month"].lower().rstrip(".")], int(named["day"]))):
                yield Candidate(*match.span(), "date", value)
    for match in _DOTTED.finditer(text):
        if value := _date(_year(match[3]), int(match[2]), int(match[1])):
            yield Candidate(*match.span(), "date", value)
    for match in _SLASHED.finditer(text):
        value, other = _ordered(int(match[1]), int(match[3]), _year(match[4]), conventions.day_first)
        if value:
            yield Candidate(*match.span(), "date", value, other)
    for match in _PACKED.finditer(text):
        if value := _date(int(match[1]), int(match[2]), int(match[3])):
            yield Candidate(*match.span(), "date", value)


def _yearless(text: str, conventions: Conventions, anchor: Anchor) -> Iterator[Candidate]:
    for pattern in _named()[:2]:
        for match in pattern.finditer(text):
            month, day = months()[match["month"].lower().rstrip(".")], int(match["day"])
            if (match["month"].lower() in ("may", "mar", "sept") and match["month"].islower()) or not 1 <= day <= 31:
                continue
            end = match.end() - match[0].endswith(".")
            near = anchor.near(match.start())
            yield Candidate(match.start(), end, "date", closest_year(month, day, near) if near else None, sure=False)
    for match in _SHORT_DOTTED.finditer(text):
        near = anchor.near(match.start())
        if 1 <= int(match[2]) <= 12 and 1 <= int(match[1]) <= 31:
            yield Candidate(
                *match.span(), "date", closest_year(int(match[2]), int(match[1]), near) if near else None, sure=False
            )
    for match in _SHORT_SLASHED.finditer(text):
        near = anchor.near(match.start())
        if near is None or not _DATE_CUE.search(text, max(0, match.start() - 16), match.start()):
            continue
        value, other = _ordered(int(match[1]), int(match[2]), near.year, conventions.day_first)
        if value:
            yield Candidate(*match.span(), "date", value, other, sure=False)
