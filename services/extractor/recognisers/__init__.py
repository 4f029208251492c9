"""Finds typed values in text with exact code-point offsets: pure code, no model.

One module per kind; this module runs them in order and settles who owns which characters.
"""

import datetime as dt
import re
from dataclasses import dataclass, replace
from decimal import Decimal

from services.extractor import units
from services.extractor.recognisers import (
    accounts,
    contacts,
    conventions,
    dates,
    datetimes,
    durations,
    ids,
    money,
    numbers,
    relative,
    times,
)
from services.extractor.recognisers.conventions import Conventions
from services.extractor.values import Candidate

# Digits inside these are never numbers of their own.
_OWNERS = frozenset(("date", "time", "datetime", "email", "url", "iban", "card", "vat"))


@dataclass(frozen=True, slots=True)
class Recognised:
    """Candidates in order of place, marks of empty labels, and the conventions they were read with."""

    candidates: tuple[Candidate, ...]
    blanks: tuple[ids.Blank, ...]
    conventions: Conventions


class _Places:
    """Characters that are already owned, as a bitmap."""

    def __init__(self, size: int) -> None:
        self._owned = bytearray(size)

    def take(self, found: list[Candidate]) -> None:
        for candidate in found:
            self._owned[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)

    def free(self, candidate: Candidate) -> bool:
        return not any(self._owned[candidate.start : candidate.end])

    def holds(self, candidate: Candidate) -> bool:
        return all(self._owned[candidate.start : candidate.end])


def recognise(text: str, *, locale: str | None = None, reference: dt.date | None = None) -> Recognised:
    """All typed values of a text.

    Raises: ValueError for a locale that CLDR does not know.
    """
    used = conventions.of_locale(locale) if locale else conventions.of_text(text)
    owned = _Places(len(text))
    found: list[Candidate] = []

    def keep(candidates: list[Candidate]) -> list[Candidate]:
        fresh = [c for c in candidates if owned.free(c)]
        found.extend(fresh)
        return fresh

    for step in (contacts.emails, contacts.urls, accounts.find):
        owned.take(keep(list(step(text))))
    known_dates = keep(list(dates.find(text, used, reference=reference)))
    owned.take(known_dates)
    said = keep(_longest(list(relative.find(text, reference))))
    owned.take(said)
    clock = keep(list(times.find(text)))
    owned.take(clock)
    found += _longest(list(datetimes.find(text, [*known_dates, *said], clock)))
    found += [c for c in durations.find(text, used, clock) if c.part_of == "times" or owned.free(c) or c.unit == "h"]
    found += _numeric(text, used, owned)
    return Recognised(tuple(sorted(set(found), key=_place)), tuple(ids.blanks(text)), used)


def _numeric(text: str, used: Conventions, owned: _Places) -> list[Candidate]:
    amounts = [c for c in money.find(text, used) if owned.free(c)]
    inner = {c.start for c in amounts if c.kind == "number"}
    priced, dialled, coded = _Places(len(text)), _Places(len(text)), _Places(len(text))
    priced.take(amounts)
    phones = [c for c in contacts.phones(text) if owned.free(c) and priced.free(c)]
    dialled.take(phones)
    codes = [c for c in ids.find(text) if owned.free(c) and priced.free(c) and dialled.free(c)]
    coded.take(codes)
    plain: list[Candidate] = []
    for candidate in numbers.find(text, used):
        if not owned.free(candidate) or candidate.start in inner:
            continue
        if candidate.part_of is None and candidate.sure:
            holder = "phone" if dialled.holds(candidate) else "id" if coded.holds(candidate) else None
            candidate = replace(candidate, part_of=holder)
        plain.append(candidate)
    return [*amounts, *phones, *codes, *_compound(text, plain)]


def _compound(text: str, found: list[Candidate]) -> list[Candidate]:
    """Joins measures that continue each other: "5 lb 8 oz" is one value in pounds."""
    out: list[Candidate] = []
    for candidate in sorted(found, key=_place):
        before = out[-1] if out else None
        joined = _joined(text, before, candidate) if before is not None else None
        if joined is not None:
            out[-1] = joined
        else:
            out.append(candidate)
    return out


def _joined(text: str, before: Candidate, after: Candidate) -> Candidate | None:
    big, small = units.known(before.unit), units.known(after.unit)
    if big is None or small is None or big[0] != small[0] or small[1] >= big[1] or before.unit is None:
        return None
    gap = text[before.end : after.start]
    if not re.fullmatch(rf"[\s-]?{re.escape(before.unit)}\.?,?\s(?:and\s)?", gap):
        return None
    if not isinstance(before.value, Decimal) or not isinstance(after.value, Decimal):
        return None
    value = before.value + units.convert(after.value, after.unit, before.unit)
    return Candidate(before.start, after.end, "number", value, None, before.unit)


def _longest(candidates: list[Candidate]) -> list[Candidate]:
    if not candidates:
        return []
    places = _Places(max(c.end for c in candidates))
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.start - c.end, c.start)):
        if places.free(candidate):
            places.take([candidate])
            kept.append(candidate)
    return kept


def _place(candidate: Candidate) -> tuple[int, int, str]:
    return candidate.start, candidate.end, candidate.kind
