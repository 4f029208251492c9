"""Scores every place of a text for every field: the features that the ranker weighs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from services.extractor import features, vectors
from services.extractor.document import Document
from services.extractor.encoder import Encoder, WordTable
from services.extractor.features import NULL, PLACE, Asked, Pooled, Similarity
from services.extractor.fields import FieldSpec
from services.extractor.vectors import Meaning

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reading:
    """Features of all fields of a request, and what was read for them."""

    pooled: tuple[Pooled, ...]
    tokens: int
    passes: int


class Scorer:
    """The encoder and the word table of one model."""

    def __init__(self, folder: Path, *, threads: int = 1, provider: str = "auto") -> None:
        self.encoder = Encoder(folder, threads=threads, provider=provider)
        self.table = WordTable(folder / "words.npy", self.encoder.tokenizer)

    def read(self, document: Document, fields: Sequence[FieldSpec]) -> Reading:
        """Features of each field against its pool."""
        asked = [features.asked_of(field) for field in fields]
        similarity = Similarity(document, asked, self.table)
        pools = {kind: _Pool(document, kind, similarity, asked) for kind in dict.fromkeys(f.sought for f in fields)}
        promising = [place for pool in pools.values() for place in pool.promising()]
        meaning = Meaning(document, list(fields), self.encoder, promising=promising)
        blanks = _blanks(document, similarity, asked)
        for pool in pools.values():
            pool.meaning = {
                name: meaning.of(places) for name, places in vectors.stretches(document, pool.items).items()
            }
        pooled = tuple(
            pools[field.sought].features(index, field, features.affinity(asked[index], self.table), blanks[index])
            for index, field in enumerate(fields)
        )
        return Reading(pooled, meaning.token_count, meaning.passes)


class _Pool:
    """One type's places, compared with all fields at once."""

    def __init__(self, document: Document, kind: str, similarity: Similarity, asked: list[Asked]) -> None:
        self.items = document.pool(kind)
        self.meaning: dict[str, Floats] = {}
        self._similarity, self._asked = similarity, asked
        contexts = document.contexts(self.items)
        self._contexts = contexts
        near = {name: features.nearest(similarity.matrix, contexts, name) for name in contexts}
        self.names = {name: self._weigh(near[name], "names") for name in near}
        self.hints = {name: self._weigh(near[name], "hints") for name in features.HINTED}
        self._anywhere = similarity.matrix.max(1)
        self.place, self.shapes = features.places(document, self.items)
        claim = np.maximum(np.maximum(self.names["label"], self.names["left"]), 0.7 * self.names["clause"])
        self._claim = claim

    def _weigh(self, near: Floats, which: str) -> Floats:
        rows = [getattr(a, which) @ near[rows] for a, rows in zip(self._asked, self._similarity.rows, strict=True)]
        return np.stack(rows).astype(np.float32)

    def promising(self) -> list[int]:
        """Starts of the places whose words fit best, best first over all fields."""
        if not self.items:
            return []
        best = (self._claim + 0.5 * self.hints["clause"]).max(0)
        order = np.argsort(-best, kind="stable")[:256]
        return [self.items[int(i)].candidate.start for i in order]

    def features(self, index: int, field: FieldSpec, affinity: Floats, blank: float) -> Pooled:
        matrix = self._similarity.matrix[self._similarity.rows[index]]
        label_fit = features.fit(matrix, self._contexts["label"])
        header_fit = features.fit(matrix, self._contexts["header"])
        names = [self.names[c][index] for c in self.names]
        hints = [self.hints[c][index] for c in self.hints]
        means = [self.meaning[m][:, index] for m in ("span", "left", "clause", "sentence")]
        label = self.names["label"][index] * label_fit
        leads = [features.behind(self.names["left"][index]), features.behind(label),
                 features.behind(self.names["clause"][index]), features.behind(means[2])]  # fmt: skip
        others = (
            np.delete(self._claim, index, 0).max(0) if len(self._claim) > 1 else np.zeros(len(self.items), np.float32)
        )
        pair = np.stack([*names, *hints, label_fit, header_fit, *means, *leads, others], 1)
        return Pooled(self.items, pair, features.with_units(self.place, self.items, field), self.shapes, affinity,
                      self._null(index, means, label, blank), field.sought)  # fmt: skip

    def _null(self, index: int, means: list[Floats], label: Floats, blank: float) -> Floats:
        def best(column: Floats) -> float:
            return float(column.max()) if len(column) else 0.0

        asked, rows = self._asked[index], self._similarity.rows[index]
        negated = self.place[:, PLACE.index("negated")] * self.names["clause"][index]
        values = {
            "bias": 1.0,
            "best_left": best(self.names["left"][index]),
            "best_label": best(label),
            "best_clause": best(self.names["clause"][index]),
            "best_sentence": best(self.names["sentence"][index]),
            "best_mean": best(means[2]),
            "best_any": float((asked.names * self._anywhere[rows]).sum()),
            "blank": blank,
            "none": float(not self.items),
            "many": float(np.log1p(len(self.items))) / 5,
            "negated": best(negated),
        }
        return np.array([values[name] for name in NULL], np.float32)


def _blanks(document: Document, similarity: Similarity, asked: list[Asked]) -> list[float]:
    """Per field: how well the label of some empty place fits it."""
    rows = []
    for blank in document.found.blanks:
        first, last = document.word_range(blank.start, blank.label_end)
        rows.append(list(range(first, min(last, first + 6))) + [-1] * (6 - min(last - first, 6)))
    if not rows:
        return [0.0] * len(similarity.rows)
    context = np.array(rows, np.int32)
    out = []
    for field, span in zip(asked, similarity.rows, strict=True):
        matrix = similarity.matrix[span]
        named = field.names @ matrix[:, context].max(2)
        out.append(float((named * features.fit(matrix, context)).max()))
    return out
