"""Dates said relative to the reference date: tomorrow, next Friday, in two weeks, end of next month."""

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from functools import lru_cache

from services.extractor.recognisers import words
from services.extractor.recognisers.months import alternation, weekdays
from services.extractor.values import Candidate

_DAYS = {
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2, "day before yesterday": -2,
    "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "heute": 0, "übermorgen": 2, "gestern": -1,
    "vorgestern": -2,
    "aujourd'hui": 0, "aujourd’hui": 0, "demain": 1, "après-demain": 2, "hier": -1, "hoy": 0, "ayer": -1,
    "pasado mañana": 2,
}  # fmt: skip
_SIMPLE = re.compile(r"(?<!\w)(?:" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")(?!\w)", re.I)
# Lower case only: "Morgen" is the morning, "mañana" after an article too.
_CASED = re.compile(r"(?<!\w)morgen(?!\w)|(?<!la )(?<!\w)mañana(?!\w)")
_UNITS = {
    "day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "month": 0, "months": 0, "year": 0, "years": 0,
    "tag": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": 0, "monaten": 0, "jour": 1, "jours": 1, "semaine": 7,
    "semaines": 7,
    "mois": 0, "día": 1, "días": 1, "semana": 7, "semanas": 7, "mes": 0, "meses": 0,
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_IN = re.compile(rf"(?<!\w)(?:in|dans|en|dentro de)\s(?P<count>\w+)\s(?P<unit>{_UNIT})(?:['’]? time)?(?!\w)", re.I)
_AGO = re.compile(
    rf"(?<!\w)(?:(?P<count>\w+)\s(?P<unit>{_UNIT})\sago|vor\s(?P<count2>\w+)\s(?P<unit2>{_UNIT})"
    rf"|il y a\s(?P<count3>\w+)\s(?P<unit3>{_UNIT})|hace\s(?P<count4>\w+)\s(?P<unit4>{_UNIT}))(?!\w)",
    re.I,
)
_END = re.compile(
    r"(?<!\w)(?:the\s)?(?P<edge>end|start|beginning|first day|last day) of (?:(?P<which>this|next|last|"
    r"the)\s)?(?P<unit>month|year|week)(?!\w)",
    re.I,
)
_ASK = {"next": 1, "nächsten": 1, "nächster": 1, "kommenden": 1, "prochain": 1, "próximo": 1, "last": -1, "letzten": -1,
        "this": 0, "coming": 1, "diesen": 0}  # fmt: skip
_ONES = {"a": 1, "an": 1, "one": 1, "einem": 1, "einer": 1, "ein": 1, "un": 1, "une": 1, "una": 1, "uno": 1}


@lru_cache(maxsize=1)
def _weekday() -> re.Pattern[str]:
    ask = "|".join(_ASK)
    return re.compile(
        rf"(?<!\w)(?:(?P<ask>{ask})\s)?(?P<day>{alternation('weekdays')})\b(?:\s(?P<after>next week|of next "
        rf"week|prochain|próximo|dernier))?",
        re.I,
    )


def shift(day: dt.date, months: int) -> dt.date:
    """Adds calendar months; the day is cut to the length of the month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _count(word: str) -> int | None:
    if word.isdigit():
        return int(word) if len(word) < 5 else None
    if word.lower() in _ONES:
        return _ONES[word.lower()]
    found = [int(value) for _, _, value in words.find(word)]
    return found[0] if found else None


def _move(reference: dt.date, count: int, unit: str) -> dt.date | None:
    size = _UNITS[unit]
    try:
        if size:
            return reference + dt.timedelta(days=count * size)
        return shift(reference, count * (12 if unit.startswith("year") else 1))
    except (OverflowError, ValueError):
        return None


def _edge(reference: dt.date, edge: str, which: str | None, unit: str) -> dt.date:
    step = {"next": 1, "last": -1}.get((which or "").lower(), 0)
    first = edge in ("start", "beginning", "first day")
    if unit == "week":
        monday = reference - dt.timedelta(days=reference.weekday()) + dt.timedelta(weeks=step)
        return monday if first else monday + dt.timedelta(days=6)
    if unit == "year":
        return dt.date(reference.year + step, 1, 1) if first else dt.date(reference.year + step, 12, 31)
    month = shift(reference.replace(day=1), step)
    return month if first else shift(month, 1) - dt.timedelta(days=1)


def _named_day(reference: dt.date, match: re.Match[str]) -> dt.date:
    wanted = weekdays()[match["day"].lower()]
    ahead = (wanted - reference.weekday()) % 7
    ask = (match["ask"] or "").lower()
    after = (match["after"] or "").lower()
    if "next week" in after:
        return reference - dt.timedelta(days=reference.weekday()) + dt.timedelta(days=7 + wanted)
    if _ASK.get(ask) == -1 or after == "dernier":
        return reference - dt.timedelta(days=(reference.weekday() - wanted) % 7 or 7)
    if _ASK.get(ask) == 1 or after in ("prochain", "próximo"):
        return reference + dt.timedelta(days=ahead or 7)
    return reference + dt.timedelta(days=ahead)


def find(text: str, reference: dt.date | None) -> Iterator[Candidate]:
    """Relative dates; without a reference date the value is None."""
    for pattern in (_SIMPLE, _CASED):
        for match in pattern.finditer(text):
            days = _DAYS.get(match[0].lower(), 1)
            yield Candidate(*match.span(), "date", reference + dt.timedelta(days=days) if reference else None)
    for match in _IN.finditer(text):
        count = _count(match["count"])
        if count is not None:
            yield Candidate(
                *match.span(), "date", _move(reference, count, match["unit"].lower()) if reference else None
            )
    for match in _AGO.finditer(text):
        number, unit = [part for part in match.groups() if part]
        count = _count(number)
        if count is not None:
            yield Candidate(*match.span(), "date", _move(reference, -count, unit.lower()) if reference else None)
    for match in _END.finditer(text):
        value = _edge(reference, match["edge"].lower(), match["which"], match["unit"].lower()) if reference else None
        yield Candidate(*match.span(), "date", value)
    for match in _weekday().finditer(text):
        if match["day"].isupper() or match["day"][0].isupper() or match["ask"]:
            if len(match["day"]) > 3 or match["ask"]:
                yield Candidate(*match.span(), "date", _named_day(reference, match) if reference else None, sure=False)
        elif len(match["day"]) >= 6:
            yield Candidate(*match.span(), "date", _named_day(reference, match) if reference else None, sure=False)
