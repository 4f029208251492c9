"""Spans as an OTLP collector receives them: the right status for OK, client error, deadline, cancel and crash."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2

from quartet.v1 import classifier_pb2, classifier_pb2_grpc, llm_pb2, llm_pb2_grpc
from tests.contract.runtime.process import running

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self) -> None:
        self.spans: list[trace_pb2.Span] = []

    async def Export(self, request: trace_service_pb2.ExportTraceServiceRequest, context: object) -> object:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans += scope.spans
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest.fixture
async def collector() -> AsyncIterator[tuple[Collector, str]]:
    server, servicer = grpc.aio.server(), Collector()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield servicer, f"http://127.0.0.1:{port}"
    await server.stop(None)


def attribute(span: trace_pb2.Span, name: str) -> str:
    return next((a.value.string_value for a in span.attributes if a.key == name), "")


async def call(channel: grpc.aio.Channel, name: str, timeout: float) -> None:
    stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
    task = stub.Decide(classifier_pb2.DecideRequest(model=name), timeout=timeout, metadata=(("traceparent", PARENT),))
    if name == "sleep0.4":
        await asyncio.sleep(0.1)
        task.cancel()
    try:
        await task
    except (grpc.aio.AioRpcError, asyncio.CancelledError):
        return


async def test_the_span_has_the_status_that_the_caller_saw(tmp_path: Path, collector: tuple[Collector, str]) -> None:
    received, endpoint = collector
    env = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_TRACES_SAMPLER": "always_on",
    }
    cases = [("ok", 10.0), ("bad", 10.0), ("crash", 10.0), ("sleep0.4", 10.0), ("sleep0.5", 0.2)]
    # The service runs in a thread: stopping it must not block the collector's event loop.
    context = running(tmp_path, "tests.contract.runtime.toy_service", env=env)
    toy = await asyncio.to_thread(context.__enter__)
    try:
        async with grpc.aio.insecure_channel(toy.grpc) as channel:
            for name, timeout in cases:
                await call(channel, name, timeout)
            llm = llm_pb2_grpc.LlmServiceStub(channel)
            assert [r.text async for r in llm.Generate(llm_pb2.GenerateRequest(model="hi"))] == ["hi"]
        end = time.monotonic() + 20
        while len(received.spans) < len(cases) + 1 and time.monotonic() < end:
            await asyncio.sleep(0.1)
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)
    decide = [s for s in received.spans if s.name == "quartet.v1.ClassifierService/Decide"]
    seen = [attribute(s, "rpc.response.status_code") for s in sorted(decide, key=lambda s: s.start_time_unix_nano)]
    assert seen == ["OK", "INVALID_ARGUMENT", "INTERNAL", "CANCELLED", "DEADLINE_EXCEEDED"]
    failed = {attribute(s, "rpc.response.status_code") for s in decide if s.status.code == s.status.STATUS_CODE_ERROR}
    assert failed == {"INTERNAL", "DEADLINE_EXCEEDED"}
    assert {s.trace_id.hex() for s in decide} == {PARENT.split("-")[1]}
    assert {s.parent_span_id.hex() for s in decide} == {PARENT.split("-")[2]}
    crash = next(s for s in decide if attribute(s, "rpc.response.status_code") == "INTERNAL")
    assert [e.name for e in crash.events] == ["exception"]
    stream = [s for s in received.spans if s.name == "quartet.v1.LlmService/Generate"]
    assert [attribute(s, "rpc.response.status_code") for s in stream] == ["OK"]
