"""Engine `openai` against a server of a few lines that says what each test tells it to."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from services.llm.chat import Turn
from services.llm.config import LlmConfig
from services.llm.constraint import Constraint
from services.llm.generation import Delta, Finish, Request
from services.llm.remote import upstream
from services.llm.sampling import Sampling
from services.llm.upstream import UpstreamModel
from services.runtime.config import ConfigError
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, InvalidField, ModelFailure, QuartetError, ServiceUnavailable
from services.runtime.onnx.card import CardError

ASKED = Request(turns=(Turn("user", "hi"),), max_tokens=5)


def event(**value: Any) -> str:
    return f"data: {json.dumps(value)}\r\n\r\n"


def piece(text: str, finish: str | None = None, **choice: Any) -> str:
    return event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish, **choice}])


USAGE = event(
    choices=[],
    usage={"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}},
)
WHOLE = (piece("Hel"), ": a comment\n", piece("lo"), piece("", "length"), USAGE, "data: [DONE]\n\n")


def stream(*events: str, chunked: bool = True) -> bytes:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    if not chunked:
        return f"{head}\r\n{''.join(events)}".encode()
    parts = [f"{len(one.encode()):x}\r\n{one}\r\n" for one in events]
    return f"{head}Transfer-Encoding: chunked\r\n\r\n{''.join(parts)}0\r\n\r\n".encode()


def refusal(status: int, body: str = "{}", headers: str = "") -> bytes:
    return f"HTTP/1.1 {status} No\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}".encode()


class Fake:
    """Gives one answer after the other, and keeps what it was asked."""

    def __init__(self, answers: tuple[bytes, ...]) -> None:
        self.answers, self.heads, self.bodies = list(answers), list[str](), list[Any]()
        self.idle = asyncio.Event()
        self.idle.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.idle.clear()
        with suppress(OSError, EOFError):  # the client may leave at any time
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            size = int(next(line for line in head.splitlines() if line.startswith("Content-Length")).split()[1])
            self.heads.append(head)
            self.bodies.append(json.loads(await reader.readexactly(size)))
            answer = self.answers.pop(0)
            writer.write(answer)
            if not answer:
                await reader.read()  # silence until the client leaves
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        self.idle.set()


@asynccontextmanager
async def fake(*answers: bytes, **options: Any) -> AsyncIterator[tuple[Fake, UpstreamModel]]:
    made = Fake(answers)
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        config = LlmConfig(engine="openai", upstream_url=f"http://127.0.0.1:{port}/v1", upstream_model="m", **options)
        config.check()
        yield made, upstream(config).get()
        await made.idle.wait()


async def read(model: UpstreamModel, request: Request = ASKED, deadline: Deadline | None = None) -> list[Delta]:
    return [delta async for delta in model.write(request, deadline=deadline or Deadline.never())]


@pytest.mark.parametrize("chunked", [True, False])
async def test_text_and_account_arrive(chunked: bool) -> None:
    async with fake(stream(*WHOLE, chunked=chunked)) as (_, model):
        *deltas, last = await read(model)
    assert [delta.text for delta in deltas] == ["Hel", "lo"]
    assert last.ending is not None
    assert last.ending.finish is Finish.LENGTH
    assert (last.ending.input_tokens, last.ending.cached_tokens, last.ending.output_tokens) == (7, 3, 2)


async def test_everything_asked_for_is_sent_with_the_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret\n")
    asked = Request(
        turns=(Turn("system", "be short"), Turn("user", "hi")),
        max_tokens=9,
        stop=("END",),
        sampling=Sampling(temperature=0.5, top_p=0.9, top_k=3, min_p=0.1, seed=7, repetition_penalty=1.1),
        constraint=Constraint.json_schema('{"type": "object"}'),
        logprobs=2,
    )
    async with fake(stream(*WHOLE), upstream_key_file=str(tmp_path / "key")) as (server, model):
        await read(model, asked)
    assert "Authorization: Bearer s3cret" in server.heads[0]
    assert server.heads[0].startswith("POST /v1/chat/completions ")
    assert server.bodies[0] == {
        "model": "m", "messages": [{"role": "system", "content": "be short"}, {"role": "user", "content": "hi"}],
        "max_tokens": 9, "temperature": 0.5, "seed": 7, "stop": ["END"], "top_k": 3, "min_p": 0.1, "top_p": 0.9,
        "repetition_penalty": 1.1, "stream": True, "stream_options": {"include_usage": True},
        "logprobs": True, "top_logprobs": 2,
        "response_format": {"type": "json_schema", "json_schema": {"name": "form", "schema": {"type": "object"}}},
    }  # fmt: skip


async def test_log_probabilities_arrive() -> None:
    token = {"token": "Hi", "bytes": [72, 105], "logprob": -0.5, "top_logprobs": [{"token": "é", "logprob": -0.1}]}
    events = (piece("Hi", logprobs={"content": [token]}), piece("", "stop"))
    async with fake(stream(*events)) as (_, model):
        first, _ = await read(model)
    assert [(score.token, score.logprob) for score in first.scores] == [(b"Hi", -0.5), ("é".encode(), -0.1)]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_asked_again_when_it_says(status: int) -> None:
    async with fake(refusal(status, headers="Retry-After: 0\r\n"), stream(*WHOLE)) as (server, model):
        assert "".join(delta.text for delta in await read(model)) == "Hello"
    assert len(server.bodies) == 2


Answers = tuple[bytes, ...]


@pytest.mark.parametrize(
    ("answers", "error", "asked"),
    [
        ((refusal(503, headers="Retry-After: 0\r\n"),) * 2, ServiceUnavailable, 2),
        ((refusal(503, headers="Retry-After: 9999\r\n"),), ServiceUnavailable, 1),
        ((refusal(401),), ModelFailure, 1),
        ((refusal(404),), ModelFailure, 1),
        ((stream(piece("a"), event(error={"message": "out of memory"})),), ModelFailure, 1),
        ((stream(piece("a"), "data: {\n"),), ModelFailure, 1),
        ((stream(piece("a"), piece("b"))[:-20],), ModelFailure, 1),
        ((stream(piece("a"), "data: [DONE]\n"),), ModelFailure, 1),
        ((b"SSH-2.0-x\r\n\r\n",) * 2, ServiceUnavailable, 2),
    ],
)
async def test_what_goes_wrong_has_a_reason(answers: Answers, error: type[QuartetError], asked: int) -> None:
    async with fake(*answers, upstream_retries=1) as (server, model):
        with pytest.raises(error):
            await read(model, deadline=Deadline.after(60))
    assert len(server.bodies) == asked


async def test_what_the_server_refuses_is_told_with_its_field() -> None:
    body = json.dumps({"error": {"message": "too hot", "param": "temperature"}})
    async with fake(refusal(400, body)) as (_, model):
        with pytest.raises(InvalidField) as caught:
            await read(model)
    assert [(one.path, "too hot" in one.description) for one in caught.value.fields] == [("temperature", True)]


async def test_silence_ends_with_the_deadline_or_the_longest_wait() -> None:
    async with fake(b"", b"", upstream_retries=0, upstream_idle_s=0.05) as (_, model):
        with pytest.raises(ServiceUnavailable):
            await read(model)
        with pytest.raises(DeadlineExceeded):
            await read(model, deadline=Deadline.after(0.02))


async def test_nobody_there_is_unavailable() -> None:
    config = LlmConfig(engine="openai", upstream_url="http://127.0.0.1:9/v1", upstream_model="m", upstream_retries=0)
    with pytest.raises(ServiceUnavailable):
        await read(upstream(config).get())


def settings(**options: Any) -> LlmConfig:
    return LlmConfig(engine="openai", **{"upstream_url": "http://h/v1", "upstream_model": "m", **options})


@pytest.mark.parametrize(
    "options", [{"upstream_url": ""}, {"upstream_url": "h:80"}, {"upstream_model": ""}, {"upstream_idle_s": 0.0}]
)
def test_settings_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        settings(**options).check()


def test_a_key_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "two").write_text("a\nb")
    for name in ("none", "two"):
        with pytest.raises(CardError, match="upstream_key_file"):
            upstream(settings(upstream_key_file=str(tmp_path / name)))
