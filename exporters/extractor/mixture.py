"""The training stream: packed rows of the corpora, invented letters and invented slots, in batches of like length."""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from exporters.extractor import corpora
from exporters.extractor.pack import Ask, Packer, Row, Text
from exporters.extractor.vary import varied

# Whole sources that no weight ever sees, and scripts that the base's vocabulary cannot spell.
UNSEEN = (*corpora.HELD, *corpora.CALIBRATED)
UNSPELT = ("jaquad_ja", "cmrc2018_zh", "uner_zh", "xquad_ar", "xquad_el", "xquad_hi", "xquad_ru", "xquad_th",
    "xquad_zh", "recognizers_arabic", "recognizers_chinese", "recognizers_hindi", "recognizers_japanese",
    "recognizers_korean", "recognizers_parsers_arabic", "recognizers_parsers_chinese", "recognizers_parsers_hindi",
    "recognizers_parsers_japanese", "recognizers_parsers_korean")  # fmt: skip
COMPUTED = ("gsm8k", "sgd_computed")
# How much a source counts beside its size: the more so, the freer its questions.
WEIGHTS = {"sgd": 3.0, "qamr_en": 3.0, "squad_it": 1.5, "snips": 1.0, "hwu_nlu": 1.2, "usaddress": 0.5, "xquad": 1.0,
    "address_formatting": 0.5, "grobid_citations": 0.6, "anystyle": 0.6, "bio_": 0.6, "recognizers": 0.35}  # fmt: skip
INVENTED = {"letters": 0.22, "invented": 0.16}
MOST_FIELDS = 7
LONGEST_SPAN = 32
TOKENS = 230
STEP = 32


@dataclass(frozen=True, slots=True)
class Example:
    """A packed row and, per field, the (first, last) token places of its answers; several for a list."""

    row: Row
    answers: tuple[tuple[tuple[int, int], ...], ...]
    many: tuple[bool, ...]
    source: str

    @property
    def tokens(self) -> int:
        """Tokens of the row."""
        return len(self.row.ids)


class Stream(Protocol):
    """Makes rows for ever."""

    def row(self) -> corpora.Row:
        """The next row."""


def spans_of(text: str, kind: str, answer: dict[str, Any]) -> list[tuple[int, int]] | None:
    """Places of an answer: those given, and every other place of the same text; None when it has no place."""
    if "spans" in answer:
        return [(a, b) for a, b in answer["spans"]]
    if "span" not in answer:
        return None
    start, end = answer["span"]
    if kind != "text" or not 3 <= end - start <= 80:
        return [(start, end)]
    shown = re.escape(text[start:end])
    return [match.span() for match in re.finditer(rf"(?<!\w){shown}(?!\w)", text)] or [(start, end)]


class Examples:
    """Turns rows into examples."""

    def __init__(self, packer: Packer, rng: random.Random) -> None:
        self._packer, self._rng = packer, rng

    def example(self, row: corpora.Row) -> Example | None:
        """One example of some of the row's fields on a stretch of its text; None when nothing is left to ask."""
        asked = []
        for index, (name, field) in enumerate(row["fields"].items()):
            answer = row["answers"][name]
            places = [] if answer is None else spans_of(row["text"], field["type"], answer)
            if places is not None:
                ask = Ask(name or f"field_{index}", field["type"], field.get("instructions") or "")
                asked.append((varied(ask, self._rng), places))
        if not asked or not row["text"].strip():
            return None
        if len(asked) > MOST_FIELDS:
            asked = self._rng.sample(asked, self._rng.randint(3, MOST_FIELDS))
        text = self._packer.text(row["text"])
        first, last = self._stretch(text, [place for _, places in asked for place in places])
        text = text.cut(first, last)
        fields, answers, many = [], [], []
        for ask, places in asked:
            found = [text.covering(*place) for place in places]
            inside = tuple(f for f in found if f is not None and f[1] - f[0] < LONGEST_SPAN)
            if len(inside) < len(found) and (not inside or ask.type == "list") and not _outside(text, places):
                continue
            fields.append(self._packer.field(ask))
            answers.append(inside)
            many.append(ask.type == "list")
        if not fields or not len(text.ids):
            return None
        packed = self._packer.row(fields, text)
        shifted = tuple(tuple((a + packed.first, b + packed.first) for a, b in found) for found in answers)
        return Example(packed, shifted, tuple(many), str(row.get("source", "")))

    def _stretch(self, text: Text, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """At most TOKENS tokens of a long text, most often around some answer."""
        count = len(text.ids)
        if count <= TOKENS:
            return 0, count
        middle = self._rng.randrange(count)
        found = [f for f in (text.covering(*place) for place in places) if f]
        if found and self._rng.random() < 0.9:
            middle = self._rng.choice(found)[0] + self._rng.randint(-TOKENS // 3, TOKENS // 3)
        first = min(max(0, middle - TOKENS // 2), count - TOKENS)
        return first, first + TOKENS


def _outside(text: Text, places: Sequence[tuple[int, int]]) -> bool:
    """Whether no answer touches the stretch, so that the field is truly absent from it."""
    if not len(text.ids):
        return True
    low, high = int(text.places[0, 0]), int(text.places[-1, 1])
    return all(end <= low or start >= high for start, end in places)


class Corpora:
    """Lines of every source to train on, drawn by weight."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self._rng = rng
        self._lines: dict[str, list[bytes]] = {}
        for path in sorted(root.glob("*.train.jsonl.gz")):
            if not path.name.startswith((*UNSEEN, *UNSPELT, *COMPUTED)):
                with gzip.open(path) as lines:
                    self._lines[path.name.split(".")[0]] = lines.readlines()
        self.sources = list(self._lines)
        self._weights = [len(lines) ** 0.5 * weight_of(name) for name, lines in self._lines.items()]

    def row(self) -> corpora.Row:
        """A row of some source."""
        name = self._rng.choices(self.sources, self._weights)[0]
        row: corpora.Row = json.loads(self._rng.choice(self._lines[name]))
        return row | {"source": name}


def weight_of(source: str) -> float:
    """How much a source counts beside its size."""
    return next((weight for name, weight in WEIGHTS.items() if source.startswith(name)), 1.0)


def padded(tokens: int) -> int:
    """Length to which a row is padded: few different shapes, so that kernels made for a shape are used again."""
    return -(-tokens // STEP) * STEP


def batches(
    streams: dict[str, Stream], examples: Examples, rng: random.Random, *, tokens: int = 4096
) -> Iterator[list[Example]]:
    """Endless batches of rows that are padded to one length, as many as make `tokens`."""
    names = ["corpora", *INVENTED]
    shares = [1 - sum(INVENTED.values()), *INVENTED.values()]
    waiting: dict[int, list[Example]] = {}
    while True:
        example = examples.example(streams[rng.choices(names, shares)[0]].row())
        if example is None:
            continue
        length = padded(example.tokens)
        waiting.setdefault(length, []).append(example)
        if len(waiting[length]) >= tokens // length:
            yield waiting.pop(length)
