"""Invented slots: labels of random words with values of known type, so that no name can be learnt by heart.

They stand alone or before or after an invented letter. Some come in pairs of one type that share a label word, some
have been superseded by a later value, some are left empty; what is absent is asked for in the style of what is there.
"""

import random
import re
from collections.abc import Sequence

from exporters.extractor.letters import Letters, Row, text_of, value_of

# Type -> words that often end a name of that type.
_TAILS = {
    "money": "amount fee cost price total value balance sum charge",
    "date": "date day on since until",
    "text": "name code id reference number label type person place",
    "number": "count units quantity level score size",
    "duration": "period time length",
    "time": "time hour start",
}
_TEXTS = ("order_id", "item", "customer_name", "company", "city", "email", "phone", "address", "tracking", "damage",
    "colour", "website")  # fmt: skip
_SENTENCES = (
    "The {l} is {v}.",
    "It has a {l} of {v}.",
    "We set the {l} to {v}.",
    "{v} is the {l}.",
    "Our {l} was {v}.",
    "Please note the {l}, {v}.",
    "There, with {l} {v}, it ended.",
    "The agreed {l} comes to {v}.",
    "Take {v} as {l}.",
    "For the {l} they wrote {v}.",
    "I would put the {l} at {v}.",
    "{v} was given as {l}.",
    "Its {l} ({v}) is known.",
)
_SUPERSEDED = ("The {l} is not {o} but {v}.", "The {l} was {o}, it is {v} now.", "{l}: {v} (before: {o})",
    "Instead of {o}, the {l} is {v}.", "The {l} changed from {o} to {v}.")  # fmt: skip
_MARKS = (": ", " = ", "\t", " - ", ":\t", ".....", " ", "   ", ":\n")
_EMPTY = ("____", "-", "n/a", "", "none", "tbc")
_TRAILING = 0.4


class Inventor:
    """An endless stream of rows; `vocabulary` gives the random words."""

    def __init__(self, seed: int, vocabulary: Sequence[str], letters: Letters) -> None:
        self._rng = random.Random(seed)
        self._words = [word for word in vocabulary if re.fullmatch(r"[a-z]{4,11}", word)]
        self._letters = letters

    def row(self) -> Row:
        """One document with its fields and answers, shaped like a row of the corpora."""
        rng = self._rng
        pieces, facts = self._facts(rng.choice((1, 2, 3, 4, 5, 7)))
        style = rng.choice((". ", "\n", " "))
        text, places = "", []
        for piece, (start, end) in pieces:
            places.append((len(text) + start, len(text) + end))
            text += piece + (style if piece.endswith(".") else "\n" if style == ". " else style)
        fields = {label: {"type": kind, "instructions": ""} for label, kind, _ in facts}
        answers = {
            label: None if value is None else {"value": value, "span": list(place)}
            for (label, _, value), place in zip(facts, places, strict=True)
        }
        for kind in [kind for _, kind, _ in facts][: rng.randint(0, 3)]:
            name = self._label(kind)
            fields.setdefault(name, {"type": kind, "instructions": ""})
            answers.setdefault(name, None)
        row: Row = {"text": text, "fields": fields, "answers": answers}
        return row if rng.random() < 0.4 else self._with_letter(row)

    def _facts(self, count: int) -> tuple[list[tuple[str, tuple[int, int]]], list[tuple[str, str, object]]]:
        """Lines or sentences with the place of the value in each; (label, type, value) of each."""
        rng = self._rng
        pieces: list[tuple[str, tuple[int, int]]] = []
        facts: list[tuple[str, str, object]] = []
        prose, mark = rng.random() < 0.5, rng.choice(_MARKS)
        twin, used = rng.choice(list(_TAILS)) if rng.random() < 0.5 else "", set[str]()
        for _ in range(count):
            kind = twin if twin and rng.random() < 0.6 else rng.choices(list(_TAILS), (22, 15, 42, 12, 4, 5))[0]
            label = self._label(kind)
            if label in used:
                continue
            used.add(label)
            shown, value = self._value(kind)
            if rng.random() < 0.08:
                pieces.append((f"{label.capitalize()}{mark}{rng.choice(_EMPTY)}", (0, 0)))
                facts.append((label, kind, None))
                continue
            pattern = rng.choice(_SENTENCES) if prose else "{l}" + mark + "{v}"
            if rng.random() < 0.08:
                pattern = rng.choice(_SUPERSEDED).replace("{o}", self._value(kind)[0])
            head, _, tail = pattern.replace("{l}", self._cased(label, prose)).partition("{v}")
            pieces.append((head + shown + tail, (len(head), len(head) + len(shown))))
            facts.append((label, kind, value))
        return pieces, facts

    def _label(self, kind: str) -> str:
        rng = self._rng
        words = rng.sample(self._words, rng.choice((1, 1, 2)))
        if rng.random() < _TRAILING:
            words.append(rng.choice(_TAILS[kind].split()))
        return " ".join(words)

    def _cased(self, label: str, prose: bool) -> str:
        if prose and self._rng.random() < 0.7:
            return label
        return self._rng.choice((label.upper(), label.title(), label.capitalize(), label, label.replace(" ", "_")))

    def _value(self, kind: str) -> tuple[str, object]:
        rng = self._rng
        if kind != "text":
            return value_of(kind, rng)
        if rng.random() < 0.3:
            words = " ".join(rng.sample(self._words, rng.choice((1, 1, 2, 3))))
            shown = words.title() if rng.random() < 0.4 else words
        else:
            shown = text_of(rng.choice(_TEXTS), rng).lstrip("#")
        return shown, shown

    def _with_letter(self, row: Row) -> Row:
        """The row before or after a letter, asked for together."""
        letter = self._letters.row()
        before = self._rng.random() < 0.5
        head, tail = (row, letter) if before else (letter, row)
        text = head["text"].rstrip() + self._rng.choice(("\n\n", "\n", " "))
        shift = len(text)
        fields, answers = dict(head["fields"]), dict(head["answers"])
        for name, asked in tail["fields"].items():
            answer = tail["answers"][name]
            if name not in fields:
                fields[name] = asked
                answers[name] = answer and {**answer, "span": [place + shift for place in answer["span"]]}
        order = self._rng.sample(list(fields), len(fields))
        return {"text": text + tail["text"], "fields": {n: fields[n] for n in order}, "answers": answers}
