"""The tokenizer of a GGUF file as a `tokenizers` model: byte-level BPE."""

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from exporters.llm.weights import UnsupportedWeights

_CONTROL = 3
_USER_DEFINED = 4

# How text is cut before merging, by the GGUF name of the pre-tokenizer.
_CUTTERS: dict[str, list[Any]] = {
    "smollm": [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)],
    "gpt-2": [pre_tokenizers.ByteLevel(add_prefix_space=False)],
    "qwen2": [
        pre_tokenizers.Split(
            Regex(
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                r"|\s*[\r\n]+|\s+(?!\S)|\s+"
            ),
            behavior="isolated",
        ),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ],
}


def build_tokenizer(metadata: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer described by the `tokenizer.ggml.*` keys; ids equal the rows of the embedding.

    Raises UnsupportedWeights for another kind than byte-level BPE, or an unknown pre-tokenizer.
    """
    kind, cutter = metadata["tokenizer.ggml.model"], metadata.get("tokenizer.ggml.pre", "gpt-2")
    if kind != "gpt2" or cutter not in _CUTTERS:
        raise UnsupportedWeights(f"tokenizer {kind!r} with pre-tokenizer {cutter!r} is not supported")
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    kinds: list[int] = metadata["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ", 1)) for merge in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(_CUTTERS[cutter])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(_added(tokens, kinds, _CONTROL))
    tokenizer.add_tokens(_added(tokens, kinds, _USER_DEFINED))
    return tokenizer


def _added(tokens: list[str], kinds: list[int], kind: int) -> list[AddedToken]:
    return [
        AddedToken(token, normalized=False, special=kind == _CONTROL)
        for token, own in zip(tokens, kinds, strict=True)
        if own == kind
    ]
