"""Strict JSON: what is kept and what is refused."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.v1 import common_pb2
from services.runtime.errors import InvalidField
from services.runtime.json_text import JsonError, dump, load, message, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
WHOLE = st.integers(-(2**900), 2**900)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@given(JSON)
def test_what_goes_in_comes_out(value: Any) -> None:
    again = json.loads(dump(load(json.dumps(value).encode())), parse_int=float)
    assert again == json.loads(json.dumps(value), parse_int=float)
    assert json.dumps(again) == json.dumps(json.loads(json.dumps(value), parse_int=float))


@given(st.binary(max_size=40) | st.text('[]{}",:\\u0d8e19.-ntf ', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = load(data)
    except JsonError:
        return
    assert load(dump(value).encode()) == value


def test_numbers_keep_their_digits() -> None:
    text = '{"price":130.00,"id":90071992547409931,"tiny":1E-7,"zero":-0.0}'
    value = load(text.encode())
    assert value["price"] == Decimal("130.00") and value["id"] == 90071992547409931
    assert dump(value) == text


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "json_invalid"),
        (b"{", "json_invalid"),
        (b'{"a":1} x', "json_invalid"),
        (b"'a'", "json_invalid"),
        (b"NaN", "json_invalid"),
        (b"[-Infinity]", "json_invalid"),
        (b"\xff", "json_invalid"),
        (b'"\xed\xa0\x80"', "json_invalid"),
        (b"1e400", "number_range"),
        (b"-1e400", "number_range"),
        (b"1" * 5000, "number_range"),
        (b"0e99999999999999999999", "number_range"),
        (b'"\\ud800"', "string_unicode"),
        (b'{"\\udc00": 1}', "string_unicode"),
        (b"[" * 129 + b"]" * 129, "too_deep"),
        (b"[" * 100_000, "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
        (b"[" + b"1," * 1_000_001 + b"1]", "too_large"),
    ],
)
def test_what_is_not_acceptable_is_refused(data: bytes, kind: str) -> None:
    with pytest.raises(JsonError) as caught:
        load(data)
    assert caught.value.kind == kind


def test_a_repeated_key_is_refused_with_its_path() -> None:
    with pytest.raises(JsonError, match="'b' stands twice") as caught:
        load(b'{"x":[{"a":1},{"b":1,"b":2}]}')
    assert caught.value.loc == ("x", 1)


def test_brackets_inside_strings_are_not_depth() -> None:
    value = ["[" * 500 + '\\"' + "{" * 500]
    assert load(json.dumps(value).encode()) == value


def test_the_deepest_allowed_value_is_read() -> None:
    text = "[" * 128 + "]" * 128
    assert dump(load(text.encode())) == text


def test_a_byte_order_mark_nul_and_pairs_are_read() -> None:
    assert load(b'\xef\xbb\xbf"\\u0000 \\ud83d\\ude00"') == "\0 \U0001f600"


def test_floats_that_are_not_finite_are_null() -> None:
    assert dump([float("nan"), float("inf"), 1e-06]) == "[null,null,1e-06]"


def test_json_values_are_written_as_they_are() -> None:
    assert dump({"a": common_pb2.JsonValue(json=b'{"x":1.50}'), "b": common_pb2.JsonValue(text='"')}) == (
        '{"a":{"x":1.50},"b":"\\""}'
    )
    assert read(message({"x": [1]}), "state") == {"x": [1]}


def test_the_path_of_a_bad_value_goes_on_inside_it() -> None:
    with pytest.raises(InvalidField) as caught:
        read(common_pb2.JsonValue(json=b'{"a":{"b":1,"b":1}}'), "state.json")
    assert caught.value.fields[0].path == "state.json.a"
