"""Engine `openai`: another server with OpenAI's chat completions writes the text."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from services.llm.constraint import Constraint
from services.llm.generation import Delta, Ending, Finish, Request, TokenScore
from services.llm.http_stream import Answer, post
from services.runtime.deadline import Deadline
from services.runtime.errors import (
    DeadlineExceeded,
    FieldViolation,
    InvalidField,
    ModelFailure,
    QuartetError,
    ServiceUnavailable,
)
from services.runtime.onnx.card import Card

log = logging.getLogger(__name__)

_FINISH: Final = {"stop": Finish.STOP, "length": Finish.LENGTH}
_AGAIN: Final = (429, 500, 502, 503, 504)
_REFUSED: Final = (400, 413, 422)
_FIRST_PAUSE_S: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the texts come from.

    url: up to and with `/v1`. key: sent as a bearer token unless empty. idle_s: longest silence within an answer.
    retries: how often a request that nothing was written for is sent again.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    connect_s: float = 5.0
    idle_s: float = 60.0
    retries: int = 2


class _Busy(Exception):
    """May be tried again, after `pause_s` seconds if the server said so."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class UpstreamModel:
    """The model of another server; what it writes, and whether that repeats, is its own affair."""

    def __init__(self, card: Card, server: Server) -> None:
        self.card = card
        self._server = server

    async def write(self, request: Request, *, deadline: Deadline) -> AsyncGenerator[Delta, None]:
        """The deltas of a text; the last has an ending.

        Raises InvalidField for what the server refuses, DeadlineExceeded, ServiceUnavailable when it cannot be
        reached or is busy after all retries, ModelFailure when it answers otherwise or breaks off.
        """
        began = time.monotonic()
        for attempt in range(self._server.retries + 1):
            started = False
            try:
                async with aclosing(self._attempt(request, deadline, began)) as deltas:
                    async for delta in deltas:
                        started = True
                        yield delta
                return
            except (_Busy, OSError, TimeoutError) as error:
                if deadline.expired:
                    raise DeadlineExceeded from error
                log.warning("the upstream failed: %s", error or type(error).__name__)
                if started:
                    raise ModelFailure from error
                if attempt == self._server.retries:
                    raise ServiceUnavailable("upstream") from error
                said = error.pause_s if isinstance(error, _Busy) else None
                await self._pause(_FIRST_PAUSE_S * 2**attempt if said is None else said, deadline)
        raise AssertionError("unreachable")

    async def _pause(self, seconds: float, deadline: Deadline) -> None:
        left = deadline.remaining()
        if left is not None and seconds >= left:
            raise ServiceUnavailable("upstream")
        await asyncio.sleep(seconds)

    async def _attempt(self, request: Request, deadline: Deadline, began: float) -> AsyncGenerator[Delta, None]:
        server = self._server
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if server.key:
            headers["Authorization"] = f"Bearer {server.key}"
        body = json.dumps(_body(request, server.model)).encode()
        async with asyncio.timeout(deadline.remaining()):
            url = f"{server.url}/chat/completions"
            async with post(url, body, headers, connect_s=server.connect_s, idle_s=server.idle_s) as answer:
                if answer.status != 200:
                    raise await _failure(answer)
                async for delta in _Reading(began).deltas(answer):
                    yield delta


class _Reading:
    """Turns the events of one answer into deltas."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._first = 0.0
        self._finish: Finish | None = None
        self._usage: dict[str, Any] = {}

    async def deltas(self, answer: Answer) -> AsyncIterator[Delta]:
        async for line in answer.lines:
            if line == b"data: [DONE]":
                break
            if line.startswith(b"data:"):
                for delta in self._event(_load(line[5:])):
                    yield delta
        if self._finish is None:
            raise _Busy("the answer ended without a finish reason")
        yield Delta("", self._ending(self._finish))

    def _event(self, event: dict[str, Any]) -> list[Delta]:
        if "error" in event:
            log.warning("the upstream broke off: %s", event["error"])
            raise ModelFailure
        self._usage = event.get("usage") or self._usage
        found: list[Delta] = []
        for choice in event.get("choices") or []:
            text = (choice.get("delta") or {}).get("content") or ""
            tokens = (choice.get("logprobs") or {}).get("content") or []
            if text or tokens:
                self._first = self._first or time.monotonic()
                first, *others = [_scores(token) for token in tokens] or [()]
                found += [Delta(text, scores=first), *(Delta("", scores=scores) for scores in others)]
            if reason := choice.get("finish_reason"):
                self._finish = _FINISH.get(reason, Finish.STOP)
        return found

    def _ending(self, finish: Finish) -> Ending:
        now = time.monotonic()
        first = self._first or now
        usage = self._usage
        return Ending(
            finish=finish,
            input_tokens=usage.get("prompt_tokens", 0),
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
            output_tokens=usage.get("completion_tokens", 0),
            queue_s=0.0,
            prefill_s=first - self._began,
            decode_s=now - first,
            total_s=now - self._began,
        )


def _body(request: Request, model: str) -> dict[str, Any]:
    """The request in OpenAI's form; only what differs from its defaults beside seed and temperature."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in request.turns],
        "max_tokens": request.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed % 2**63,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    others = {
        "stop": list(request.stop),
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "frequency_penalty": sampling.frequency_penalty,
        "presence_penalty": sampling.presence_penalty,
    }
    body |= {key: value for key, value in others.items() if value}
    ones = {"top_p": sampling.top_p, "repetition_penalty": sampling.repetition_penalty}
    body |= {key: value for key, value in ones.items() if value != 1.0}
    if request.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    return body | (_form(request.constraint) if request.constraint else {})


def _form(constraint: Constraint) -> dict[str, Any]:
    kind = constraint.field.rpartition(".")[2]
    if kind != "json_schema":
        return {"structured_outputs": {kind: constraint.source}}
    schema = json.loads(str(constraint.source))
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}}


def _scores(token: dict[str, Any]) -> tuple[TokenScore, ...]:
    def score(one: dict[str, Any]) -> TokenScore:
        known = one.get("bytes")
        return TokenScore(str(one["token"]).encode() if known is None else bytes(known), float(one["logprob"]))

    return tuple(score(one) for one in (token, *(token.get("top_logprobs") or [])))


async def _failure(answer: Answer) -> Exception:
    text = b"\n".join([line async for line in answer.lines])[:65536].decode(errors="replace")
    if answer.status in _AGAIN:
        said = answer.headers.get("retry-after", "")
        return _Busy(f"status {answer.status}: {text[:500]}", float(said) if said.isdecimal() else None)
    if answer.status in _REFUSED:
        return _refusal(text)
    # A wrong key, address or model name: the operator's to mend, not the caller's.
    log.error("the upstream answered with status %d: %s", answer.status, text[:500])
    return ModelFailure()


def _refusal(text: str) -> QuartetError:
    try:
        error = _load(text.encode()).get("error")
    except ModelFailure:
        error = None
    said = error if isinstance(error, dict) else {}
    message = str(said.get("message") or text)[:500]
    return InvalidField(FieldViolation(str(said.get("param") or "messages"), f"refused by the upstream: {message}"))


def _load(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError as error:
        raise ModelFailure from error
    if not isinstance(event, dict):
        raise ModelFailure
    return event
