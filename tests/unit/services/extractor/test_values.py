"""Values as JSON, rounding, and lengths of time in other units."""

import datetime as dt
from decimal import Decimal

import pytest

from services.extractor.units import convert, same_dimension
from services.extractor.values import Duration, Money, plain, rounded, to_json


@pytest.mark.parametrize(
    ("number", "text"),
    [("1080.00", "1080"), ("0.50", "0.5"), ("-0.0", "0"), ("1E+3", "1000"), ("100", "100"), ("-4215.60", "-4215.6")],
)
def test_shortest_decimal(number: str, text: str) -> None:
    assert plain(Decimal(number)) == text


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [("2.5", 0, "3"), ("-2.5", 0, "-3"), ("1.005", 2, "1.01"), ("7", 2, "7.00"), ("7.1", None, "7.1")],
)
def test_rounding_is_half_away_from_zero(number: str, places: int | None, text: str) -> None:
    assert format(rounded(Decimal(number), places), "f") == text


def test_json_forms() -> None:
    assert to_json(Money(Decimal("389.00"), None)) == '{"amount": "389.00", "currency": null}'
    assert to_json(dt.datetime(2026, 11, 2, 23, 30)) == '"2026-11-02T23:30"'
    assert to_json(dt.time(6, 5, 4)) == '"06:05:04"'
    assert to_json('a "b" é') == '"a \\"b\\" é"'
    assert to_json(True) == "true"
    assert to_json(None) == "null"


def test_lengths_convert_exactly_within_calendar_or_clock() -> None:
    assert Duration.of(Decimal(3), "weeks").to("days") == 21
    assert Duration.of(Decimal(2), "years").to("months") == 24
    assert Duration.of(Decimal(1), "years").exact_in("months")
    assert not Duration.of(Decimal(1), "months").exact_in("days")


def test_units_convert_within_a_dimension_only() -> None:
    assert rounded(convert(Decimal("5.5"), "lb", "kg"), 2) == Decimal("2.49")
    assert convert(Decimal(5), "furlong", "kg") == 5
    assert same_dimension("km", "miles") is True
    assert same_dimension("kg", "km") is False
    assert same_dimension("kg", "boxes") is None
