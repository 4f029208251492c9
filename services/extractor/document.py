"""A text with everything that is read off it once per request."""

import bisect
import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.extractor import spans, tokens
from services.extractor.layout import Layout
from services.extractor.recognisers import Recognised, recognise
from services.extractor.spans import Source
from services.extractor.values import Candidate

Ints = NDArray[np.int32]
Within = Callable[[int, int], bool]
CONTEXTS = {
    "left": 8,
    "right": 6,
    "clause": 16,
    "sentence": 32,
    "label": 6,
    "header": 6,
    "inside": 8,
    "head": 5,
    "before": 8,
    "next": 1,
    "previous": 1,
}
_TYPED = {
    "number": ("number",),
    "money": ("money", "number"),
    "date": ("date",),
    "time": ("time",),
    "datetime": ("datetime",),
    "duration": ("duration",),
}
_NOT_BARE = frozenset(("money", "percent", "phone", "id", "ordinal"))


@dataclass(frozen=True, slots=True)
class Item:
    """One place that may answer a field: a recognised value or a free span."""

    candidate: Candidate
    source: Source


class Document:
    """Recognised values, free spans, words and layout of one text."""

    def __init__(self, text: str, *, locale: str | None = None, reference: dt.date | None = None) -> None:
        self.text = text
        self.reference = reference
        self.found: Recognised = recognise(text, locale=locale, reference=reference)
        self.layout = Layout(text)
        self.words = tokens.words(text)
        self._starts = [word.start for word in self.words]

    def spans(self, within: Within | None = None) -> tuple[Item, ...]:
        """Free spans and recognised places as verbatim text, one item per place, in order.

        `within(start, end)` tells whether a stretch of a long text is looked at.
        """
        typed = {(c.start, c.end): c for c in self.found.candidates if c.kind != "number" or c.part_of is None}
        free = spans.find(self.text, self.layout, within)
        items = []
        whole = self._uncuttable()
        for place in sorted({*typed, *free}):
            if (whole[place[0]] == 2 or whole[place[1]] == 2) and place not in typed:
                continue
            known = typed.get(place)
            value = self.text[place[0] : place[1]]
            kind = known.kind if known else "span"
            items.append(Item(Candidate(*place, kind, value), free.get(place, Source(0))))
        return tuple(items)

    def _uncuttable(self) -> bytearray:
        """2 at every position inside a recognised value where no span may begin or end."""
        marks = bytearray(len(self.text) + 1)
        for blank in self.found.blanks:
            marks[blank.start : blank.end + 1] = b"\2" * (blank.end + 1 - blank.start)
        for c in self.found.candidates:
            if c.kind not in ("number", "id", "duration"):
                marks[c.start + 1 : c.end] = b"\2" * (c.end - c.start - 1)
        return marks

    def pool(self, kind: str, within: Within | None = None) -> tuple[Item, ...]:
        """Everything that may answer a field of a type; `within` limits free spans only."""
        if kind not in _TYPED:
            return self.spans(within)
        wanted = _TYPED[kind]
        found = [c for c in self.found.candidates if c.kind in wanted]
        if kind == "money":
            priced = any(c.kind == "money" for c in found)
            found = [c for c in found if c.kind == "money" or self._may_be_money(c, priced)]
        return tuple(Item(c, Source(0)) for c in found)

    def _may_be_money(self, candidate: Candidate, priced: bool) -> bool:
        """Whether a bare number can be an amount: where others have a currency it needs decimals or a label."""
        if candidate.part_of in _NOT_BARE:
            return False
        whole = self.text[candidate.start : candidate.end].isdigit()
        return not (priced and whole and self.layout.label(candidate.start) is None)

    def word_range(self, start: int, end: int) -> tuple[int, int]:
        """Indices [first, last) of the words that begin in [start, end)."""
        return bisect.bisect_left(self._starts, start), bisect.bisect_left(self._starts, end)

    def head(self, start: int, end: int) -> str:
        """The last word of a place in lower case, which tells what kind of thing it is; empty when there is none."""
        first, last = self.word_range(start, end)
        word = self.words[last - 1] if first < last else None
        return self.text[word.start : word.end].lower() if word else ""

    def contexts(self, items: tuple[Item, ...]) -> dict[str, Ints]:
        """Word indices around each item, one array [items, width] per context; -1 where there is no word."""
        filled = {name: np.full((len(items), width), -1, np.int32) for name, width in CONTEXTS.items()}
        for row, item in enumerate(items):
            for name, indices in self._around(item.candidate.start, item.candidate.end).items():
                width = CONTEXTS[name]
                filled[name][row, : min(width, len(indices))] = indices[:width]
        return filled

    def _around(self, start: int, end: int) -> dict[str, Sequence[int]]:
        first, last = self.word_range(start, end)
        layout = self.layout
        sentence = layout.sentence(start)
        a, b = self.word_range(*sentence)
        clause = self.word_range(*layout.clause(start, end))
        label, header = layout.label(start), layout.header(start)
        line, _ = self.word_range(*layout.line(start))
        return {
            "left": range(first - 1, max(a, first - 9) - 1, -1),
            "right": range(last, min(b, last + 6)),
            "clause": [w for w in range(*clause) if not first <= w < last],
            "sentence": [w for w in range(max(a, first - 16), min(b, last + 16)) if not first <= w < last],
            "label": range(*self.word_range(*label)) if label else (),
            "header": range(*self.word_range(*header)) if header else (),
            "inside": range(first, last),
            "head": range(line, min(first, line + 5)),
            "before": range(first - 1, max(0, first - 8) - 1, -1),
            "next": range(last, min(b, last + 1)),
            "previous": range(first - 1, max(a, first - 1) - 1, -1),
        }
