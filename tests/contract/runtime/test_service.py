"""The wire behaviour that every service has from the runtime, on a real process."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from quartet.v1 import classifier_pb2, classifier_pb2_grpc, llm_pb2, llm_pb2_grpc
from tests.contract.runtime.process import ROOT, Running, running

TOY = "tests.contract.runtime.toy_service"
SERVING = health_pb2.HealthCheckResponse.SERVING


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("toy"), TOY) as process:
        yield process


@pytest.fixture
async def channel(toy: Running) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(toy.grpc) as made:
        yield made


async def decide(channel: grpc.aio.Channel, name: str, timeout: float = 20) -> str:
    stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
    return (await stub.Decide(classifier_pb2.DecideRequest(model=name), timeout=timeout)).model


async def refused(channel: grpc.aio.Channel, name: str, timeout: float = 20) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await decide(channel, name, timeout)
    return caught.value


def info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    status = rpc_status.from_call(error)
    assert status is not None
    found = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(found)
    return found


async def test_an_error_carries_code_reason_and_field(channel: grpc.aio.Channel) -> None:
    error = await refused(channel, "bad")
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert info(error).reason == "INVALID_FIELD"
    status = rpc_status.from_call(error)
    violations = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(violations)
    assert violations.field_violations[0].field == "model"


@pytest.mark.parametrize(("name", "reason"), [("crash", "INTERNAL"), ("model-crash", "MODEL_FAILURE")])
async def test_a_crash_says_nothing_of_the_inside(channel: grpc.aio.Channel, name: str, reason: str) -> None:
    error = await refused(channel, name)
    assert error.code() == grpc.StatusCode.INTERNAL
    assert info(error).reason == reason
    assert "secret" not in (error.details() or "")
    assert await decide(channel, "next") == "next"


async def test_the_request_id_comes_back(channel: grpc.aio.Channel) -> None:
    stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
    call = stub.Decide(classifier_pb2.DecideRequest(model="x"), metadata=(("x-request-id", "mine"),))
    await call
    assert ("x-request-id", "mine") in list(await call.trailing_metadata())


async def test_a_full_queue_is_refused_at_once_and_deadlines_are_kept(channel: grpc.aio.Channel) -> None:
    calls = [asyncio.ensure_future(decide(channel, "sleep0.3", 10)) for _ in range(12)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    errors = [r for r in results if isinstance(r, grpc.aio.AioRpcError)]
    assert errors and all(e.code() == grpc.StatusCode.RESOURCE_EXHAUSTED for e in errors)
    assert {info(e).reason for e in errors} == {"QUEUE_FULL"}
    assert (await refused(channel, "sleep0.5", 0.1)).code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert await decide(channel, "x") == "x"


async def test_streams_of_both_styles(channel: grpc.aio.Channel) -> None:
    async def items(*ids: str) -> AsyncIterator[classifier_pb2.DecideStreamRequest]:
        for i in ids:
            yield classifier_pb2.DecideStreamRequest(correlation_id=i)

    stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
    assert [r.correlation_id async for r in stub.DecideStream(items("a", "b"))] == ["a", "b"]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        [r async for r in stub.DecideStream(items("a", "bad"))]
    assert info(caught.value).reason == "INVALID_FIELD"
    llm = llm_pb2_grpc.LlmServiceStub(channel)
    assert [r.text async for r in llm.Generate(llm_pb2.GenerateRequest(model="hi"))] == ["hi"]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        [r async for r in llm.Generate(llm_pb2.GenerateRequest(model="bad"))]
    assert info(caught.value).reason == "INVALID_FIELD"


async def test_an_oversize_message_is_refused_by_its_limit(channel: grpc.aio.Channel) -> None:
    error = await refused(channel, "x" * (17 << 20))
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_health_and_reflection(channel: grpc.aio.Channel) -> None:
    health = health_pb2_grpc.HealthStub(channel)
    for name in ("", "quartet.v1.ClassifierService"):
        assert (await health.Check(health_pb2.HealthCheckRequest(service=name))).status == SERVING

    async def ask() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")

    replies = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(ask())
    names = {s.name for r in [r async for r in replies] for s in r.list_services_response.service}
    assert {"quartet.v1.ClassifierService", "grpc.health.v1.Health"} <= names


def test_metrics_and_liveness(toy: Running) -> None:
    def get(path: str) -> str:
        with urllib.request.urlopen(f"http://{toy.metrics}{path}", timeout=10) as reply:
            return str(reply.read().decode())

    assert get("/livez") == "ok\n"
    assert 'rpc_response_status_code="INVALID_ARGUMENT"' in get("/metrics")


async def test_calls_before_the_model_is_loaded_are_told_to_come_back(tmp_path: Path) -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [sys.executable, "-m", TOY, "--port", str(port), "--load-s", "8", "--metrics-port", "-1"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.Decide(classifier_pb2.DecideRequest(model="x"), wait_for_ready=True, timeout=20)
            assert info(caught.value).reason == "MODEL_LOADING"
            reply = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert reply.status == health_pb2.HealthCheckResponse.NOT_SERVING
    finally:
        process.kill()
        process.wait()


async def test_sigterm_finishes_the_call_in_flight(tmp_path: Path) -> None:
    with running(tmp_path, TOY) as toy:
        async with grpc.aio.insecure_channel(toy.grpc) as channel:
            assert await decide(channel, "warm") == "warm"
            call = asyncio.ensure_future(decide(channel, "sleep0.8"))
            await asyncio.sleep(0.2)
            assert await asyncio.to_thread(toy.stop) == 0
            assert await call == "sleep0.8"


def test_wrong_settings_end_with_status_2_and_the_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", TOY, "--queue-capacity", "-1"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "queue_capacity" in done.stderr


def test_a_taken_port_is_said(toy: Running) -> None:
    port = toy.grpc.rpartition(":")[2]
    done = subprocess.run([sys.executable, "-m", TOY, "--port", port], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot listen" in done.stderr
