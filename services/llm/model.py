"""The language model: a conversation to tokens, tokens to logits, over a cache that each text owns."""

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from services.llm.chat import ChatML, Turn
from services.llm.constraint import Grammars
from services.llm.prefix import PrefixCache
from services.llm.text import token_bytes
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Session, open_session

FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class CacheShape:
    """Sizes of the key/value cache."""

    layers: int
    kv_heads: int
    head_size: int

    @property
    def token_bytes(self) -> int:
        """Bytes of one token's keys and values in all layers."""
        return 2 * self.layers * self.kv_heads * self.head_size * FLOAT_BYTES


class Cache:
    """Keys and values of one text, in memory that the kernel hands out as it is used and takes back at once."""

    def __init__(self, session: Session, shape: CacheShape, vocabulary: int, *, capacity: int) -> None:
        """Room for `capacity` tokens."""
        self.capacity = capacity
        self.used = 0
        self._dims = (2 * shape.layers, shape.kv_heads, capacity, shape.head_size)
        self.logits = np.empty((1, vocabulary), np.float32)
        self._memory = mmap.mmap(-1, capacity * shape.token_bytes)
        self._binding = session.inner.io_binding()
        self._bind(shape)

    def _bind(self, shape: CacheShape) -> None:
        """Bind past and present of every layer to the same memory, so that a run appends in place."""
        dims = [1, shape.kv_heads, self.capacity, shape.head_size]
        view: NDArray[np.float32] = np.frombuffer(self._memory, np.float32).reshape(-1, *dims)
        names = [f"{layer}.{part}" for layer in range(shape.layers) for part in ("key", "value")]
        for name, part in zip(names, view, strict=True):
            address = part.ctypes.data
            self._binding.bind_input(f"past_key_values.{name}", "cpu", 0, np.float32, dims, address)
            self._binding.bind_output(f"present.{name}", "cpu", 0, np.float32, dims, address)
        self._binding.bind_output("logits", "cpu", 0, np.float32, list(self.logits.shape), self.logits.ctypes.data)

    def feed(self, tokens: Sequence[int]) -> Any:
        """The binding for a run over `tokens`, which must fit, at the end of what is there."""
        count = len(tokens)
        total = self.used + count
        if not 0 < count <= self.capacity - self.used:
            raise ValueError(f"{count} tokens do not fit after {self.used} of {self.capacity}")
        self._binding.bind_cpu_input("input_ids", np.asarray([tokens], np.int64))
        self._binding.bind_cpu_input("seqlens_k", np.array([total - 1], np.int32))
        self._binding.bind_cpu_input("total_sequence_length", np.array(total, np.int32))
        self._binding.bind_cpu_input("rows", np.array([count - 1], np.int64))
        self.used = total
        return self._binding

    def copy(self, start: int, end: int) -> NDArray[np.float32]:
        """Keys and values of the tokens from `start` to `end`: float32 [2 * layers, kv_heads, tokens, head_size]."""
        return self._view()[:, :, start:end].copy()

    def restore(self, values: NDArray[np.float32]) -> None:
        """Append what `copy` gave for the same tokens at the same place."""
        end = self.used + values.shape[2]
        self._view()[:, :, self.used : end] = values
        self.used = end

    def _view(self) -> NDArray[np.float32]:
        # Made anew each time: the memory cannot be given back while a view of it lives.
        return np.frombuffer(self._memory, np.float32).reshape(self._dims)

    def close(self) -> None:
        """Give the memory back; the cache cannot be used afterwards."""
        self._binding.clear_binding_inputs()
        self._binding.clear_binding_outputs()
        self._memory.close()


class LanguageModel:
    """One loaded model. `forward` must be called by one thread at a time."""

    def __init__(self, card: Card, session: Session, tokenizer: Tokenizer, *, prefix_tokens: int = 0) -> None:
        """Keep at most `prefix_tokens` tokens of prompts between requests."""
        facts = card.extra
        self.card = card
        self.context: int = card.limits["context_tokens"]
        self.table = token_bytes(tokenizer)
        self.end_tokens = frozenset(map(int, facts["end_tokens"]))
        self.cache_shape = CacheShape(**facts["cache"])
        self._vocabulary: int = facts["vocabulary"]
        self._session = session
        self._chat = ChatML.of(tokenizer, **facts["chat"])
        self.turn_end = self._chat.end
        self.prefixes = PrefixCache(prefix_tokens)
        self.grammars = Grammars(self.table, self._chat.text, self._chat.end)

    @classmethod
    def load(cls, folder: Path, card: Card, *, threads: int = 1, prefix_tokens: int = 0) -> Self:
        """Load a model folder, and run it once so that the first request does not pay for it."""
        # The arena would keep the largest prompt's scratch memory for good.
        session = open_session(folder / "model.onnx", threads=threads, provider="cpu", cpu_arena=False)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        model = cls(card, session, tokenizer, prefix_tokens=prefix_tokens)
        cache = model.open(1)
        model.forward(cache, [min(model.end_tokens)])
        cache.close()
        return model

    def encode(self, turns: Sequence[Turn]) -> list[int]:
        """Token ids of a conversation of at least one turn, up to where the answer begins."""
        return self._chat.render(turns)

    def open(self, capacity: int) -> Cache:
        """An empty cache for a text of at most `capacity` tokens, the prompt included."""
        return Cache(self._session, self.cache_shape, self._vocabulary, capacity=capacity)

    def forward(self, cache: Cache, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Append tokens and return the logits [vocabulary] after the last; valid until the next call."""
        self._session.inner.run_with_iobinding(cache.feed(tokens))
        row: NDArray[np.float32] = cache.logits[0]
        return row
