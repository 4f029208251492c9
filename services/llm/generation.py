"""One text being written, as a machine that a scheduler steps."""

import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from services.llm.chat import Turn
from services.llm.constraint import Constraint
from services.llm.model import Cache, LanguageModel
from services.llm.prefix import cuts
from services.llm.sampling import Sampler, Sampling, scores
from services.llm.text import TextStream
from services.runtime.errors import InputTooLong


class Finish(Enum):
    """Why a text ended."""

    STOP = "stop"
    LENGTH = "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to write.

    max_tokens: most tokens to write, at least 1; the context may end the text earlier. stop: strings before which
    the text ends. constraint: the form that the text must have. logprobs: how many of the likeliest tokens to tell
    with each token; None tells no log-probabilities at all.
    """

    turns: tuple[Turn, ...]
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    constraint: Constraint | None = None
    logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a text ended. Times in seconds; `prefill_s` and `decode_s` include the turns of other texts.

    cached_tokens: those of the input that an earlier request had read.
    """

    finish: Finish
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    queue_s: float
    prefill_s: float
    decode_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class TokenScore:
    """The bytes of a token and its log-probability."""

    token: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class Delta:
    """New text, and the ending with the last of it.

    scores: when asked for, of the token just written and then of the likeliest ones; its text may come later.
    """

    text: str
    ending: Ending | None = None
    scores: tuple[TokenScore, ...] = ()


class Generation:
    """Reads the prompt in chunks, then writes a token a step. What it writes depends on its request alone."""

    def __init__(self, model: LanguageModel, request: Request, *, prefill_tokens: int) -> None:
        """Encode the prompt; raises InputTooLong when it leaves no room, InvalidField for a malformed constraint."""
        self._model, self._request = model, request
        self._prompt = model.encode(request.turns)
        if len(self._prompt) >= model.context:
            raise InputTooLong(
                "tokens of the conversation, with room for one of the answer",
                limit=model.context - 1, actual=len(self._prompt), field="messages",
            )  # fmt: skip
        self._cuts = cuts(self._prompt, most=prefill_tokens, turn_end=model.turn_end)
        # The last token written needs no place in the cache: nothing is read after it.
        self.room = min(len(self._prompt) + request.max_tokens, model.context) - 1
        self._since = time.monotonic()
        self._began = self._first = 0.0
        self._cache: Cache | None = None
        self._cached = 0
        self._next: Sequence[int] = ()
        self._written = 0
        self._text = TextStream(model.table, request.stop)
        self._sampler = Sampler(request.sampling, self._prompt)
        self._matcher = model.grammars.matcher(request.constraint) if request.constraint else None

    def step(self) -> Delta | None:
        """Run the model once; None while the prompt is still being read."""
        if self._cache is None:
            self._cache = self._open()
        done = self._cache.used
        if done >= len(self._prompt):
            return self._write(self._model.forward(self._cache, self._next))
        ends = self._cuts[: bisect_right(self._cuts, done) + 1]
        end = ends[-1]
        logits = self._model.forward(self._cache, self._prompt[done:end])
        if end < len(self._prompt):
            self._model.prefixes.keep(self._prompt, ends, self._cache.copy(done, end))
            return None
        self._first = time.monotonic()
        return self._write(logits)

    def _open(self) -> Cache:
        """A cache with what earlier requests have read of this prompt."""
        self._began = time.monotonic()
        cache = self._model.open(self.room)
        for chunk in self._model.prefixes.find(self._prompt, self._cuts):
            cache.restore(chunk)
        self._cached = cache.used
        return cache

    def close(self) -> None:
        """Free the cache. Safe to call at any time between steps, and twice."""
        cache, self._cache = self._cache, None
        if cache is not None:
            cache.close()

    def _write(self, logits: NDArray[np.float32]) -> Delta:
        token = self._sampler.choose(logits, self._matcher.allowed() if self._matcher else None)
        if token in self._model.end_tokens:
            return Delta(self._text.finish(), self._end(Finish.STOP))
        if self._matcher:
            self._matcher.accept(token)
        self._written += 1
        self._next = (token,)
        text = self._text.push(token)
        finish = self._finish()
        if finish and not self._text.stopped:
            text += self._text.finish()
        return Delta(text, finish and self._end(finish), self._scores(logits, token))

    def _scores(self, logits: NDArray[np.float32], token: int) -> tuple[TokenScore, ...]:
        if self._request.logprobs is None:
            return ()
        found = scores(logits, token, self._request.logprobs)
        return tuple(TokenScore(self._model.table[one.token], one.logprob) for one in found)

    def _finish(self) -> Finish | None:
        """Why the text ends with the token just written, if it does."""
        if self._text.stopped or (self._matcher and self._matcher.complete):
            return Finish.STOP
        return Finish.LENGTH if len(self._prompt) + self._written > self.room else None

    def _end(self, finish: Finish) -> Ending:
        now = time.monotonic()
        return Ending(
            finish=finish,
            input_tokens=len(self._prompt),
            cached_tokens=self._cached,
            output_tokens=self._written,
            queue_s=self._began - self._since,
            prefill_s=self._first - self._began,
            decode_s=now - self._first,
            total_s=now - self._since,
        )
