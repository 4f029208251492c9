"""How close each place of a text is in meaning to each field, from the sentence encoder."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.extractor.document import Document, Item
from services.extractor.encoder import WINDOW, Encoder
from services.extractor.fields import FieldSpec
from services.extractor.tokens import spelled

Floats = NDArray[np.float32]
# Beyond this many windows only the promising ones are encoded; every place keeps its word features.
MOST_WINDOWS = 24


def question(field: FieldSpec) -> str:
    """The text that stands for a field."""
    return f"{spelled(field.name)}: {field.instructions}" if field.instructions else spelled(field.name)


def windows(document: Document, starts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Token ranges of at most WINDOW tokens, cut where a sentence begins when one begins late enough."""
    begins = np.searchsorted(starts, [start for start, _ in document.layout.sentences])
    found, at = [], 0
    while at < len(starts):
        end = min(at + WINDOW, len(starts))
        if end < len(starts):
            cuts = begins[(begins > at + WINDOW // 2) & (begins <= end)]
            end = int(cuts[-1]) if len(cuts) else end
        found.append((at, end))
        at = end
    return found


class Tokens:
    """Vectors of a text's tokens, window by window; in a long text only the windows that hold something promising."""

    def __init__(self, document: Document, encoder: Encoder, promising: Sequence[int]) -> None:
        encoding = encoder.tokenizer.encode(document.text, add_special_tokens=False)
        self.starts = np.array([start for start, _ in encoding.offsets], np.int64)
        self.count = len(encoding.ids)
        cut = windows(document, self.starts)
        self.windows = len(cut)
        chosen = _chosen(cut, np.searchsorted(self.starts, np.array(promising, np.int64)))
        self.read = [(a, b, encoder.tokens(encoding.ids[a:b])) for a, b in chosen]


class Meaning:
    """Mean similarity of any stretch of the text to each field, in constant time per stretch."""

    def __init__(self, tokens: Tokens, fields: Sequence[FieldSpec], encoder: Encoder) -> None:
        self._starts, self.token_count = tokens.starts, tokens.count
        asked = np.stack([encoder.text(question(field)) for field in fields])
        near = np.zeros((tokens.count, len(fields)), np.float32)
        for start, end, rows in tokens.read:
            near[start:end] = rows @ asked.T
        read = [(a, b) for a, b, _ in tokens.read]
        for column in near.T:
            mean = sum(float(column[a:b].sum()) for a, b in read) / max(sum(b - a for a, b in read), 1)
            for a, b in read:
                column[a:b] -= mean
        self._sums = np.concatenate([np.zeros((1, len(fields)), np.float64), near.cumsum(0, dtype=np.float64)])

    def of(self, places: list[tuple[int, int]]) -> Floats:
        """[places, fields]; zero means no closer than the text as a whole."""
        bounds = np.array(places, np.int64).reshape(-1, 2)
        first = np.searchsorted(self._starts, bounds[:, 0])
        last = np.maximum(np.searchsorted(self._starts, bounds[:, 1]), first + 1)
        last = np.minimum(last, self.token_count)
        first = np.minimum(first, last)
        size = np.maximum(last - first, 1)[:, None]
        mean: Floats = ((self._sums[last] - self._sums[first]) / size).astype(np.float32)
        return mean


def _chosen(cut: list[tuple[int, int]], promising: NDArray[np.int64]) -> list[tuple[int, int]]:
    if len(cut) <= MOST_WINDOWS:
        return cut
    chosen: list[tuple[int, int]] = []
    for token in promising:
        window = next((w for w in cut if w[0] <= token < w[1]), None)
        if window is not None and window not in chosen:
            chosen.append(window)
        if len(chosen) == MOST_WINDOWS:
            break
    return sorted(chosen)


def stretches(document: Document, items: tuple[Item, ...]) -> dict[str, list[tuple[int, int]]]:
    """The stretches around each item whose meaning counts."""
    out: dict[str, list[tuple[int, int]]] = {"span": [], "left": [], "clause": [], "sentence": []}
    for item in items:
        start, end = item.candidate.start, item.candidate.end
        first, _ = document.word_range(start, end)
        sentence = document.layout.sentence(start)
        begin = document.words[max(0, first - 7)].start if document.words else start
        out["span"].append((start, end))
        out["left"].append((min(max(begin, sentence[0]), start), start))
        out["clause"].append(document.layout.clause(start, end))
        out["sentence"].append((min(sentence[0], start), max(sentence[1], end)))
    return out
