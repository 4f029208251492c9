"""Recipes: exact results, operands, the arithmetic as text, and nulls where it has no result."""

import datetime as dt
from decimal import Decimal

import pytest

from services.extractor.answers import Answer, Resolved
from services.extractor.compute import computed
from services.extractor.fields import FieldSpec, Recipe
from services.extractor.values import Duration, Money, Value


def found(*values: Value, type: str = "number", unit: str | None = None) -> Resolved:
    spans = tuple((i * 10, i * 10 + 3) for i in range(len(values)))
    return Resolved(Answer("x", type, "1", "1", 0.1, 0.9, spans), values, unit)


def absent(reason: str = "absent") -> Resolved:
    return Resolved(Answer("x", "number", p_null=0.9, confidence=0.4, reason=reason))


def ran(op: str, *operands: Resolved, type: str = "number", **more: object) -> Answer:
    recipe = Recipe(op, tuple(f"f{i}" for i in range(len(operands))))
    return computed(FieldSpec("result", type, compute=recipe, **more), recipe, operands).answer  # type: ignore[arg-type]


D = Decimal
EUR = Money(D("130.00"), "EUR")
RESULTS = [
    ("sum", (found(D("130.00")), found(D("12.50"))), "number", {}, "142.5"),
    ("sum", (found(D("0.1")), found(D("0.2"))), "number", {}, "0.3"),
    ("difference", (found(D("10")), found(D("2.5")), found(D("1"))), "number", {}, "6.5"),
    ("product", (found(D("12")), found(D("45.50"))), "number", {}, "546"),
    ("ratio", (found(D("145")), found(D("389"))), "number", {"decimals": 3}, "0.373"),
    ("ratio", (found(D("1")), found(D("3"))), "number", {}, "0.333333"),
    ("percent", (found(D("145")), found(D("389"))), "number", {"decimals": 1}, "37.3"),
    ("count", (found(D("4"), D("1"), D("2")),), "number", {}, "3"),
    ("min", (found(D("4")), found(D("1.5"))), "number", {}, "1.5"),
    ("max", (found(D("4"), D("9"), D("2")),), "number", {}, "9"),
    ("average", (found(D("4")), found(D("5"))), "number", {}, "4.5"),
    ("sum", (found(EUR), found(Money(D("12.50"), "EUR"))), "money", {}, '{"amount": "142.50", "currency": "EUR"}'),
    ("sum", (found(EUR), found(Money(D("12.50"), None))), "money", {}, '{"amount": "142.50", "currency": "EUR"}'),
    ("product", (found(EUR), found(D("3"))), "money", {}, '{"amount": "390.00", "currency": "EUR"}'),
    ("percent", (found(EUR), found(Money(D("260"), "EUR"))), "number", {"integer": True}, "50"),
    ("date_add", (found(dt.date(2026, 1, 31)), found(Duration.of(D(45), "days"))), "date", {}, '"2026-03-17"'),
    ("date_add", (found(dt.date(2026, 1, 31)), found(Duration.of(D(1), "months"))), "date", {}, '"2026-02-28"'),
    ("date_difference", (found(dt.date(2026, 9, 2)), found(dt.date(2026, 10, 2))), "number", {}, "30"),
    ("date_difference", (found(dt.date(2026, 10, 2)), found(dt.date(2026, 9, 2))), "duration", {"unit": "days"}, "30"),
    ("sum", (found(Duration.of(D(90), "minutes")), found(Duration.of(D(1), "hours"))), "duration", {"unit": "hours"},
    "2.5"),
    ("max", (found(dt.date(2026, 1, 1)), found(dt.date(2026, 2, 1))), "date", {}, '"2026-02-01"'),
]  # fmt: skip


@pytest.mark.parametrize(("op", "operands", "type", "more", "value"), RESULTS)
def test_result(op: str, operands: tuple[Resolved, ...], type: str, more: dict[str, object], value: str) -> None:
    answer = ran(op, *operands, type=type, **more)
    assert (answer.value, answer.reason) == (value, "computed")
    assert answer.p_null <= 0.5
    assert answer.computed is not None and answer.computed.op == op


def test_operands_and_expression() -> None:
    answer = ran("difference", found(D("10.00")), found(D("2.50")))
    assert answer.computed is not None
    assert answer.computed.expression == "10.00 - 2.50 = 7.50"
    assert [(o.value, o.sign, o.field, o.span) for o in answer.computed.operands] == [
        ("10", 1, "f0", (0, 3)),
        ("2.5", -1, "f1", (0, 3)),
    ]


@pytest.mark.parametrize(
    ("op", "operands"),
    [
        ("sum", (found(EUR), found(Money(D("5"), "USD")))),
        ("sum", (found(D("5"), unit="kg"), found(D("5"), unit="km"))),
        ("product", (found(EUR), found(EUR))),
        ("ratio", (found(EUR), found(Money(D("5"), "CHF")))),
    ],
)
def test_units_that_do_not_agree(op: str, operands: tuple[Resolved, ...]) -> None:
    answer = ran(op, *operands)
    assert (answer.value, answer.reason, answer.p_null) == ("null", "unit_mismatch", 1.0)


def test_division_by_zero_is_null() -> None:
    assert ran("ratio", found(D("5")), found(D("0"))).reason == "normalise_failed"


def test_a_missing_operand_makes_null() -> None:
    answer = ran("sum", found(D("5")), absent())
    assert (answer.value, answer.reason) == ("null", "absent")
    assert answer.p_null > 0.5
