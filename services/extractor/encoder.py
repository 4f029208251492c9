"""The sentence encoder and the word table: what a text's words mean."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from services.runtime.onnx.session import open_session

WINDOW = 254
_CACHE = 4096
Floats = NDArray[np.float32]


class WordTable:
    """Vectors of single words, without a model run: rows of an int8 table, mean over word pieces."""

    def __init__(self, path: Path, tokenizer: Tokenizer) -> None:
        self._rows = np.load(path)
        self._tokenizer = tokenizer
        self._known: OrderedDict[str, Floats] = OrderedDict()

    @property
    def width(self) -> int:
        """Numbers per word."""
        return int(self._rows.shape[1])

    def __call__(self, words: Sequence[str]) -> Floats:
        """Unit vectors [words, width]; zeros for what the vocabulary cannot spell."""
        return np.stack([self._one(word) for word in words]) if words else np.zeros((0, self.width), np.float32)

    def _one(self, word: str) -> Floats:
        if word in self._known:
            self._known.move_to_end(word)
            return self._known[word]
        ids = self._tokenizer.encode(word, add_special_tokens=False).ids[:8]
        vector: Floats = (
            self._rows[ids].astype(np.float32).sum(0) if ids and 100 not in ids else np.zeros(self.width, np.float32)
        )
        norm = float(np.linalg.norm(vector))
        vector = vector / np.float32(norm) if norm else vector
        self._known[word] = vector
        if len(self._known) > _CACHE:
            self._known.popitem(last=False)
        return vector


class Encoder:
    """Token vectors of a text, one window at a time: a batch of one, so that companions cannot matter."""

    def __init__(self, folder: Path, *, threads: int = 1, provider: str = "auto") -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self._session = open_session(folder / "model.onnx", threads=threads, provider=provider)
        self._start = self.tokenizer.token_to_id("[CLS]")
        self._end = self.tokenizer.token_to_id("[SEP]")
        self._texts: OrderedDict[str, Floats] = OrderedDict()

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def tokens(self, ids: Sequence[int]) -> Floats:
        """Unit vectors [tokens, width] of one window of token ids, without the marks at its ends."""
        feed = np.array([[self._start, *ids, self._end]], np.int64)
        vectors: Floats = self._session.run({"ids": feed}, ["vectors"])[0][0][1:-1]
        unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return unit

    def text(self, text: str) -> Floats:
        """Unit vector [width] of a short text; kept for the next request with the same field."""
        if text in self._texts:
            self._texts.move_to_end(text)
            return self._texts[text]
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids[:WINDOW]
        feed = np.array([[self._start, *ids, self._end]], np.int64)
        mean: Floats = self._session.run({"ids": feed}, ["vectors"])[0][0].mean(0)
        unit: Floats = mean / np.maximum(np.linalg.norm(mean), np.float32(1e-9))
        self._texts[text] = unit
        if len(self._texts) > _CACHE:
            self._texts.popitem(last=False)
        return unit
