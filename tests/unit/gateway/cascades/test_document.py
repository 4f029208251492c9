import pytest

from gateway.cascades.document import read_yaml
from services.runtime.errors import InvalidField


def test_only_json_values_are_read() -> None:
    text = "a: no\nb: 2026-03-01\nc: 12\nd: 1.5\ne: true\nf: null\ng: '7'\nh: [x, 0x10, 1e3]\ni: 12:30"
    assert read_yaml(text) == {
        "a": "no",
        "b": "2026-03-01",
        "c": 12,
        "d": 1.5,
        "e": True,
        "f": None,
        "g": "7",
        "h": ["x", "0x10", 1000.0],
        "i": "12:30",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nb: *x", "anchors"),
        ("a: 1\na: 2", "stands twice"),
        ("a: !!python/object:os.system {}", "tags"),
        ("a: !mine 3", "tags"),
        ("[" * 20 + "]" * 20, "nested deeper"),
        ("a: [1,", "line 1"),
        ("", "empty"),
        ("? [a]\n: 1", "plain word"),
        ("x" * 70_000, "at most"),
        ("[" + "1," * 6_000 + "]", "more than 5000"),
        ("a: 1\n---\nb: 2", "another document"),
        ("a: \x07", "not allowed"),
    ],
)
def test_everything_else_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidField, match=words):
        read_yaml(text)
