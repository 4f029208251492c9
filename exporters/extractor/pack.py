"""Fields and text as one row of tokens: every field behind a marker, then the text.

    [CLS] [FIELD] order date: when it was placed (date) [FIELD] total (money) ... [SEP] text [SEP]

Line breaks and wide gaps of the text become tokens of their own, because forms, receipts and tables mean by them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from services.extractor.tokens import spelled

Ints = NDArray[np.int64]
FIELD, LINE, GAP = "[unused1]", "[unused2]", "[unused3]"
LONGEST = 512
FIELD_TOKENS = 48
_WIDE = re.compile(r"\t| {3,}")


@dataclass(frozen=True, slots=True)
class Ask:
    """What one field asks for."""

    name: str
    type: str
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Token ids (n,) of a text and the code points [start, end) of each, (n, 2) in order."""

    ids: Ints
    places: Ints

    def cut(self, first: int, last: int) -> "Text":
        """Tokens [first, last)."""
        return Text(self.ids[first:last], self.places[first:last])

    def covering(self, start: int, end: int) -> tuple[int, int] | None:
        """First and last token of a span of code points; None when some of it is outside."""
        if not len(self.ids) or start < self.places[0, 0] or end > self.places[-1, 1]:
            return None
        first = int(np.searchsorted(self.places[:, 1], start, "right"))
        last = int(np.searchsorted(self.places[:, 0], end, "left")) - 1
        return (first, last) if first <= last else None


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `ids` (T,), the place of each field's marker (F,), and where the text's tokens begin and end."""

    ids: Ints
    markers: Ints
    first: int
    last: int


class Packer:
    """Packs rows for one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        known = tokenizer.get_vocab()
        self._start, self._end = known["[CLS]"], known["[SEP]"]
        self.marks = (known[FIELD], known[LINE], known[GAP])

    def field(self, ask: Ask) -> list[int]:
        """Marker, name as words, instructions, type; instructions are cut, the type never."""
        told = f"{spelled(ask.name)}: {ask.instructions}" if ask.instructions else spelled(ask.name)
        words = self._tokenizer.encode(told, add_special_tokens=False).ids
        kind = self._tokenizer.encode(f"({ask.type})", add_special_tokens=False).ids
        return [self.marks[0], *words[: FIELD_TOKENS - len(kind)], *kind]

    def text(self, text: str) -> Text:
        """Tokens of a text with line and gap tokens between them."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        ids, places, at = [], [], 0
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if start > at + 1 or (start == at + 1 and text[at] in "\t\n\r"):
                between = text[at:start]
                mark = self.marks[1] if "\n" in between or "\r" in between else self.marks[2]
                if mark == self.marks[1] or _WIDE.search(between):
                    ids.append(mark)
                    places.append((at, start))
            ids.append(token)
            places.append((start, end))
            at = end
        return Text(np.array(ids, np.int64), np.array(places, np.int64).reshape(-1, 2))

    def room(self, fields: Sequence[Sequence[int]], *, longest: int = LONGEST) -> int:
        """How many tokens of text fit beside packed fields."""
        return longest - 3 - sum(map(len, fields))

    def row(self, fields: Sequence[Sequence[int]], text: Text) -> Row:
        """One row of packed fields and a text that fits."""
        ids, markers = [self._start], []
        for field in fields:
            markers.append(len(ids))
            ids += field
        ids.append(self._end)
        first = len(ids)
        whole = np.concatenate([np.array(ids, np.int64), text.ids, np.array([self._end], np.int64)])
        return Row(whole, np.array(markers, np.int64), first, first + len(text.ids))


def windows(count: int, room: int) -> list[tuple[int, int]]:
    """Ranges of `room` tokens that overlap by a quarter and cover `count` tokens."""
    if count <= room:
        return [(0, count)]
    return [(at, min(at + room, count)) for at in range(0, count - room // 4, room * 3 // 4)]
