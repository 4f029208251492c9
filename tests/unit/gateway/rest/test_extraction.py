"""Clairic bodies to messages, and answers to Clairic's keys."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.rest import extraction, native
from gateway.rest.errors import Failure
from gateway.rest.fields import KEYS
from quartet.v1 import common_pb2
from quartet.v1 import extractor_pb2 as pb
from services.runtime.json_text import dump, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
THRESHOLD = st.floats(0.01, 1.0)
VALUES: dict[str, Any] = {
    "instructions": TEXT,
    "unit": TEXT,
    "integer": st.just(True),
    "decimals": st.integers(0, 6),
    "null_threshold": THRESHOLD,
    "items": st.sampled_from(["text", "number", "date"]),
    "options": st.dictionaries(TEXT, TEXT | st.none(), min_size=1, max_size=3),
    "compute": st.fixed_dictionaries({"op": TEXT, "of": st.lists(TEXT, max_size=3)}),
}
NEEDED = {"list": "items", "choice": "options", "records": "fields"}


def specs(kind: str, values: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    needed = {NEEDED[kind]: values[NEEDED[kind]]} if kind in NEEDED else {}
    rest = {key: values[key] for key in KEYS[kind] - {"type"} - set(needed)}
    return st.fixed_dictionaries({"type": st.just(kind), **needed}, optional=rest)


CELL = st.sampled_from(sorted(set(KEYS) - {"records"})).flatmap(lambda kind: specs(kind, VALUES))
COLUMNS = {"fields": st.dictionaries(TEXT, CELL, min_size=1, max_size=2)}
FIELD = st.sampled_from(sorted(KEYS)).flatmap(lambda kind: specs(kind, VALUES | COLUMNS))
BODY = st.fixed_dictionaries(
    {"model": TEXT.filter(lambda text: "/" not in text), "state": TEXT, "fields": st.dictionaries(TEXT, FIELD)},
    optional={
        "reference_date": TEXT,
        "locale": TEXT,
        "offset_unit": st.sampled_from(sorted(extraction.UNITS)),
        "options": st.fixed_dictionaries({"max_alternatives": st.integers(1, 10)}),
    },
)


@given(BODY)
def test_nothing_is_lost_on_the_way_to_the_message_and_back(body: dict[str, Any]) -> None:
    request = extraction.to_request(load(json.dumps(body).encode()))
    again = pb.ExtractRequest.FromString(request.SerializeToString())
    back = json.loads(dump(extraction.from_request(again)))
    assert back == body
    assert list(back["fields"]) == list(body["fields"])


def body(**changes: Any) -> dict[str, Any]:
    return {"state": "s", "fields": {"total": {"type": "number"}}} | changes


def field(**spec: Any) -> dict[str, Any]:
    return body(fields={"total": spec})


@pytest.mark.parametrize(
    ("sent", "path", "kind"),
    [
        ({"state": "s"}, "fields", "missing"),
        ({"fields": {"a": {"type": "text"}}}, "state", "missing"),
        (body(state={"a": 1}), "state", "string_type"),
        (body(fields=[]), "fields", "dict_type"),
        (body(fields={"total": "number"}), "fields.total", "dict_type"),
        (body(feilds={}), "feilds", "extra_forbidden"),
        (body(questions={}), "questions", "extra_forbidden"),
        (body(images=["data:image/png;base64,AA=="]), "images", "not_supported"),
        (body(reference_date=20261201), "reference_date", "string_type"),
        (body(offset_unit="bytes"), "offset_unit", "enum"),
        (body(options={"quantiles": True}), "options.quantiles", "extra_forbidden"),
        (body(options={"return_state_text": "yes"}), "options.return_state_text", "bool_type"),
        (body(options={"include_quantiles": 1}), "options.include_quantiles", "bool_type"),
        (body(options={"max_alternatives": -1}), "options.max_alternatives", "int_type"),
        (field(), "fields.total.type", "missing"),
        (field(type="amount"), "fields.total.type", "enum"),
        (field(type=None), "fields.total.type", "enum"),
        (field(type="estimate", min=0, max=1), "fields.total.type", "not_supported"),
        (field(type="forecast", min=0, max=1, horizon=2), "fields.total.type", "not_supported"),
        (field(type="number", min=0), "fields.total.min", "extra_forbidden"),
        (field(type="text", decimals=2), "fields.total.decimals", "extra_forbidden"),
        (field(type="list", items="text", null_threshold=0.5), "fields.total.null_threshold", "extra_forbidden"),
        (field(type="list"), "fields.total.items", "missing"),
        (field(type="list", items="texts"), "fields.total.items", "enum"),
        (field(type="choice"), "fields.total.options", "missing"),
        (field(type="choice", options="a"), "fields.total.options", "type_error"),
        (field(type="choice", options=["a", 1]), "fields.total.options[1]", "string_type"),
        (field(type="choice", options={"a": 1}), "fields.total.options.a", "type_error"),
        (field(type="records"), "fields.total.fields", "missing"),
        (field(type="records", fields={"a": {"type": "x"}}), "fields.total.fields.a.type", "enum"),
        (field(type="number", integer=1), "fields.total.integer", "bool_type"),
        (field(type="number", decimals=True), "fields.total.decimals", "int_type"),
        (field(type="number", decimals=-1), "fields.total.decimals", "int_type"),
        (field(type="number", decimals=2**40), "fields.total.decimals", "int_type"),
        (field(type="number", null_threshold="0.5"), "fields.total.null_threshold", "float_type"),
        (field(type="number", null_threshold=10**400), "fields.total.null_threshold", "float_type"),
        (field(type="number", instructions={}), "fields.total.instructions", "string_type"),
        (field(type="number", compute="sum"), "fields.total.compute", "dict_type"),
        (field(type="number", compute={"of": []}), "fields.total.compute.op", "string_type"),
        (field(type="number", compute={"op": "sum", "of": "a"}), "fields.total.compute.of", "list_type"),
        (field(type="number", compute={"op": "sum", "fn": 1}), "fields.total.compute.fn", "extra_forbidden"),
    ],
)
def test_what_is_wrong_is_named(sent: dict[str, Any], path: str, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        extraction.to_request(sent)
    response = native.render(caught.value)
    assert response.status_code == 422
    error = json.loads(response.body)["error"]
    assert error["reason"] == "INVALID_FIELD"
    assert [(item["path"], item["kind"]) for item in error["fields"]] == [(path, kind)]


def test_the_long_model_name_and_private_keys_are_taken() -> None:
    request = extraction.to_request(body(model="@cf/cloudflare/clairic", x_note=1, images=[], options={}))
    assert request.model == "clairic"


def test_options_are_a_list_or_a_map() -> None:
    listed = extraction.to_request(field(type="choice", options=["a", "b"])).fields[0].options
    mapped = extraction.to_request(field(type="choice", options={"a": None, "b": "text"})).fields[0].options
    assert [option.name for option in listed] == [option.name for option in mapped] == ["a", "b"]
    assert not listed[0].HasField("description") and mapped[1].description.json == b'"text"'


def answered(kind: str, **values: Any) -> dict[str, Any]:
    answer = pb.FieldAnswer(name="f", type=f"FIELD_TYPE_{kind.upper()}", p_null=0.25, confidence=0.5, **values)
    answer.value.json, answer.guess.json = b"1", b"2"
    return dict(extraction.answer_body(answer))


EXTENSIONS = ["spans", "quote", "reason", "computed"]


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("text", ["value", "guess", "p_null", "confidence", "span", *EXTENSIONS]),
        ("number", ["value", "guess", "p_null", "confidence", *EXTENSIONS]),
        ("date", ["value", "guess", "p_null", "confidence", *EXTENSIONS]),
        ("duration", ["value", "guess", "p_null", "confidence", "unit", *EXTENSIONS]),
        ("money", ["value", "guess", "p_null", "confidence", *EXTENSIONS]),
        ("list", ["value", "confidence", "spans", "quotes", "reason", "computed"]),
        ("records", ["value", "p_null", "confidence", "spans", "quotes", "reason", "computed"]),
    ],
)
def test_answers_have_clairics_keys_by_type(kind: str, keys: list[str]) -> None:
    assert list(answered(kind)) == ["type", *keys]


def test_lists_of_numbers_have_confidences() -> None:
    assert answered("list", confidences=[0.5, 0.25])["confidences"] == [0.5, 0.25]


def test_evidence_and_arithmetic_are_shown() -> None:
    operand = pb.Operand(value=common_pb2.JsonValue(json=b"130.00"), span=common_pb2.Span(start=1, end=7), sign=1)
    computed = pb.Computation(op="sum", operands=[operand, pb.Operand(sign=-1, field="a")], expression="130.00 - a")
    shown = answered("number", spans=[common_pb2.Span(start=1, end=7)], quotes=["130.00"], computed=computed)
    assert shown["spans"] == [[1, 7]] and shown["quote"] == "130.00"
    assert shown["computed"]["operands"][0]["span"] == [1, 7]
    assert shown["computed"]["operands"][1]["span"] is None
    assert dump(shown["computed"]["operands"][0]["value"]) == "130.00"


def test_records_are_rows_of_answers() -> None:
    cell = pb.FieldAnswer(name="qty", type=pb.FIELD_TYPE_NUMBER, value=common_pb2.JsonValue(json=b"4"))
    shown = answered("records", records=[pb.Record(answers=[cell])])
    assert [list(row) for row in shown["value"]] == [["qty"]]
    assert dump(shown["value"][0]["qty"]["value"]) == "4"


def test_the_envelope_is_bare() -> None:
    response = pb.ExtractResponse(model="x-1", state_text="s")
    response.usage.input_tokens = 9
    shown = extraction.to_body(response)
    assert list(shown) == ["model", "answers", "truncated", "state_text", "usage"]
    assert shown["truncated"] is False and shown["usage"]["input_tokens"] == 9 and shown["usage"]["output_tokens"] == 0
