"""State, questions and options as one row of tokens with the numbers that the block mask is made from.

A row is the state, then each question's own words, then that question's options. A token reads the state, its own
question's words and its own option, nothing else; every question starts at the same position, and so does every option
of a question. Questions and options are therefore independent of each other and of their order. A piece with more
tokens than there are positions left is not cut: its positions are spread over the room.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

POSITIONS = 512
"""Positions that the encoder has learnt."""

TYPE_WORDS = {"noul": "yes or no", "choice": "choice", "score": "score"}
"""What the model reads for the type of a question."""

QUESTION_TOKEN, OPTION_TOKEN = "[unused1]", "[unused2]"

_LONG_WORD = re.compile(r"\w{96}(?=\w)")

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question in tokens: its own words, and each option, each beginning with its marker token."""

    words: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]

    @property
    def tokens(self) -> int:
        """Tokens of the whole question."""
        return len(self.words) + sum(map(len, self.options))

    @property
    def longest(self) -> int:
        """Tokens of the question's words and its longest option: what is read together at least."""
        return len(self.words) + max(map(len, self.options), default=0)


@dataclass(frozen=True, slots=True)
class Row:
    """One packed row. `ids`, `positions`, `question`, `option`: (T,); `markers`: (M,) places of the option markers.

    `question` is 0 for the state and 1.. for questions; `option` is 0 for the state and a question's words, 1.. for
    options.
    """

    ids: Ints
    positions: Ints
    question: Ints
    option: Ints
    markers: Ints


class Pieces:
    """Text to token ids, with special tokens in the text read as plain characters."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self.cls, self.sep, self.question, self.option = (
            _known(tokenizer, token) for token in ("[CLS]", "[SEP]", QUESTION_TOKEN, OPTION_TOKEN)
        )
        self._kinds = {kind: tuple(self.text(words)) for kind, words in TYPE_WORDS.items()}

    def text(self, text: str) -> list[int]:
        """Token ids of a text, without [CLS] and [SEP]. Words of over 96 letters are read in parts, not as unknown."""
        text = _LONG_WORD.sub(r"\g<0> ", text)
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def state(self, ids: Sequence[int]) -> list[int]:
        """A state, or one window of it, framed for a row."""
        return [self.cls, *ids, self.sep]

    def asked(self, kind: str, instructions: Sequence[int], options: Sequence[Sequence[int]]) -> Asked:
        """A question of a `TYPE_WORDS` kind, from the tokens of its parts."""
        words = (self.question, *self._kinds[kind], *instructions)
        return Asked(words, tuple((self.option, *option) for option in options))


def _known(tokenizer: Tokenizer, token: str) -> int:
    number = tokenizer.token_to_id(token)
    if number is None:
        raise ValueError(f"the tokenizer has no {token}")
    return int(number)


def pack(state: Sequence[int], asked: Sequence[Asked]) -> Row:
    """One row from a framed state and questions."""
    size = len(state)
    columns: Columns = (list(state), list(range(size)), [0] * size, [0] * size)
    markers: list[int] = []
    for number, item in enumerate(asked, 1):
        _append(columns, markers, item, number=number, start=size)
    return _row(columns, markers)


def pack_question(item: Asked, *, start: int) -> Row:
    """The row of one question alone, behind a framed state of `start` tokens that was read before."""
    columns: Columns = ([], [], [], [])
    markers: list[int] = []
    _append(columns, markers, item, number=1, start=start)
    return _row(columns, markers)


Columns = tuple[list[int], list[int], list[int], list[int]]
WORDS_SHARE = 0.75
"""Share of the positions behind the state that a question's own words may take."""


def _append(columns: Columns, markers: list[int], item: Asked, *, number: int, start: int) -> None:
    ids, positions, question, option = columns
    room = max(2, POSITIONS - start)
    words_room = min(len(item.words), int(room * WORDS_SHARE))
    for slot, piece in enumerate((item.words, *item.options)):
        if slot:
            markers.append(len(ids))
        ids += piece
        positions += _spread(
            len(piece), start=start + words_room * (slot > 0), room=room - words_room if slot else words_room
        )
        question += [number] * len(piece)
        option += [slot] * len(piece)


def _spread(length: int, *, start: int, room: int) -> list[int]:
    """Positions from `start`: one a token, or spread evenly over the room when there are more tokens than positions."""
    if length <= room:
        return list(range(start, start + length))
    return [min(POSITIONS - 1, start + index * room // length) for index in range(length)]


def _row(columns: Columns, markers: list[int]) -> Row:
    return Row(*(np.asarray(column, dtype=np.int64) for column in (*columns, markers)))
