"""JSON values as text."""

from decimal import Decimal

import pytest

from services.classifier.text import depth, option_text, render


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ({"b": 1, "a": "x"}, "b: 1\na: x"),
        ({"order": {"id": 7, "paid": True}, "note": None}, "order: id: 7; paid: true\nnote: null"),
        (["a", 2, False], "a, 2, false"),
        ([["name", "age"], ["Ann", 3]], "name | age\nAnn | 3"),
        ([{"a": 1}, {"a": 2}], "a: 1\na: 2"),
        ({"price": Decimal("130.00")}, "price: 130.00"),
        ({}, ""),
        ([], ""),
        ("", ""),
    ],
)
def test_render_keeps_document_order_and_every_value(value: object, text: str) -> None:
    assert render(value) == text


def test_depth_counts_containers_without_recursion() -> None:
    value: object = "x"
    for _ in range(50_000):
        value = [value]
    assert depth(value) == 50_000
    assert depth("x") == 0
    assert depth({"a": [1, {"b": 2}]}) == 3


def test_option_text_joins_name_and_description() -> None:
    assert option_text("billing", "money matters") == "billing: money matters"
    assert option_text("billing") == "billing"
    assert option_text("", {"min": 1, "max": 2}) == "min: 1; max: 2"
    assert option_text("a", "") == "a"
