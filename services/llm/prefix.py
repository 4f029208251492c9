"""Keys and values of prompt heads that requests share: system turns, few-shot examples, an earlier conversation.

A prompt is read in chunks whose ends depend on nothing but the tokens before them, and only whole chunks are kept. So
a chunk that is taken from here is, bit for bit, what reading it again would give.
"""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

LEAST_CHUNK = 32
"""Tokens that a chunk has before the end of a turn may end it; shorter ones would make reading slow."""


def cuts(tokens: Sequence[int], *, most: int, turn_end: int) -> tuple[int, ...]:
    """Where the chunks of a prompt end; the last is its length.

    A chunk has at most `most` tokens. It ends early with a turn, so that what is shared ends where chunks do.
    """
    ends: list[int] = []
    start = 0
    for at, token in enumerate(tokens, start=1):
        size = at - start
        if size == most or (token == turn_end and size >= LEAST_CHUNK):
            ends.append(at)
            start = at
    return tuple(ends) if start == len(tokens) else (*ends, len(tokens))


class PrefixCache:
    """The most recently used chunks of at most `capacity` tokens. For the thread that runs the model alone."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._chunks: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._tokens = 0

    @property
    def tokens(self) -> int:
        """Tokens kept now."""
        return self._tokens

    def find(self, prompt: Sequence[int], ends: Sequence[int]) -> list[NDArray[np.float32]]:
        """The kept chunks from the start of the prompt on, but not its last: that one gives the first logits."""
        return [self._chunks[key] for key in self._touch(_keys(prompt, ends[:-1]))]

    def keep(self, prompt: Sequence[int], ends: Sequence[int], values: NDArray[np.float32]) -> None:
        """Keep the chunk at the last of `ends`; values: float32 [parts, kv_heads, tokens of the chunk, head_size].

        Without the chunks before it, it could not be found: where they are not kept, neither is this one.
        """
        *before, key = _keys(prompt, ends)
        room = self._capacity - sum(_tokens(self._chunks[one]) for one in self._touch(before))
        if key in self._chunks or not all(one in self._chunks for one in before) or _tokens(values) > room:
            return
        while self._tokens + _tokens(values) > self._capacity:
            self._tokens -= _tokens(self._chunks.popitem(last=False)[1])
        self._chunks[key] = values
        self._tokens += _tokens(values)
        self._touch([*before, key])

    def _touch(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of the keys, up to the first missing one, that are kept; the first is then the last to be dropped."""
        kept = list(takewhile(self._chunks.__contains__, keys))
        for key in reversed(kept):
            self._chunks.move_to_end(key)
        return kept


def _keys(prompt: Sequence[int], ends: Sequence[int]) -> list[bytes]:
    """A chunk's key is all the prompt up to its end: its values depend on every token of that."""
    return [np.asarray(prompt[:end], "<u4").tobytes() for end in ends]


def _tokens(values: NDArray[np.float32]) -> int:
    return int(values.shape[2])
