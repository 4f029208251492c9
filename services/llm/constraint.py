"""Texts held to a form: a JSON Schema, a regular expression or a list of choices.

The form is compiled to a grammar (llguidance), which tells before each token which ones may come next.
"""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from numpy.typing import NDArray

from services.runtime.errors import FieldViolation, InvalidField

# As models write JSON most: on one line. Free white space would let a small model write nothing else.
_SPACING: Final[Any] = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A form, as it was sent (`source`) and as a grammar. `field` is the part of the request that it came from."""

    field: str
    grammar: str
    source: str | tuple[str, ...]

    @classmethod
    def json_schema(cls, schema: str) -> Self:
        """JSON that a schema (draft 2020-12) accepts; raises InvalidField when the schema is not a JSON object."""
        field = "constraint.json_schema"
        try:
            if not isinstance(json.loads(schema), dict):
                raise ValueError("must be a JSON object")
            return cls(field, LLMatcher.grammar_from_json_schema(schema, overrides=_SPACING), schema)
        except (ValueError, RecursionError) as error:
            raise _invalid(field, f"is not a JSON Schema: {error}") from error

    @classmethod
    def regex(cls, pattern: str) -> Self:
        """Text that a regular expression matches as a whole."""
        return cls("constraint.regex", LLMatcher.grammar_from_regex(pattern), pattern)

    @classmethod
    def choice(cls, options: Sequence[str]) -> Self:
        """One of several texts, none of them empty."""
        # The grammar's literals are JSON strings, but for one character that JSON leaves as it is.
        literals = " | ".join(json.dumps(option, ensure_ascii=False).replace("\x7f", "\\u007f") for option in options)
        return cls("constraint.choice", LLMatcher.grammar_from_lark(f"start: {literals}"), tuple(options))


class Grammars:
    """Makes matchers over one vocabulary."""

    def __init__(self, table: Sequence[bytes], encode: Callable[[str], list[int]], end: int) -> None:
        """`table` has the bytes of each token, none for control tokens; `end` is the token that ends a text."""
        self._table, self._encode, self._end = table, encode, end
        self._lock = threading.Lock()
        self._tokenizer: LLTokenizer | None = None

    def matcher(self, constraint: Constraint) -> "Matcher":
        """A matcher for one text; raises InvalidField when the form is malformed, too large or can never be met."""
        inner = LLMatcher(self._built(), constraint.grammar, log_level=0)
        if inner.is_error():
            raise _invalid(constraint.field, inner.get_error())
        return Matcher(inner, len(self._table))

    def _built(self) -> LLTokenizer:
        # Built when it is first needed: most services never write to a form.
        with self._lock:
            if self._tokenizer is None:
                wrapped = TokenizerWrapper(_Vocabulary(self._table, self._encode, self._end))
                self._tokenizer = LLTokenizer(wrapped, n_vocab=len(self._table), eos_token=self._end)
            return self._tokenizer


class Matcher:
    """Follows one text through its grammar."""

    def __init__(self, inner: LLMatcher, vocabulary: int) -> None:
        self._inner, self._vocabulary = inner, vocabulary

    def allowed(self) -> NDArray[np.bool_]:
        """Which tokens may come next: bool [vocabulary], never all False; the end token when the text may end."""
        mask = np.frombuffer(self._inner.compute_bitmask(), np.uint8)
        if self._inner.is_error():
            raise RuntimeError(self._inner.get_error())
        return np.unpackbits(mask, bitorder="little")[: self._vocabulary].astype(bool)

    def accept(self, token: int) -> None:
        """Go on by an allowed token."""
        if not self._inner.consume_token(token):
            raise RuntimeError(self._inner.get_error())

    @property
    def complete(self) -> bool:
        """Whether nothing but the end can follow."""
        return bool(self._inner.is_stopped())


class _Vocabulary:
    """The vocabulary in the shape that `TokenizerWrapper` reads."""

    def __init__(self, table: Sequence[bytes], encode: Callable[[str], list[int]], end: int) -> None:
        self.eos_token_id, self.bos_token_id = end, None
        # 0xff is never part of a text, so no grammar reaches a control token.
        self.tokens = [text or b"\xff<%d>" % token for token, text in enumerate(table)]
        self.special_token_ids = [token for token, text in enumerate(table) if not text]
        self._encode = encode

    def __call__(self, text: str) -> list[int]:
        return self._encode(text)


def _invalid(field: str, message: str) -> InvalidField:
    return InvalidField(FieldViolation(field, " ".join(message.split())[:500]))
