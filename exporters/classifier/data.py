"""Rows of the labelled decision corpus, varied, as packed batches.

A corpus file is `<source>.<split>.jsonl.gz` with one `{"state", "questions", "answers"}` object a line; label sets too
large for a row are in `<source>.labels.json`.
"""

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from services.classifier.packing import Pieces, Row, pack
from services.classifier.text import option_text, render

HELD = (
    "snips",
    "vader_products",
    "strategyqa",
    "condaqa",
    "youtube_comment_spam",
    "cve_triage",
    "hatecheck",
    "metatool",
)
"""Sources that no training ever reads; quality and calibration are measured on them."""

TRAINED_SPLITS = ("train", "dev", "val", "validation", "all")

MOST_OPTIONS = 16
"""Options of one training question; longer lists are sampled."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its options as (name, description) pairs and its target distribution."""

    kind: str
    instructions: str
    options: tuple[tuple[str, str | None], ...]
    target: tuple[float, ...]

    @property
    def answer(self) -> int:
        """Index of the most probable option."""
        return max(range(len(self.target)), key=self.target.__getitem__)


@dataclass(frozen=True, slots=True)
class Sample:
    """A state and questions about it."""

    state: Any
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed row with the items that its markers belong to, in order."""

    row: Row
    items: tuple[Item, ...]

    @property
    def tokens(self) -> int:
        """Tokens of the row."""
        return len(self.row.ids)


def one_hot(size: int, index: int) -> tuple[float, ...]:
    """A distribution with all its mass on one index."""
    return tuple(float(slot == index) for slot in range(size))


def described(value: Any) -> str | None:
    """A description as text, or nothing."""
    return None if value is None else render(value, top=False)


def item(question: dict[str, Any], answer: Any, *, labels: dict[str, str | None], rng: random.Random) -> Item:
    """A corpus question as an item; of a long option list, the answer and a sample of the others."""
    kind, criteria = question["type"], question.get("criteria") or {}
    asked = render(question.get("instructions") or "")
    if kind == "noul":
        options = (("no", described(criteria.get("false"))), ("yes", described(criteria.get("true"))))
        return Item(kind, asked, options, one_hot(2, int(answer)))
    if kind == "score":
        levels = tuple(
            (level, None) if isinstance(level, str) else (level.get("name", ""), described(level.get("description")))
            for level in criteria
        )
        return Item(kind, asked, levels, one_hot(len(levels), answer))
    pairs = list((labels if "label_set" in question else _as_map(criteria)).items())
    most = rng.randint(1, MOST_OPTIONS - 1) if "label_set" in question else MOST_OPTIONS - 1
    if len(pairs) > most + 1:
        pairs = [pair for pair in pairs if pair[0] == answer] + rng.sample(
            [pair for pair in pairs if pair[0] != answer], most
        )
        rng.shuffle(pairs)
    names = [name for name, _ in pairs]
    return Item(
        kind, asked, tuple((name, described(told)) for name, told in pairs), one_hot(len(pairs), names.index(answer))
    )


def _as_map(criteria: Any) -> dict[str, Any]:
    return criteria if isinstance(criteria, dict) else dict.fromkeys(criteria)


@dataclass(slots=True)
class Corpus:
    """Lines of each source, parsed when drawn."""

    lines: dict[str, list[bytes]]
    labels: dict[str, dict[str, str | None]] = field(default_factory=dict)

    @classmethod
    def load(
        cls, folder: Path, *, splits: Sequence[str], only: Sequence[str] | None = None, skip: Sequence[str] = ()
    ) -> "Corpus":
        """The wanted splits of a folder's sources."""
        corpus = cls({})
        for path in sorted(folder.glob("*.jsonl.gz")):
            source, split = path.name.split(".")[:2]
            if split in splits and source not in skip and (only is None or source in only):
                with gzip.open(path) as lines:
                    corpus.lines.setdefault(source, []).extend(lines)
        for path in folder.glob("*.labels.json"):
            entries = json.loads(path.read_text(encoding="utf-8"))
            corpus.labels[path.name.split(".")[0]] = {entry["name"]: entry.get("description") for entry in entries}
        return corpus

    def sample(self, source: str, index: int, *, rng: random.Random, most: int | None = None) -> Sample:
        """One row; at most `most` of its questions, drawn at random."""
        row = json.loads(self.lines[source][index])
        ids = list(row["questions"])
        if most is not None and len(ids) > most:
            ids = rng.sample(ids, most)
        items = tuple(
            item(question, row["answers"][key], labels=self.labels.get(question.get("label_set", ""), {}), rng=rng)
            for key, question in ((key, row["questions"][key]) for key in ids)
        )
        return Sample(row["state"], items)


def packed(sample: Sample, pieces: Pieces, *, longest: int) -> Packed | None:
    """A sample as one row, or nothing when the row is longer than `longest` tokens."""
    ids = pieces.text(render(sample.state))
    if len(ids) > longest:
        return None
    asked = [
        pieces.asked(i.kind, pieces.text(i.instructions), [pieces.text(option_text(*pair)) for pair in i.options])
        for i in sample.items
    ]
    if len(ids) + 2 + sum(question.tokens for question in asked) > longest:
        return None
    return Packed(pack(pieces.state(ids), asked), sample.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How batches are drawn: padded tokens a batch, the longest row, share of made rows, rows sorted together."""

    tokens: int = 2048
    longest: int = 384
    generated: float = 0.15
    pool: int = 384
    cap: int = 10000
    most_questions: int = 4


def batches(
    corpus: Corpus,
    pieces: Pieces,
    *,
    seed: int,
    mix: Mix,
    vary: Callable[[Sample, random.Random], Sample],
    generate: Callable[[random.Random], Sample],
) -> Iterator[list[Packed]]:
    """Endless batches: sources drawn by the square root of their size (capped), rows of similar length together."""
    rng = random.Random(seed)
    sources = list(corpus.lines)
    weights = [min(len(corpus.lines[source]), mix.cap) ** 0.5 for source in sources]
    decks: dict[str, list[int]] = {source: [] for source in sources}
    while True:
        rows = []
        for source in rng.choices(sources, weights, k=mix.pool):
            if rng.random() < mix.generated:
                sample = generate(rng)
            else:
                size = len(corpus.lines[source])
                decks[source] = decks[source] or rng.sample(range(size), size)
                sample = vary(corpus.sample(source, decks[source].pop(), rng=rng, most=mix.most_questions), rng)
            row = packed(sample, pieces, longest=mix.longest)
            if row:
                rows.append(row)
        yield from _grouped(rows, mix.tokens, rng)


def _grouped(rows: list[Packed], tokens: int, rng: random.Random) -> list[list[Packed]]:
    groups: list[list[Packed]] = [[]]
    for row in sorted(rows, key=lambda row: row.tokens):
        if groups[-1] and (len(groups[-1]) + 1) * row.tokens > tokens:
            groups.append([])
        groups[-1].append(row)
    rng.shuffle(groups)
    return groups


def with_target(item: Item, answer: int) -> Item:
    """The same question with another certain answer."""
    return replace(item, target=one_hot(len(item.options), answer))
