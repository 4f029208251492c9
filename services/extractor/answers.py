"""One answer per field: the best value, how sure, and where it stands."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from services.extractor import units
from services.extractor.calibration import Calibration, shares
from services.extractor.document import Item
from services.extractor.fields import FieldSpec
from services.extractor.recognisers.conventions import asked_day_first
from services.extractor.values import Candidate, Duration, Money, Value, plain, rounded, to_json

# A reading that the document does not settle is never surer than this.
AMBIGUOUS_CONFIDENCE = 0.6
UNSURE = 0.88
# From this share of a shorter mention's probability on, a fuller name of the same thing takes it over.
FULLER = 0.15
# Digits of a converted or divided value that asks for no rounding.
FREE_PLACES = 6


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another value, as JSON, where it stands, and its probability given that a value exists."""

    value: str
    span: tuple[int, int]
    confidence: float


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a computed value."""

    value: str
    span: tuple[int, int] | None
    sign: int
    field: str


@dataclass(frozen=True, slots=True)
class Computed:
    """How a value was worked out."""

    op: str
    operands: tuple[Operand, ...]
    expression: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one field; `value` and `guess` are JSON, spans are code points."""

    name: str
    type: str
    value: str = "null"
    guess: str = "null"
    p_null: float = 1.0
    confidence: float = 0.0
    spans: tuple[tuple[int, int], ...] = ()
    unit: str = ""
    reason: str = "absent"
    computed: Computed | None = None
    alternatives: tuple[Alternative, ...] = ()
    confidences: tuple[float, ...] = ()
    records: "tuple[tuple[Answer, ...], ...]" = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """An answer with its value in a form that arithmetic can use; `values` has more than one for lists."""

    answer: Answer
    values: tuple[Value, ...] = ()
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """Places of one value."""

    value: Value | None
    share: float
    best: Item
    other: Value | None = field(default=None)
    others: tuple[Item, ...] = ()


def shaped(spec: FieldSpec, candidate: Candidate, value: Value | None) -> Value | None:
    """A candidate's value in the type, unit and rounding that the field asks for."""
    kind = spec.sought
    if value is None or kind == "text":
        return value
    if kind == "number":
        number = value.amount if isinstance(value, Money) else value
        if not isinstance(number, Decimal):
            return None
        if spec.unit:
            number = _limited(units.convert(number, candidate.unit, spec.unit))
        return rounded(number, spec.places)
    if kind == "money":
        money = value if isinstance(value, Money) else Money(value, None) if isinstance(value, Decimal) else None
        if money is None:
            return None
        wanted = spec.unit if len(spec.unit) == 3 and spec.unit.isupper() else None
        return Money(rounded(money.amount, spec.places), money.currency or wanted)
    return value


def _limited(number: Decimal) -> Decimal:
    exponent = number.as_tuple().exponent
    return rounded(number, FREE_PLACES) if isinstance(exponent, int) and exponent < -FREE_PLACES else number


def written(spec: FieldSpec, value: Value | None) -> str:
    """A shaped value as JSON; a duration as a number in the field's unit."""
    if isinstance(value, Duration):
        return plain(in_unit(spec, value))
    return to_json(value)


def in_unit(spec: FieldSpec, value: Duration) -> Decimal:
    """A duration as a number in the field's unit, rounded as asked."""
    number = value.to(spec.duration_unit)
    return rounded(number, spec.places) if spec.places is not None else _limited(number)


def _groups(spec: FieldSpec, items: Sequence[Item], share: NDArray[np.float64]) -> list[_Group]:
    """Equal values share their probability; best first, then by place."""
    found: dict[str, _Group] = {}
    order = np.argsort(-share, kind="stable")
    for index in order:
        item = items[int(index)]
        value, other = _reading(spec, item.candidate)
        key = written(spec, value) if value is not None else f"?{item.candidate.start}"
        known = found.get(key)
        if known is None:
            found[key] = _Group(value, float(share[index]), item, other)
        else:
            found[key] = replace(known, share=known.share + float(share[index]), others=(*known.others, item))
    ranked = sorted(found.values(), key=lambda g: (-g.share, g.best.candidate.start))
    return _named(ranked) if spec.sought == "text" else ranked


def _named(groups: list[_Group]) -> list[_Group]:
    """Groups in which a later, shorter mention of the best thing counts for its fuller name: "machine" for "washing
    machine". The shorter one must stand somewhere else too, or it would just be a part of the name; and it must be a
    common noun, since of a person or a code the part alone may be asked for."""
    if not groups or not isinstance(groups[0].value, str) or not re.fullmatch(r"[^\W\dA-Z][^\d]*", groups[0].value):
        return groups
    short, words = groups[0], groups[0].value.split()
    for index, group in enumerate(groups[1:8], 1):
        if group.share < FULLER * short.share or not isinstance(group.value, str):
            continue
        named = group.value.split()
        if len(words) < len(named) <= len(words) + 3 and named[-len(words) :] == words and _elsewhere(short, group):
            return [replace(group, share=group.share + short.share), *groups[1:index], *groups[index + 1 :]]
    return groups


def _elsewhere(short: _Group, full: _Group) -> bool:
    whole = [item.candidate for item in (full.best, *full.others)]
    return any(
        not any(c.start <= item.candidate.start and item.candidate.end <= c.end for c in whole)
        for item in (short.best, *short.others)
    )


def _reading(spec: FieldSpec, candidate: Candidate) -> tuple[Value | None, Value | None]:
    value, other = shaped(spec, candidate, candidate.value), shaped(spec, candidate, candidate.other)
    if isinstance(value, dt.date) and isinstance(other, dt.date):
        day_first = asked_day_first(spec.instructions)
        if day_first is not None:
            # The recogniser's first reading is day first.
            return (value, None) if day_first else (other, None)
    return value, other


def single(
    spec: FieldSpec,
    items: Sequence[Item],
    logits: NDArray[np.float32],
    null: float,
    calibration: Calibration,
    *,
    alternatives: int,
) -> Resolved:
    """The answer to a field with one value."""
    share, null_share = shares(logits, null)
    groups = _groups(spec, items, share)
    unit = spec.duration_unit if spec.type == "duration" else spec.unit
    if not groups:
        return Resolved(Answer(spec.name, spec.type, p_null=calibration.p_null(1 - 1e-6), unit=unit))
    best = groups[0]
    present = max(1 - null_share, 1e-9)
    p_null = calibration.p_null(null_share)
    confidence = calibration.confidence(best.share / present)
    reason = "extracted"
    candidate = best.best.candidate
    if best.value is None:
        p_null, reason = 1.0, "normalise_failed" if p_null <= spec.threshold else "absent"
    elif best.other is not None:
        confidence, reason = min(confidence, AMBIGUOUS_CONFIDENCE), "ambiguous_locale"
    elif not candidate.sure:
        confidence *= UNSURE
    gone = p_null > spec.threshold
    if gone and reason != "normalise_failed":
        reason = "absent"
    guess = written(spec, best.value)
    answer = Answer(
        spec.name,
        spec.type,
        value="null" if gone else guess,
        guess=guess,
        p_null=p_null,
        confidence=confidence,
        spans=((candidate.start, candidate.end),),
        unit=unit,
        reason=reason,
        alternatives=_alternatives(spec, groups, present, calibration, alternatives),
    )
    return Resolved(answer, () if gone or best.value is None else (best.value,), candidate.unit)


def _alternatives(
    spec: FieldSpec, groups: list[_Group], present: float, calibration: Calibration, most: int
) -> tuple[Alternative, ...]:
    listed: list[Alternative] = []
    if groups[0].other is not None:
        place = groups[0].best.candidate
        listed.append(Alternative(written(spec, groups[0].other), (place.start, place.end), 1 - AMBIGUOUS_CONFIDENCE))
    for group in groups[1:]:
        if len(listed) >= most:
            break
        if group.value is not None:
            place = group.best.candidate
            confidence = min(calibration.confidence(group.share / present), 0.5)
            listed.append(Alternative(written(spec, group.value), (place.start, place.end), confidence))
    return tuple(listed[:most])
