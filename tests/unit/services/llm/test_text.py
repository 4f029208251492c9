import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from services.llm.text import TextStream, token_bytes

BYTES = [bytes([value]) for value in range(256)]


def deltas(data: bytes, *stop: str) -> tuple[list[str], bool]:
    stream = TextStream(BYTES, stop)
    found = []
    for byte in data:
        found.append(stream.push(byte))
        if stream.stopped:
            return found, True
    return [*found, stream.finish()], False


@given(st.text())
def test_byte_by_byte_the_text_comes_out_whole(text: str) -> None:
    found, _ = deltas(text.encode())
    assert "".join(found) == text


@given(st.binary(), st.text(alphabet="ab", min_size=1, max_size=3))
def test_any_bytes_give_text_without_the_stop_string(data: bytes, stop: str) -> None:
    found, stopped = deltas(data, stop)
    text = "".join(found)
    text.encode()
    assert stop not in text
    assert stopped == (stop in data.decode(errors="replace"))


@given(st.text(alphabet="abc", max_size=12), st.lists(st.text(alphabet="abc", min_size=1, max_size=4), max_size=3))
def test_nothing_before_the_stop_string_is_lost(text: str, stop: list[str]) -> None:
    found, stopped = deltas(text.encode(), *stop)
    given_out = "".join(found)
    assert text.startswith(given_out)
    if stopped:
        assert any(text.startswith(given_out + one) for one in stop)
    else:
        assert given_out == text


def test_text_that_cannot_begin_a_stop_string_is_not_held_back() -> None:
    stream = TextStream(BYTES, ("END",))
    assert [stream.push(byte) for byte in b"xEN!"] == ["x", "", "", "EN!"]


def test_an_unfinished_character_waits_and_is_dropped_at_the_end() -> None:
    stream = TextStream(BYTES)
    assert [stream.push(byte) for byte in "é".encode() + "🙂".encode()[:3]] == ["", "é", "", "", ""]
    assert stream.finish() == ""


@pytest.mark.parametrize("text", ["plain", " spaced  out\n\t", "naïve 日本 🙂", "\x00\x7f\xa0\xad"])
def test_the_byte_table_is_the_tokenizer_reversed(tiny_tokenizer: Tokenizer, text: str) -> None:
    table = token_bytes(tiny_tokenizer)
    assert b"".join(table[i] for i in tiny_tokenizer.encode(text).ids) == text.encode()


def test_control_tokens_have_no_text(tiny_tokenizer: Tokenizer) -> None:
    assert token_bytes(tiny_tokenizer)[tiny_tokenizer.token_to_id("<|im_end|>")] == b""
