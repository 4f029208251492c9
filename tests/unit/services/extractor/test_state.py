"""Structured state as text."""

import pytest

from services.extractor.state import MAX_DEPTH, render


def test_objects_become_lines_in_document_order() -> None:
    state = {"b": 1, "a": {"x": "y", "n": None}, "items": [{"sku": "P-1"}, True]}
    assert render(state) == "b: 1\na.x: y\na.n: null\nitems 1.sku: P-1\nitems 2: true"


def test_too_deep() -> None:
    state: object = 1
    for _ in range(MAX_DEPTH + 2):
        state = [state]
    with pytest.raises(ValueError, match="nested deeper"):
        render(state)
