"""Which sentences of a long text are worth a close look: a linear scan over all of it.

Every recognised value of the text stays a candidate. Only free spans and the encoder's windows are limited to the
sentences whose words fit some field best, and to the beginning and the end of the text.
"""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.extractor.document import Document
from services.extractor.features import Asked, Similarity

# Characters up to which everything is looked at closely.
LONG_TEXT = 8000
_PER_FIELD = 24
_EDGE = 12


@dataclass(frozen=True, slots=True)
class Focus:
    """Starts of the chosen sentences, best first; every sentence is chosen in a text that is not long."""

    starts: tuple[int, ...]
    ordered: tuple[int, ...]

    def holds(self, start: int, end: int) -> bool:
        """Whether a chosen sentence begins in [start, end)."""
        at = bisect.bisect_left(self.ordered, start)
        return at < len(self.ordered) and self.ordered[at] < end


def focus(document: Document, similarity: Similarity, asked: Sequence[Asked]) -> Focus | None:
    """The sentences to look at closely; None means all."""
    if len(document.text) <= LONG_TEXT:
        return None
    sentences = document.layout.sentences
    ranges = [document.word_range(start, end) for start, end in sentences]
    filled = [i for i, (first, last) in enumerate(ranges) if first < last]
    if not filled:
        return Focus((), ())
    begins = np.array([ranges[i][0] for i in filled])
    best: dict[int, float] = {}
    for field, rows in zip(asked, similarity.rows, strict=True):
        nearest = np.maximum.reduceat(similarity.matrix[rows, :-1], begins, axis=1)
        fits = (field.names + 0.5 * field.hints) @ nearest
        for place in np.argsort(-fits, kind="stable")[:_PER_FIELD]:
            for index in (filled[int(place)], min(filled[int(place)] + 1, len(sentences) - 1)):
                best[index] = max(best.get(index, 0.0), float(fits[place]))
    for index in (*range(min(_EDGE, len(sentences))), *range(max(0, len(sentences) - _EDGE), len(sentences))):
        best.setdefault(index, 0.0)
    ranked = sorted(best, key=lambda index: (-best[index], index))
    starts = tuple(sentences[index][0] for index in ranked)
    return Focus(starts, tuple(sorted(starts)))
