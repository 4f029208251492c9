"""The decision model: a request in, probabilities out. Blocking; knows nothing of the wire.

The state is read once per window; then each question is read alone behind it. So nothing about the other questions,
their number, order or ids can reach an answer. Options of a question are read in an order of their own, and equal ones
once: the order in the request changes no bit and equal options are equally probable.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from services.classifier.check import Limits, check
from services.classifier.confidence import choice_confidence, score_confidence
from services.classifier.packing import Asked, Pieces, Row, pack, pack_question
from services.classifier.text import option_text, render
from services.classifier.values import Answer, Choice, Decision, Noul, Question, Request, Score
from services.classifier.windows import Floats, joined, windows
from services.runtime.deadline import Deadline
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Array, open_session

ROW_TOKENS = 512
"""A question of more tokens is read in several rows, each with its words and some of its options."""


@dataclass(frozen=True, slots=True)
class Read:
    """One question in tokens. `places` are the places of the request's options among the distinct `asked.options`."""

    question: Question
    asked: Asked
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that was checked and tokenised."""

    state: tuple[int, ...]
    reads: tuple[Read, ...]
    tokens: int
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class Temperatures:
    """Divisors of logits by kind and number of options: for each kind, pairs of (most options, temperature)."""

    by_kind: Mapping[str, Sequence[tuple[int, float]]]

    def of(self, kind: str, options: int) -> float:
        """The temperature of a question; 1 where nothing was fitted."""
        return next((value for most, value in self.by_kind.get(kind, ()) if options <= most), 1.0)


class Classifier:
    """A loaded model. Use it from one thread."""

    def __init__(self, folder: Path, card: Card, *, threads: int = 1, provider: str = "auto") -> None:
        """Load a model folder. Raises onnxruntime's errors for a broken graph, KeyError for a card without limits."""
        self.card = card
        self.limits = Limits(**card.limits)
        self._pieces = Pieces(Tokenizer.from_file(str(folder / "tokenizer.json")))
        self._temperatures = Temperatures(card.calibration["temperatures"])
        self._session = open_session(folder / "model.onnx", threads=threads, provider=provider, optimise=False)
        self._cached = tuple(name for name in self._session.output_names if name != "logits")
        self._empty = {f"past_{name}": _empty(self._session.inner, f"past_{name}") for name in self._cached}

    def prepare(self, request: Request, *, deadline: Deadline | None = None) -> Prepared:
        """Check and tokenise. Needs no session, so any thread may call it.

        Raises InvalidField and InputTooLong.
        """
        check(request, self.limits)
        state = render(request.state)
        asked = [(question, *self._texts(question)) for question in request.questions]
        characters = len(state) + sum(len(words) + sum(map(len, options)) for _, words, options in asked)
        if characters > self.limits.characters:
            raise InputTooLong("characters", limit=self.limits.characters, actual=characters)
        ids = tuple(self._tokens(state, "state"))
        reads = tuple(self._read(index, *item) for index, item in enumerate(asked))
        return Prepared(ids, reads, self._count(ids, reads), deadline or Deadline.never())

    def decide(self, prepared: Prepared) -> Decision:
        """Answer all questions. Raises DeadlineExceeded between two runs of the model."""
        found: list[list[Floats]] = [[] for _ in prepared.reads]
        for window in windows(prepared.state):
            framed = self._pieces.state(window)
            past = self._remember(framed)
            for own, read in zip(found, prepared.reads, strict=True):
                prepared.deadline.check()
                own.append(self._probabilities(read, past, start=len(framed)))
        answers = (
            answer(read.question, joined(read.question.kind, own))
            for read, own in zip(prepared.reads, found, strict=True)
        )
        return Decision(tuple(answers), prepared.tokens)

    def _texts(self, question: Question) -> tuple[str, list[str]]:
        words = "" if question.instructions is None else render(question.instructions)
        return words, [option_text(option.name, option.description) for option in question.options]

    def _read(self, index: int, question: Question, words: str, options: list[str]) -> Read:
        path = f"questions[{index}]"
        tokens = [tuple(self._tokens(text, path)) for text in options]
        distinct = sorted(set(tokens))
        asked = self._pieces.asked(question.kind, self._tokens(words, path), distinct)
        if asked.longest > self.limits.question_tokens:
            limit = self.limits.question_tokens
            raise InputTooLong(
                "tokens of a question and its longest option", limit=limit, actual=asked.longest, field=path
            )
        return Read(question, asked, tuple(distinct.index(ids) for ids in tokens))

    def _tokens(self, text: str, path: str) -> list[int]:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidField(FieldViolation(path, "holds half of a surrogate pair", "string_unicode")) from None
        return self._pieces.text(text)

    def _count(self, state: Sequence[int], reads: Sequence[Read]) -> int:
        sizes = [len(read.asked.words) + sum(len(read.asked.options[place]) for place in read.places) for read in reads]
        longest, total = len(state) + max(sizes), len(state) + sum(sizes)
        if longest > self.limits.state_and_question_tokens:
            limit = self.limits.state_and_question_tokens
            raise InputTooLong(
                "tokens of the state and the longest question", limit=limit, actual=longest, field="state"
            )
        if total > self.limits.request_tokens:
            raise InputTooLong("tokens of the request", limit=self.limits.request_tokens, actual=total)
        return total

    def _remember(self, framed: Sequence[int]) -> dict[str, Array]:
        """Keys and values of a framed state, under the names of the graph's inputs."""
        values = self._session.run({**_columns(pack(framed, [])), **self._empty}, self._cached)
        return {f"past_{name}": value for name, value in zip(self._cached, values, strict=True)}

    def _probabilities(self, read: Read, past: dict[str, Array], *, start: int) -> Floats:
        """(options of the request,) probabilities given one window."""
        rows = (pack_question(part, start=start) for part in parts(read.asked))
        logits = np.concatenate([self._session.run({**_columns(row), **past}, ("logits",))[0] for row in rows])
        places = np.asarray(read.places)
        return softmax(logits[places], self._temperatures.of(read.question.kind, len(places)))


def parts(asked: Asked, *, most: int = ROW_TOKENS) -> Iterator[Asked]:
    """A question cut between options so that each part has at most `most` tokens, or a single option."""
    chosen: list[tuple[int, ...]] = []
    size = len(asked.words)
    for option in asked.options:
        if chosen and size + len(option) > most:
            yield Asked(asked.words, tuple(chosen))
            chosen, size = [], len(asked.words)
        chosen.append(option)
        size += len(option)
    yield Asked(asked.words, tuple(chosen))


def softmax(logits: Array, temperature: float) -> Floats:
    """Probabilities in double precision; they sum to 1. The sum is exact, so the order of options changes no bit."""
    scaled = logits.astype(np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    shares: Floats = weights / math.fsum(weights)
    return shares


def answer(question: Question, probabilities: Floats) -> Answer:
    """The typed answer of a question."""
    values = tuple(float(value) for value in probabilities)
    if question.kind == "noul":
        return Noul(question.id, values[1])
    if question.kind == "choice":
        names = [option.name for option in question.options]
        best = max(range(len(values)), key=values.__getitem__)
        pairs = tuple(zip(names, values, strict=True))
        return Choice(question.id, names[best], pairs, choice_confidence(values))
    expected = sum(level * value for level, value in enumerate(values))
    return Score(question.id, expected, values, score_confidence(values))


def _columns(row: Row) -> dict[str, Array]:
    return {
        "ids": row.ids,
        "positions": row.positions,
        "question": row.question,
        "option": row.option,
        "markers": row.markers,
    }


def _empty(session: Any, name: str) -> Array:
    """No tokens read yet: the shape of a past input with 0 where the graph has a length."""
    shape = next(item.shape for item in session.get_inputs() if item.name == name)
    return np.zeros([size if isinstance(size, int) else 0 for size in shape], dtype=np.float32)
