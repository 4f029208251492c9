"""Lengths of time."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from services.extractor.recognisers import numbers, words
from services.extractor.recognisers.conventions import Conventions
from services.extractor.values import Candidate, Duration

_UNITS = {
    "seconds": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos",
    "minutes": "min mins minute minutes minuten minuto minutos",
    "hours": "h hr hrs hour hours stunde stunden std heure heures hora horas",
    "days": "d day days night nights tag tage tagen jour jours día días dia dias",
    "weeks": "w wk wks week weeks woche wochen semaine semaines semana semanas",
    "months": "month months mo mos monat monate monaten mois mes meses",
    "years": "y yr yrs year years jahr jahre jahren an ans année années año años",
}
_UNIT = {word: unit for unit, listed in _UNITS.items() for word in listed.split()}
_AFTER = re.compile(r"[\s-]?(?P<unit>business days?|working days?|calendar days?|[A-Za-zäéíñ]{1,9})(?![\w/²³])\.?")
_GLUE = re.compile(r",?\s?(?:(?:and|und|et|y)\s)?")
_ISO = re.compile(
    r"(?<!\w)P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?(?!\w)"
)
_ARTICLE = re.compile(
    r"(?<!\w)(?P<count>half an?|an?|one and a half|a couple of|ein(?:e|er|em|en)?|une?|una?)\s(?P<unit>second|"
    r"minute|hour|day|week|fortnight|month|year"
    r"|Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr|heure|jour|semaine|mois|hora|día|semana|mes|año)s?(?!\w)",
    re.I,
)
_AND_HALF = re.compile(r"\s(?:and a half)\b")
_SINGLE_LETTERS = frozenset(("s", "h", "d", "w", "y", "mo", "an"))


def _unit(word: str) -> str | None:
    word = word.lower()
    return "days" if word.endswith((" day", " days")) else _UNIT.get(word)


def find(text: str, conventions: Conventions, times: Sequence[Candidate] = ()) -> Iterator[Candidate]:
    """Single and compound lengths, ISO 8601 lengths, and the length between two clock times ("from 22:40 to 06:10")."""
    for match in _ISO.finditer(text):
        parts = [Decimal(part or 0) for part in match.groups()]
        total = Duration()
        for amount, unit in zip(
            parts, ("years", "months", "weeks", "days", "hours", "minutes", "seconds"), strict=True
        ):
            total += Duration.of(amount, unit)
        yield Candidate(*match.span(), "duration", total)
    yield from _compound(text, sorted(_parts(text, conventions), key=lambda p: p[0]))
    yield from _between(text, times)


def _parts(text: str, conventions: Conventions) -> Iterator[tuple[int, int, Duration, str]]:
    amounts = [(start, end, value) for start, end, value, _ in numbers.scan(text, conventions)]
    amounts += list(words.find(text))
    for start, end, value in amounts:
        half = _AND_HALF.match(text, end)
        match = _AFTER.match(text, half.end() if half else end)
        unit = _unit(match["unit"]) if match else None
        if match is None or unit is None or (match["unit"] in _SINGLE_LETTERS and text[end : end + 1] == "-"):
            continue
        stop, amount = match.end("unit"), abs(value) + (Decimal("0.5") if half else 0)
        yield start + (text[start] in "-−"), stop, Duration.of(amount, unit), match["unit"]
    for found in _ARTICLE.finditer(text):
        count = {"half": Decimal("0.5"), "one and": Decimal("1.5"), "a couple": Decimal(2)}
        value = next((v for k, v in count.items() if found["count"].lower().startswith(k)), Decimal(1))
        word = found["unit"].lower()
        length = Duration.of(value * 2, "weeks") if word == "fortnight" else Duration.of(value, _UNIT[word])
        yield *found.span(), length, found["unit"]


def _compound(text: str, parts: list[tuple[int, int, Duration, str]]) -> Iterator[Candidate]:
    index = 0
    while index < len(parts):
        start, end, total, unit = parts[index]
        index += 1
        while index < len(parts):
            following = parts[index]
            smaller = following[2].to("seconds") < total.to("seconds")
            if following[0] < end or not smaller or not _GLUE.fullmatch(text, end, following[0]):
                break
            end, total = following[1], total + following[2]
            index += 1
        minutes = re.match(r"(\d{2})(?!\w)", text[end:]) if unit in ("h",) else None
        if minutes:
            end, total = end + 2, total + Duration.of(Decimal(minutes[1]), "minutes")
        yield Candidate(start, end, "duration", total, None, unit)


def _between(text: str, times: Sequence[Candidate]) -> Iterator[Candidate]:
    ordered = sorted(times, key=lambda c: c.start)
    for left, right in pairwise(ordered):
        gap = text[left.end : right.start]
        if not re.fullmatch(r"\s?(?:to|until|till|bis|à|a|-|–)\s?", gap):
            continue
        begin, finish = left.value, right.value
        if not isinstance(begin, dt.time) or not isinstance(finish, dt.time):
            continue
        seconds = (finish.hour - begin.hour) * 3600 + (finish.minute - begin.minute) * 60
        seconds += finish.second - begin.second
        yield Candidate(left.start, right.end, "duration", Duration(seconds=Decimal(seconds % 86400)), part_of="times")
