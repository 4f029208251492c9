"""The service as a process: over the wire with a tiny model, and once with the model that set-up builds."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from quartet.v1 import common_pb2, llm_pb2, llm_pb2_grpc
from services.llm.config import WEIGHTS
from services.runtime.onnx.card import CARD
from tests.contract.runtime.process import ROOT, Running, running

BUILT = WEIGHTS / "smollm2-135m-instruct-0.1.0"


@pytest.fixture(scope="module")
def process(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    flags = ("--weights", str(tiny_folder.parent), "--sequences", "2", "--threads", "1")
    with running(tmp_path_factory.mktemp("llm"), "services.llm", *flags) as started:
        yield started


@pytest.fixture
async def stub(process: Running) -> AsyncIterator[llm_pb2_grpc.LlmServiceStub]:
    async with grpc.aio.insecure_channel(process.grpc) as channel:
        yield llm_pb2_grpc.LlmServiceStub(channel)


def asked(text: str = "the rain", **fields: Any) -> llm_pb2.GenerateRequest:
    options = llm_pb2.Sampling(temperature=1.0, seed=4)
    messages = [llm_pb2.ChatMessage(role="user", content=text)]
    return llm_pb2.GenerateRequest(**{"messages": messages, "max_tokens": 30, "sampling": options, **fields})


async def answered(stub: Any, request: llm_pb2.GenerateRequest) -> list[llm_pb2.GenerateResponse]:
    return [message async for message in stub.Generate(request, timeout=60)]


def text_of(messages: list[llm_pb2.GenerateResponse]) -> str:
    return "".join(message.text for message in messages)


async def refused(stub: Any, request: llm_pb2.GenerateRequest, **options: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in stub.Generate(request, **options):
            pass
    return caught.value


async def test_text_streams_and_the_last_message_has_the_account(stub: Any) -> None:
    *deltas, last = await answered(stub, asked())
    assert len(deltas) > 5
    assert all(not m.finish_reason and not m.HasField("usage") and m.text for m in deltas)
    assert {m.model for m in (*deltas, last)} == {"tiny-0.1.0"}
    assert last.finish_reason == llm_pb2.FINISH_REASON_LENGTH
    assert last.usage.output_tokens == 30
    assert last.usage.input_tokens > 0
    assert last.timing.total_s >= last.timing.decode_s > 0


async def test_the_same_request_gives_the_same_text_alone_and_beside_others(stub: Any) -> None:
    alone = text_of(await answered(stub, asked()))
    beside = await asyncio.gather(*(answered(stub, asked(text)) for text in ("the rain", "and", "42", "the rain")))
    assert text_of(beside[0]) == text_of(beside[3]) == alone


async def test_a_prompt_that_begins_like_an_earlier_one_is_not_read_again(stub: Any) -> None:
    head = llm_pb2.ChatMessage(role="system", content="on the hill " * 9)
    turns = [[head, llm_pb2.ChatMessage(role="user", content=text)] for text in ("who", "what")]
    first, second = [await answered(stub, asked(messages=messages)) for messages in turns]
    assert first[-1].usage.cached_input_tokens == 0
    assert 32 <= second[-1].usage.cached_input_tokens < second[-1].usage.input_tokens


async def test_a_stop_string_is_never_sent(stub: Any) -> None:
    whole = text_of(await answered(stub, asked()))
    stop = whole[10:13]
    messages = await answered(stub, asked(stop=[stop]))
    assert text_of(messages) == whole[: whole.index(stop)]
    assert messages[-1].finish_reason == llm_pb2.FINISH_REASON_STOP


async def test_each_token_has_its_log_probabilities_when_asked_for(stub: Any) -> None:
    plain = await answered(stub, asked())
    assert not any(message.logprobs for message in plain)
    messages = await answered(stub, asked(logprobs=3))
    tokens = [token for message in messages for token in message.logprobs]
    assert text_of(messages) == text_of(plain)
    assert b"".join(token.chosen.token for token in tokens).decode(errors="replace").startswith(text_of(plain))
    assert len(tokens) == messages[-1].usage.output_tokens
    for token in tokens:
        likeliest = [score.logprob for score in token.top]
        assert likeliest == sorted(likeliest, reverse=True)
        assert token.chosen.logprob <= likeliest[0] < 0


async def test_a_form_holds_beside_free_texts(stub: Any) -> None:
    form = llm_pb2.Constraint(json_schema='{"type": "array", "items": {"type": "boolean"}, "maxItems": 3}')
    free, held = await asyncio.gather(answered(stub, asked()), answered(stub, asked(constraint=form)))
    assert text_of(free) == text_of(await answered(stub, asked()))
    assert all(item in (True, False) for item in json.loads(text_of(held)))
    assert held[-1].finish_reason == llm_pb2.FINISH_REASON_STOP


@pytest.mark.parametrize(
    ("request_", "code", "field"),
    [
        (asked(messages=[]), grpc.StatusCode.INVALID_ARGUMENT, "messages"),
        (asked("x" * 600), grpc.StatusCode.INVALID_ARGUMENT, "messages"),
        (asked(model="gpt"), grpc.StatusCode.NOT_FOUND, "model"),
        (
            asked(constraint=llm_pb2.Constraint(regex="[0-9")),
            grpc.StatusCode.INVALID_ARGUMENT,
            "constraint.regex",
        ),
    ],
)
async def test_a_refusal_has_code_and_field(
    stub: Any, request_: llm_pb2.GenerateRequest, code: grpc.StatusCode, field: str
) -> None:
    error = await refused(stub, request_)
    assert error.code() == code
    status = rpc_status.from_call(error)
    violations = error_details_pb2.BadRequest()
    assert status is not None
    assert status.details[1].Unpack(violations)
    assert violations.field_violations[0].field == field


async def test_the_deadline_of_a_call_ends_it(stub: Any) -> None:
    error = await refused(stub, asked(max_tokens=400), timeout=0.05)
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert await answered(stub, asked())


async def test_clients_that_leave_make_room_for_others(stub: Any) -> None:
    for _ in range(20):
        call = stub.Generate(asked(max_tokens=400), timeout=60)
        assert (await call.read()).text
        call.cancel()
    assert await answered(stub, asked())


async def test_models_are_described_with_their_limits(stub: Any) -> None:
    found = (await stub.GetModel(common_pb2.GetModelRequest(model="little"))).model
    assert (found.id, found.license, found.is_default) == ("tiny-0.1.0", "Apache-2.0", True)
    assert {limit.name: limit.value for limit in found.limits}["context_tokens"] == 512
    listed = await stub.ListModels(common_pb2.ListModelsRequest())
    assert [model.id for model in listed.models] == ["tiny-0.1.0"]


def test_without_weights_it_says_which_command_builds_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "services.llm", "--port", "0", "--metrics-port", "-1", "--weights", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "make setup" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


async def test_the_built_model_answers(tmp_path: Path) -> None:
    assert (BUILT / CARD).is_file(), "run `make setup`: it builds the model"
    with running(tmp_path, "services.llm", "--model", BUILT.name) as process:
        async with grpc.aio.insecure_channel(process.grpc) as channel:
            request = asked("What is the capital of France?", sampling=llm_pb2.Sampling())
            messages = await answered(llm_pb2_grpc.LlmServiceStub(channel), request)
    assert "Paris" in text_of(messages)
    assert messages[-1].finish_reason == llm_pb2.FINISH_REASON_STOP
    assert messages[-1].model == BUILT.name
