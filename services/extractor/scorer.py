"""Scores every place of a text for every field: the features that the ranker weighs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from services.extractor import features, vectors
from services.extractor.document import Document
from services.extractor.encoder import Encoder, WordTable
from services.extractor.features import NULL, PLACE, Affinity, Asked, Pooled, Similarity
from services.extractor.fields import FieldSpec
from services.extractor.focus import LONG_TEXT, Focus, focus
from services.extractor.vectors import Meaning, Tokens

Floats = NDArray[np.float32]
# Fields that are read together.
_TURN = 16


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
        self._affinity = Affinity(self.table)

    def read(self, document: Document, fields: Sequence[FieldSpec]) -> Reading:
        """Features of each field against its pool; many fields are read in turns, so that memory stays bounded."""
        turns = [list(fields[at : at + _TURN]) for at in range(0, len(fields), _TURN)]
        pooled: list[Pooled] = []
        places: dict[str, _Places] = {}
        looked = [self._look(document, turn) for turn in turns]
        promising = [start for look in looked if look.focus for start in look.focus.starts]
        tokens = Tokens(document, self.encoder, promising)
        for turn, look in zip(turns, looked, strict=True):
            pooled += self._turn(document, turn, look, tokens, places)
        return Reading(tuple(pooled), tokens.count, tokens.windows)

    def _look(self, document: Document, fields: list[FieldSpec]) -> "_Look":
        asked = [features.asked_of(field) for field in fields]
        return (
            _Look(asked, focus(document, Similarity(document, asked, self.table), asked))
            if _long(document)
            else _Look(asked, None)
        )

    def _turn(
        self, document: Document, fields: list[FieldSpec], look: "_Look", tokens: Tokens, places: dict[str, "_Places"]
    ) -> list[Pooled]:
        similarity = Similarity(document, look.asked, self.table)
        meaning = Meaning(tokens, fields, self.encoder)
        blanks = _blanks(document, similarity, look.asked)
        if look.focus is not None:
            places.clear()
        for kind in dict.fromkeys(field.sought for field in fields):
            if kind not in places:
                places[kind] = _Places(document, kind, look.focus, self._affinity)
        pools = {
            kind: _Pool(places[kind], similarity, look.asked, meaning)
            for kind in dict.fromkeys(field.sought for field in fields)
        }
        return [
            pools[field.sought].features(index, field, self._affinity(look.asked[index]), blanks[index])
            for index, field in enumerate(fields)
        ]


def _long(document: Document) -> bool:
    return len(document.text) > LONG_TEXT


@dataclass(frozen=True, slots=True)
class _Look:
    """What one turn's fields ask for, and where a long text is looked at closely."""

    asked: list[Asked]
    focus: Focus | None


class _Places:
    """One type's places and all that is true of them whatever is asked."""

    def __init__(self, document: Document, kind: str, look: Focus | None, affinity: Affinity) -> None:
        self.items = document.pool(kind, look.holds if look else None)
        self.contexts = document.contexts(self.items)
        self.place, self.shapes = features.places(document, self.items)
        heads = [document.head(item.candidate.start, item.candidate.end) for item in self.items]
        distinct = list(dict.fromkeys(heads))
        rows = {word: row for row, word in enumerate(distinct)}
        self.concepts = affinity.of_words(distinct)[[rows[word] for word in heads]]
        self.stretches = vectors.stretches(document, self.items)


class _Pool:
    """One type's places, compared with all fields of a turn at once."""

    def __init__(self, places: _Places, similarity: Similarity, asked: list[Asked], meaning: Meaning) -> None:
        self.items, self.place, self.shapes = places.items, places.place, places.shapes
        self._concepts = places.concepts
        self.meaning = {name: meaning.of(stretches) for name, stretches in places.stretches.items()}
        self._similarity, self._asked = similarity, asked
        self._contexts = places.contexts
        near = {name: features.nearest(similarity.matrix, places.contexts, name) for name in places.contexts}
        self.names = {name: self._weigh(near[name], "names") for name in near}
        self.hints = {name: self._weigh(near[name], "hints") for name in features.HINTED}
        self._anywhere = similarity.matrix.max(1)
        self._claim = np.maximum(np.maximum(self.names["label"], self.names["left"]), 0.7 * self.names["clause"])

    def _weigh(self, near: Floats, which: str) -> Floats:
        rows = [getattr(a, which) @ near[rows] for a, rows in zip(self._asked, self._similarity.rows, strict=True)]
        return np.stack(rows).astype(np.float32)

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
        others, inside = _of_others(self._claim, index), _of_others(self.names["inside"], index)
        pair = np.stack(
            [*names, *hints, label_fit, header_fit, *means, *leads, others, inside, *self._kinds(affinity)], 1
        )
        place = features.with_units(self.place, self.items, field, self._asked[index])
        null = self._null(index, means, label, blank)
        return Pooled(self.items, pair, place, self.shapes, affinity, null, field.sought)

    def _kinds(self, affinity: Floats) -> tuple[Floats, Floats]:
        """Whether the last word of a place is the kind of thing that is asked for, and whether it is another kind."""
        asked = affinity / max(float(affinity.max()), 1e-9)
        return (self._concepts * asked).max(1, initial=0), (self._concepts * (1 - asked)).max(1, initial=0)

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


def _of_others(columns: Floats, index: int) -> Floats:
    """The strongest of the other fields at each place."""
    strongest: Floats = np.delete(columns, index, 0).max(0, initial=0)
    return strongest


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
