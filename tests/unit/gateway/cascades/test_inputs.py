import pytest

from gateway.cascades.inputs import check_input, read_input
from services.runtime.errors import InvalidField
from tests.unit.gateway.cascades.cases import cascade

MADE = cascade(
    "  one: {kind: rule, set: {a: 1}}",
    head="""
input:
  mail: {type: string, max_length: 9}
  n: {type: number, required: false}
  on: {type: boolean, required: false}
""",
)


def test_declared_keys_are_filled_in() -> None:
    assert check_input(MADE, {"mail": "hello", "n": 2}) == {"mail": "hello", "n": 2, "on": None}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, "input.mail"),
        ({"mail": ""}, "input.mail"),
        ({"mail": 7}, "input.mail"),
        ({"mail": "0123456789"}, "input.mail"),
        ({"mail": "x", "n": True}, "input.n"),
        ({"mail": "x", "on": 1}, "input.on"),
        ({"mail": "x", "other": 1}, "input.other"),
    ],
)
def test_wrong_input_names_its_path(given: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        check_input(MADE, given)
    assert [violation.path for violation in caught.value.fields] == [path]


@pytest.mark.parametrize("raw", [b"[1]", b"{", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff"])
def test_only_a_json_object_is_read(raw: bytes) -> None:
    with pytest.raises(InvalidField):
        read_input(raw)


def test_numbers_become_doubles() -> None:
    assert read_input(b'{"a": [1.50, 2]}') == {"a": [1.5, 2]}
    assert read_input(b"") == {}
