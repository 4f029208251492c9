"""Checks a written text against facts: every number and every date in it must stand in the facts.

A text that says "your 14-day guarantee" when no fact says 14 has invented something. Dates are compared as calendar
days, however they are written; other numbers by value, so `1,284.50` and `1284.5` agree. Number words from two to
twelve count as numbers. The check does not understand the sentence: a right number in a wrong place passes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})\b"),
    re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}\b{_YEAR}", re.IGNORECASE),
    re.compile(r"\b(?P<day>\d{1,2})[./](?P<number>\d{1,2})[./](?P<year>\d{4})\b"),
)
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*")
_COUNTED = re.compile(r"(?P<number>\d+)(?:-?[A-Za-z]{1,6}|-[A-Za-z]+)\Z")
"""`14-day`, `3rd`, `20kg`: a number, not a code."""
_NUMBER = re.compile(r"\d+(?:[,.' \u00a0]\d{3})*(?:[.,]\d+)?")
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WORD = re.compile(r"\b(" + "|".join(_WORDS[2:]) + r")\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claims:
    """What a text states: calendar days (year 0 when none is given), numbers by value, codes such as `KX-41`."""

    days: frozenset[tuple[int, int, int]]
    numbers: frozenset[Decimal]
    codes: frozenset[str]


def read_claims(text: str) -> Claims:
    """Days, codes and numbers of a text; what belongs to a day or a code is not a number again."""
    days, rest = _take_days(text)
    codes = {token.upper() for token in _TOKEN.findall(rest) if _is_code(token)}
    rest = _TOKEN.sub(lambda match: " " if _is_code(match[0]) else match[0], rest)
    numbers = {value for match in _NUMBER.findall(rest) for value in [_value(match)] if value is not None}
    numbers |= {Decimal(_WORDS.index(word.lower())) for word in _WORD.findall(rest)}
    return Claims(frozenset(days), frozenset(numbers), frozenset(codes))


def _is_code(token: str) -> bool:
    return any(c.isdigit() for c in token) and any(c.isalpha() for c in token) and not _COUNTED.match(token)


def unsupported(text: str, facts: Any) -> list[str]:
    """What `text` states and the facts do not, for people; empty when everything is there. `facts` is plain JSON."""
    stated = read_claims(text)
    known = [read_claims(leaf) for leaf in leaves(facts)]
    days = {day for claims in known for day in claims.days}
    numbers = {number for claims in known for number in claims.numbers}
    codes = {code for claims in known for code in claims.codes}
    found = [_show_day(day) for day in sorted(stated.days) if not any(_same_day(day, fact) for fact in days)]
    found += [format(number, "f") for number in sorted(stated.numbers - numbers)]
    return found + sorted(stated.codes - codes)


def leaves(value: Any) -> Iterator[str]:
    """All strings and numbers of a JSON value as text."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def missing(text: str, wanted: Iterable[str]) -> list[str]:
    """The wanted pieces that do not stand in the text; case and spaces do not matter."""
    folded = " ".join(text.casefold().split())
    return [piece for piece in wanted if " ".join(piece.casefold().split()) not in folded]


def _take_days(text: str) -> tuple[set[tuple[int, int, int]], str]:
    days: set[tuple[int, int, int]] = set()
    for pattern in _DATES:
        for match in pattern.finditer(text):
            day = _day(match.groupdict())
            if day:
                days.add(day)
        text = pattern.sub(" ", text)
    return days, text


def _day(parts: Mapping[str, str | None]) -> tuple[int, int, int] | None:
    name, number = parts.get("month"), parts.get("number")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(number or 0)
    year, day = int(parts.get("year") or 0), int(parts["day"] or 0)
    if month > 12 and day <= 12:  # 03/14/2026 can only be read one way
        month, day = day, month
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return year, month, day


def _same_day(stated: tuple[int, int, int], fact: tuple[int, int, int]) -> bool:
    return stated[1:] == fact[1:] and (stated[0] in (0, fact[0]) or fact[0] == 0)


def _show_day(day: tuple[int, int, int]) -> str:
    return f"{day[2]} {_MONTHS[day[1] - 1].title()}" + (f" {day[0]}" if day[0] else "")


def _value(text: str) -> Decimal | None:
    """`1,284.50`, `1.284,50`, `1 284` by value; the last separator is decimal unless three digits follow it."""
    text = re.sub(r"[' \u00a0]", "", text)
    marks = re.findall(r"[.,]", text)
    if marks:
        head, tail = re.split(r"[.,](?=[^.,]*\Z)", text)
        grouped = len(tail) == 3 and (len(set(marks)) == 1) and (len(marks) > 1 or marks[0] == ",")
        head = re.sub(r"[.,]", "", head)
        text = head + tail if grouped else f"{head}.{tail}"
    return Decimal(text).normalize() if text.replace(".", "").isdigit() else None
