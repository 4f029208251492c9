from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from exporters.llm.tokenizer import build_tokenizer
from exporters.llm.weights import UnsupportedWeights
from tests.unit.exporters.llm.tiny import CONTROL, merges, vocabulary

METADATA = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": vocabulary(),
    "tokenizer.ggml.token_type": [3] * len(CONTROL) + [1] * (len(vocabulary()) - len(CONTROL)),
    "tokenizer.ggml.merges": [f"{left} {right}" for left, right in merges()],
}


@settings(deadline=None)
@given(st.text())
def test_every_text_comes_back(text: str) -> None:
    tokenizer = build_tokenizer(METADATA)
    tokenizer.encode_special_tokens = True
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


def test_ids_are_the_places_in_the_file(tmp_path: Path) -> None:
    build_tokenizer(METADATA).save(str(tmp_path / "tokenizer.json"))
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())] == vocabulary()


def test_digits_stand_alone_and_merges_apply() -> None:
    tokens = build_tokenizer(METADATA).encode("the 42 and").tokens
    assert tokens == ["the", "Ġ", "4", "2", "Ġand"]


def test_control_tokens_are_read_only_when_asked_for() -> None:
    tokenizer = build_tokenizer(METADATA)
    assert tokenizer.encode("<|im_end|>").tokens == ["<|im_end|>"]
    tokenizer.encode_special_tokens = True
    assert len(tokenizer.encode("<|im_end|>").tokens) > 1


def test_an_unknown_cutter_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedWeights, match="llama-bpe"):
        build_tokenizer({**METADATA, "tokenizer.ggml.pre": "llama-bpe"})
