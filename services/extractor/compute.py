"""Explicit recipes: a field worked out from other fields, in decimal and calendar arithmetic."""

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import reduce

from services.extractor.answers import FREE_PLACES, Answer, Computed, Operand, Resolved, in_unit
from services.extractor.fields import FieldSpec, Recipe
from services.extractor.recognisers.relative import shift
from services.extractor.units import known
from services.extractor.values import Duration, Money, Value, plain, rounded, to_json

_MARKS = {
    "sum": " + ",
    "difference": " - ",
    "product": " x ",
    "ratio": " / ",
    "percent": " / ",
    "min": ", ",
    "max": ", ",
    "average": " + ",
}


class Mismatch(Exception):
    """Units or currencies that do not go together."""


class Undefined(Exception):
    """Arithmetic without a result: division by zero, a date out of range, operands of the wrong type."""


def computed(spec: FieldSpec, recipe: Recipe, operands: Sequence[Resolved]) -> Resolved:
    """Applies a recipe to the answers of its operand fields."""
    p_null = 1 - _product([1 - r.answer.p_null for r in operands])
    confidence = _product([r.answer.confidence for r in operands])
    unit = spec.duration_unit if spec.type == "duration" else spec.unit
    spans = tuple(span for r in operands if r.values for span in r.answer.spans[: len(r.values)])
    empty = [r for r in operands if not r.values]
    if empty and not (recipe.op == "count"):
        failed = next(
            (r.answer.reason for r in empty if r.answer.reason in ("unit_mismatch", "normalise_failed")), "absent"
        )
        return Resolved(
            Answer(
                spec.name,
                spec.type,
                p_null=max(p_null, 0.5 + spec.threshold / 2),
                confidence=confidence,
                spans=spans,
                unit=unit,
                reason=failed,
            )
        )
    try:
        with localcontext() as context:
            context.prec = 50
            value, result_unit = _apply(spec, recipe.op, operands)
    except (Mismatch, Undefined) as error:
        reason = "unit_mismatch" if isinstance(error, Mismatch) else "normalise_failed"
        return Resolved(
            Answer(spec.name, spec.type, p_null=1.0, confidence=confidence, spans=spans, unit=unit, reason=reason)
        )
    how = Computed(recipe.op, _operands(recipe, operands), _expression(recipe.op, operands, spec, value))
    # An operand below its own threshold counts as there, so the result is there as well.
    p_null = min(p_null, spec.threshold) if recipe.op != "count" else 0.0
    shown = plain(in_unit(spec, value)) if isinstance(value, Duration) else to_json(value)
    answer = Answer(spec.name, spec.type, shown, shown, p_null, confidence, spans, unit, "computed", how)
    return Resolved(answer, (value,), result_unit)


def _product(numbers: Sequence[float]) -> float:
    return reduce(lambda a, b: a * b, numbers, 1.0)


def _apply(spec: FieldSpec, op: str, operands: Sequence[Resolved]) -> tuple[Value, str | None]:
    values = [value for r in operands for value in r.values]
    if op == "count":
        return _as_type(spec, Decimal(len(values)), None), None
    if op == "date_add":
        return _date_add(values), None
    if op == "date_difference":
        return _between(spec, values), None
    unit = _common_unit(op, operands)
    if all(isinstance(v, Duration) for v in values):
        return _lengths(spec, op, [v for v in values if isinstance(v, Duration)]), None
    if all(isinstance(v, dt.date) for v in values) and op in ("min", "max"):
        return (min if op == "min" else max)(values), None  # type: ignore[type-var]
    numbers = [_number(v) for v in values]
    result = _arithmetic(op, numbers)
    kept = unit if op in ("sum", "difference", "product", "min", "max", "average") else None
    return _as_type(spec, result, kept), kept


def _number(value: Value) -> Decimal:
    if isinstance(value, Money):
        return value.amount
    if isinstance(value, Decimal):
        return value
    raise Undefined


def _arithmetic(op: str, numbers: Sequence[Decimal]) -> Decimal:
    if op in ("ratio", "percent", "average") and op != "average" and numbers[-1] == 0:
        raise Undefined
    work: dict[str, Callable[[], Decimal]] = {
        "sum": lambda: sum(numbers, Decimal(0)),
        "difference": lambda: numbers[0] - sum(numbers[1:], Decimal(0)),
        "product": lambda: reduce(lambda a, b: a * b, numbers, Decimal(1)),
        "ratio": lambda: numbers[0] / numbers[1],
        "percent": lambda: numbers[0] / numbers[1] * 100,
        "min": lambda: min(numbers),
        "max": lambda: max(numbers),
        "average": lambda: sum(numbers, Decimal(0)) / len(numbers),
    }
    return work[op]()


def _unit_of(resolved: Resolved) -> str | None:
    value = resolved.values[0]
    if isinstance(value, Money):
        return value.currency
    if resolved.answer.unit and resolved.answer.type != "duration":
        return resolved.answer.unit if known(resolved.answer.unit) else None
    return resolved.unit if known(resolved.unit) else None


def _common_unit(op: str, operands: Sequence[Resolved]) -> str | None:
    """The unit of the result: all operands that have one must agree; a product takes one at most, beside %."""
    units = [u for u in (_unit_of(r) for r in operands if r.values) if u]
    distinct = list(dict.fromkeys(units))
    if op == "product":
        distinct = [u for u in distinct if u != "%"]
        if len([u for u in units if u != "%"]) > 1:
            raise Mismatch
    elif len(distinct) > 1:
        raise Mismatch
    return distinct[0] if distinct else None


def _as_type(spec: FieldSpec, number: Decimal, unit: str | None) -> Value:
    places = spec.places
    exponent = number.as_tuple().exponent
    if places is None and isinstance(exponent, int) and exponent < -FREE_PLACES:
        places = FREE_PLACES
    number = rounded(number, places)
    if spec.type == "money":
        return Money(number, unit or (spec.unit or None))
    if spec.type == "duration":
        return Duration.of(number, spec.duration_unit)
    if spec.type == "number":
        return number
    raise Undefined


def _date_add(values: Sequence[Value]) -> dt.date:
    day, length = values if isinstance(values[0], dt.date) else (values[1], values[0])
    if not isinstance(day, dt.date) or not isinstance(length, Duration | Decimal):
        raise Undefined
    length = Duration.of(length, "days") if isinstance(length, Decimal) else length
    try:
        return shift(day, int(length.months)) + dt.timedelta(days=int(length.seconds // 86400))
    except (OverflowError, ValueError) as error:
        raise Undefined from error


def _between(spec: FieldSpec, values: Sequence[Value]) -> Value:
    """The length between two dates, whichever comes first."""
    first, second = values
    if not isinstance(first, dt.date) or not isinstance(second, dt.date):
        raise Undefined
    days = Duration.of(Decimal(abs((_day(second) - _day(first)).days)), "days")
    if spec.type == "duration":
        return days
    return (
        rounded(days.to(spec.unit), spec.places)
        if spec.unit in ("weeks", "months", "years", "hours")
        else days.to("days")
    )


def _day(value: dt.date) -> dt.date:
    return value.date() if isinstance(value, dt.datetime) else value


def _lengths(spec: FieldSpec, op: str, values: Sequence[Duration]) -> Value:
    if op in ("sum", "difference"):
        sign = 1 if op == "sum" else -1
        return reduce(lambda a, b: a + Duration(sign * b.months, sign * b.seconds), values)
    numbers = [v.to("seconds") for v in values]
    result = _arithmetic(op, numbers)
    if op in ("ratio", "percent"):
        return _as_type(spec, result, None)
    if op == "product":
        raise Mismatch
    return Duration(seconds=result)


def _operands(recipe: Recipe, operands: Sequence[Resolved]) -> tuple[Operand, ...]:
    out = []
    for index, (name, resolved) in enumerate(zip(recipe.of, operands, strict=True)):
        sign = -1 if recipe.op == "difference" and index else 1
        spans = resolved.answer.spans
        for place, value in enumerate(resolved.values):
            out.append(Operand(to_json(value), spans[place] if place < len(spans) else None, sign, name))
    return tuple(out)


def _shown(value: Value) -> str:
    match value:
        case Money(amount, currency):
            return f"{amount:f} {currency}" if currency else f"{amount:f}"
        case Decimal():
            return f"{value:f}"
        case Duration():
            unit = (
                "months"
                if value.months
                else "days"
                if value.seconds % 86400 == 0
                else "hours"
                if value.seconds % 3600 == 0
                else "minutes"
            )
            return f"{plain(rounded(value.to(unit), 2))} {unit}"
        case dt.date():
            return value.isoformat()
        case _:
            return str(value)


def _expression(op: str, operands: Sequence[Resolved], spec: FieldSpec, value: Value) -> str:
    values = [_shown(v) for r in operands for v in r.values]
    result = f"{plain(in_unit(spec, value))} {spec.duration_unit}" if isinstance(value, Duration) else _shown(value)
    if op in ("min", "max", "count"):
        return f"{op}({', '.join(values)}) = {result}"
    if op == "average":
        return f"({' + '.join(values)}) / {len(values)} = {result}"
    if op == "percent":
        return f"{values[0]} / {values[1]} x 100 = {result}"
    if op == "date_add":
        return f"{values[0]} + {values[1]} = {result}"
    if op == "date_difference":
        return f"|{values[1]} - {values[0]}| = {result}"
    return f"{_MARKS[op].join(values)} = {result}"
