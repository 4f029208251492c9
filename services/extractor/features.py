"""Features of every field against every place of its pool: word overlap, meaning, layout and type fit.

No feature is learnt; how they weigh against each other is fitted by the exporter and stored in the model's card.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from services.extractor.concepts import CONCEPT_STEMS, CONCEPTS, shape
from services.extractor.document import CONTEXTS, Document, Item
from services.extractor.edges import EDGES, edges
from services.extractor.encoder import WordTable
from services.extractor.fields import FieldSpec
from services.extractor.spans import Source
from services.extractor.synonyms import groups
from services.extractor.tokens import asked
from services.extractor.tokens import stem as stem_of
from services.extractor.units import same_dimension

Floats = NDArray[np.float32]
_DECAY = {
    "left": 0.9,
    "right": 0.85,
    "clause": 1.0,
    "sentence": 1.0,
    "label": 1.0,
    "header": 1.0,
    "inside": 1.0,
    "head": 1.0,
    "before": 0.85,
    "next": 1.0,
    "previous": 1.0,
}
HINTED = ("left", "right", "clause", "sentence", "label")
_SOFT_FROM = 0.42
# Kinds are looser than synonyms: a lamp is a device, but not another word for one.
_KIND_FROM = 0.1
# Items compared at once: bounds memory for long texts.
_ROWS = 512
_NEGATIONS = frozenset(
    ("not", "no", "never", "without", "kein", "keine", "nicht", "pas", "sin", "isn't", "wasn't", "don't")
)
_PREPOSITIONS = ("from", "to", "at", "by", "for", "on", "in", "of", "with", "is", "until", "about")
_ARTICLES = frozenset("the a an my your our his her this that".split())
_CLOSING = re.compile(
    r"(?:\b(?:regards|thanks|thank you|best|sincerely|cheers|wishes|yours|love|grüßen|grüße|gruß|cordialement|"
    r"saludos|atentamente)[,.!]?\s+|[-–—]\s?)$",
    re.I,
)
_GREETING = re.compile(
    r"\b(?:hi|hello|dear|hallo|hey|liebe[rs]?|bonjour|hola|good (?:morning|afternoon|evening))\s+$", re.I
)
_PARTS = ("money", "percent", "ordinal", "words", "phone", "id", "times")
PAIR = (
    *(f"name_{c}" for c in CONTEXTS), *(f"hint_{c}" for c in HINTED), "label_fit", "header_fit",
    "mean_span", "mean_left", "mean_clause", "mean_sentence",
    "lead_left", "lead_label", "lead_clause", "lead_mean", "rival", "rival_inside", "kind_fit", "kind_clash",
)  # fmt: skip
PLACE = (
    "where", "first", "last", "repeats", "unsure", "ambiguous", "negated", "tall", "starts_sentence", "year",
    "whole", "length", "long",
    "after_closing", "after_greeting", "after_article", *(f"after_{p}" for p in _PREPOSITIONS),
    *(f"part_{p}" for p in _PARTS), *(f"source_{s.name.lower()}" for s in Source if s.name), *EDGES,
    "unit_fit", "unit_clash",
)  # fmt: skip
NULL = (
    "bias",
    "best_left",
    "best_label",
    "best_clause",
    "best_sentence",
    "best_mean",
    "best_any",
    "blank",
    "none",
    "many",
    "negated",
)


@dataclass(frozen=True, slots=True)
class Pooled:
    """Features of one field against its pool of n items.

    `pair` [n, PAIR] depends on field and place, `place` [n, PLACE] mostly on the place, `shapes` [n] index SHAPES,
    `affinity` [CONCEPTS] on the field alone, `null` [NULL] on the field and the whole text. `kind` is the field's type.
    """

    items: tuple[Item, ...]
    pair: Floats
    place: Floats
    shapes: NDArray[np.int64]
    affinity: Floats
    null: Floats
    kind: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Words of one field: weights of name words and instruction words, and rows of the similarity matrix."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    names: Floats
    hints: Floats


def asked_of(field: FieldSpec) -> Asked:
    """What a field asks for, as weighted words."""
    listed = asked(field.name, field.instructions)
    from_name = {s for _, s, _ in asked(field.name, "")}
    weights = np.array([w for _, _, w in listed], np.float32)
    named = np.array([s in from_name for _, s, _ in listed])
    return Asked(
        tuple(w for w, _, _ in listed),
        tuple(s for _, s, _ in listed),
        _share(weights * named),
        _share(weights * ~named),
    )


def _share(weights: Floats) -> Floats:
    total = float(weights.sum())
    return (weights / total if total else weights).astype(np.float32)


class Similarity:
    """How near each asked word is to each word of the text, in [0, 1]: 1 for the same stem, less by meaning."""

    def __init__(self, document: Document, fields: list[Asked], table: WordTable) -> None:
        stems = [word.stem for word in document.words]
        distinct = list(dict.fromkeys(stems))
        place = {s: i for i, s in enumerate(distinct)}
        surface = {word.stem: document.text[word.start : word.end].lower() for word in reversed(document.words)}
        queries = [w for field in fields for w in field.words]
        query_stems = [s for field in fields for s in field.stems]
        near = (
            table(queries) @ table([surface[s] for s in distinct]).T
            if distinct
            else np.zeros((len(queries), 0), np.float32)
        )
        soft = np.clip((near - _SOFT_FROM) / (1 - _SOFT_FROM), 0, 1) * 0.8
        for row, asked_stem in enumerate(query_stems):
            own = groups(asked_stem)
            if own:
                for other in (s for s in distinct if own & groups(s)):
                    soft[row, place[other]] = max(soft[row, place[other]], 0.85)
            for other in _kin(asked_stem, distinct):
                soft[row, place[other]] = max(soft[row, place[other]], 0.8)
            if asked_stem in place:
                soft[row, place[asked_stem]] = 1.0
        columns = np.array([place[s] for s in stems], np.int64)
        # The last column is the word that is not there.
        self.matrix = np.concatenate([soft[:, columns], np.zeros((len(queries), 1), np.float32)], 1).astype(np.float32)
        edges = np.cumsum([0, *(len(field.words) for field in fields)])
        self.rows = [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _kin(asked_stem: str, distinct: list[str]) -> list[str]:
    if len(asked_stem) < 4:
        return []
    head = asked_stem[:4]
    return [
        s for s in distinct
        if (s.startswith(head) and abs(len(s) - len(asked_stem)) <= 3 and len(_common(s, asked_stem)) >= min(len(s),
            len(asked_stem)) - 2)
        or (len(asked_stem) >= 5 and len(s) > len(asked_stem) and (s.startswith(asked_stem) or s.endswith(asked_stem)))
    ]  # fmt: skip


def _common(a: str, b: str) -> str:
    size = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:size]


class Affinity:
    """How much a field asks for each of CONCEPTS, in [0, 1]."""

    def __init__(self, table: WordTable) -> None:
        self._table = table
        self._prototypes = table([word for listed in CONCEPTS.values() for word in listed])
        self._begin = np.cumsum([0, *(len(listed) for listed in CONCEPTS.values())])[:-1]

    def of_words(self, words: list[str]) -> Floats:
        """How near each word is to each of CONCEPTS, [words, CONCEPTS] in [0, 1]."""
        if not words:
            return np.zeros((0, len(CONCEPTS)), np.float32)
        near = np.maximum.reduceat(self._table(words) @ self._prototypes.T, self._begin, axis=1)
        closeness: Floats = (np.clip(near - _KIND_FROM, 0, 1) / (1 - _KIND_FROM)).astype(np.float32)
        return closeness

    def __call__(self, field: Asked) -> Floats:
        """[CONCEPTS]; a word of the name counts fully, one of the instructions a little less."""
        strength = np.maximum(
            field.names / max(float(field.names.max(initial=0)), 1e-9),
            0.6 * field.hints / max(float(field.hints.max(initial=0)), 1e-9),
        )
        near = np.maximum.reduceat(self._table(field.words) @ self._prototypes.T, self._begin, axis=1)
        near = np.clip(near - _SOFT_FROM, 0, 1) / (1 - _SOFT_FROM) * 0.7
        exact = np.array([[stem in CONCEPT_STEMS[name] for name in CONCEPTS] for stem in field.stems])
        wanted: Floats = (np.where(exact, 1.0, near) * strength[:, None]).max(0).astype(np.float32)
        return wanted


def nearest(matrix: Floats, contexts: dict[str, NDArray[np.int32]], name: str) -> Floats:
    """Best similarity of each asked word in a context, nearer words counting more: [asked words, items]."""
    context = contexts[name]
    decay = _DECAY[name] ** np.arange(context.shape[1], dtype=np.float32)
    parts = [(matrix[:, context[at : at + _ROWS]] * decay).max(2) for at in range(0, len(context), _ROWS)]
    return np.concatenate(parts, 1) if parts else np.zeros((len(matrix), 0), np.float32)


def fit(similarity: Floats, context: NDArray[np.int32]) -> Floats:
    """Share of a label's words that the field asks for, [items]."""
    there = context >= 0
    best = similarity[:, context].max(0) * there
    share: Floats = (best.sum(1) / np.maximum(there.sum(1), 1)).astype(np.float32)
    return share


def places(document: Document, items: tuple[Item, ...]) -> tuple[Floats, NDArray[np.int64]]:
    """PLACE features that do not depend on the field, and shapes."""
    out = np.zeros((len(items), len(PLACE)), np.float32)
    column = {name: index for index, name in enumerate(PLACE)}
    text, size = document.text, max(len(document.text), 1)
    seen: dict[object, int] = {}
    for item in items:
        seen[item.candidate.value] = seen.get(item.candidate.value, 0) + 1
    for row, item in enumerate(items):
        c = item.candidate
        line, sentence = document.layout.line(c.start), document.layout.sentence(c.start)
        first, last = document.word_range(c.start, c.end)
        shown = text[c.start : c.end]
        values = {
            "where": c.start / size,
            "first": row == 0,
            "last": row == len(items) - 1,
            "repeats": np.log(seen[c.value]),
            "unsure": not c.sure,
            "ambiguous": c.other is not None,
            "negated": any(w.stem in _NEGATIONS for w in document.words[max(0, first - 2) : first]),
            "tall": "\n" in shown,
            "starts_sentence": text[sentence[0] : c.start].strip(" \"'“(#*-") == "",
            "year": isinstance(c.value, Decimal) and len(shown) == 4 and shown.isdigit() and 1900 <= c.value < 2100,
            "whole": c.start - line[0] + line[1] - c.end <= 2,
            "length": min(last - first, 8) / 4,
            "long": max(0, last - first - 4) / 4,
        }
        before = text[max(0, c.start - 24) : c.start]
        values["after_closing"] = _CLOSING.search(before) is not None
        values["after_greeting"] = _GREETING.search(before) is not None
        previous = text[document.words[first - 1].start : document.words[first - 1].end].lower() if first else ""
        values["after_article"] = previous in _ARTICLES
        if previous in _PREPOSITIONS:
            values[f"after_{previous}"] = 1
        for name, value in values.items():
            out[row, column[name]] = value
        if c.part_of in _PARTS:
            out[row, column[f"part_{c.part_of}"]] = 1
        for source in item.source:
            if source.name:
                out[row, column[f"source_{source.name.lower()}"]] = 1
    spots = [(item.candidate.start, item.candidate.end) for item in items]
    ranges = [document.word_range(start, end) for start, end in spots]
    out[:, column[EDGES[0]] : column[EDGES[-1]] + 1] = edges(text, document.words, ranges, spots)
    return out, np.array([shape(text, item) for item in items], np.int64)


def with_units(place: Floats, items: tuple[Item, ...], field: FieldSpec, asked: Asked) -> Floats:
    """PLACE features with the agreement of units filled in: the field's unit, or a counted word in its name."""
    if field.sought not in ("number", "money"):
        return place
    place = place.copy()
    named = {stem for stem, weight in zip(asked.stems, asked.names, strict=True) if weight > 0}
    for row, item in enumerate(items):
        unit = item.candidate.unit
        agrees = same_dimension(field.unit, unit) if field.unit else (stem_of(unit) in named or None) if unit else None
        place[row, PLACE.index("unit_fit")] = agrees is True
        place[row, PLACE.index("unit_clash")] = agrees is False
    return place


def behind(column: Floats) -> Floats:
    """How far each item is behind the best one."""
    return column - column.max() if len(column) else column
