"""What holds for every answer to every text."""

import json
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.extractor.fields import FieldSpec
from services.extractor.model import Extractor, Query

PIECES = st.sampled_from(
    ["📦", "👩\u200d🔧", "Zoe\u0308", "\r\n", "\n", " ", ", ", ". ", "שלום", "مرحبا", "\U00020000", "佐藤", "Total: ",
        "1.284,50 EUR", "€5",
     "3 May 2026", "12/03/2026", "A-48213", "+49 30 901820", "10:30", "2 hours", "a@b.org", "| a | 4 |", "\t", "N/A",
     "Ann Lee", "half a dozen"]
)  # fmt: skip
FIELDS = (
    FieldSpec("total", "money"),
    FieldSpec("count", "number"),
    FieldSpec("day", "date"),
    FieldSpec("at", "time"),
    FieldSpec("length", "duration", unit="minutes"),
    FieldSpec("moment", "datetime"),
    FieldSpec("customer_name", "text"),
    FieldSpec("codes", "list", items="text"),
    FieldSpec("numbers", "list", items="number"),
)


@given(st.lists(PIECES, min_size=1, max_size=14).map("".join).filter(str.strip))
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_invariants(model: Extractor, text: str) -> None:
    result = model.extract(Query(text, FIELDS, max_alternatives=3))
    assert [a.name for a in result.answers] == [f.name for f in FIELDS]
    for field, answer in zip(FIELDS, result.answers, strict=True):
        assert answer.type == field.type
        assert 0 <= answer.p_null <= 1 and 0 <= answer.confidence <= 1
        assert all(0 <= start < end <= len(text) for start, end in answer.spans)
        value, guess = json.loads(answer.value, parse_float=Decimal), json.loads(answer.guess, parse_float=Decimal)
        if field.type == "text" and guess is not None:
            start, end = answer.spans[0]
            assert text[start:end] == guess
        if field.type == "list":
            assert len(value) == len(answer.spans) == len(answer.confidences)
            assert list(answer.spans) == sorted(answer.spans)
        elif guess is not None:
            assert (value is None) == (answer.p_null > field.threshold)
            assert value is None or value == guess
        assert len(answer.alternatives) <= 3
    if field.items == "text":
        assert [text[a:b] for a, b in answer.spans] == value


def test_the_same_request_gives_the_same_answer_alone_and_in_company(model: Extractor) -> None:
    one = Query("Paid 12.40 EUR on 3 May 2026 by Odile Marchetti.", FIELDS)
    other = Query("Something else entirely, 7 pieces.", FIELDS[:2])
    first = model.run([one])
    assert model.run([other, one, other])[1] == first[0]
    assert model.run([one]) == first


@pytest.mark.parametrize("threshold", [0.05, 0.5, 1.0])
def test_threshold_decides_null(model: Extractor, threshold: float) -> None:
    field = FieldSpec("iban", "text", null_threshold=threshold)
    answer = model.extract(Query("See you on Monday at the lake, Ben", (field,))).answers[0]
    assert (answer.value == "null") == (answer.p_null > threshold)
