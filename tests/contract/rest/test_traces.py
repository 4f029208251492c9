"""One trace from the HTTP caller to the model, as an OTLP collector receives it."""

import asyncio
from pathlib import Path

import httpx2

from gateway.supervisor.addresses import Address, Ports
from tests.contract.runtime.process import running
from tests.contract.runtime.test_traces import PARENT, Collector, collector

__all__ = ["collector"]
ASKED = {"model": "jev-latest", "state": "s", "questions": {"q": {"type": "noul", "instructions": "Is it wet?"}}}


async def test_a_request_and_the_call_behind_it_share_the_callers_trace(
    tmp_path: Path,
    collector: tuple[Collector, str],
) -> None:
    received, endpoint = collector
    env = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_TRACES_SAMPLER": "always_on",
    }
    http = Ports().settle(Address("127.0.0.1", 0))
    (tmp_path / "edge").mkdir()
    service = running(tmp_path, "services.classifier", env=env)
    # Both run elsewhere; starting and stopping them must not block the collector's event loop.
    classifier = await asyncio.to_thread(service.__enter__)
    edge = running(tmp_path / "edge", "gateway", "--http", str(http), "--classifier", classifier.grpc, env=env)
    await asyncio.to_thread(edge.__enter__)
    try:
        async with httpx2.AsyncClient(base_url=f"http://{http}") as client:
            headers = {"traceparent": PARENT, "x-request-id": "r-1"}
            answered = await client.post("/v1/systemone", json=ASKED, headers=headers)
            failed = await client.post("/v1/forecasts", json={"series": [{"values": [1]}], "horizon": 1})
        assert (answered.status_code, failed.status_code) == (200, 503)
        async with asyncio.timeout(30):
            while not {"POST /v1/systemone", "POST /v1/forecasts", "model run"} <= {s.name for s in received.spans}:
                await asyncio.sleep(0.1)
    finally:
        await asyncio.to_thread(edge.__exit__, None, None, None)
        await asyncio.to_thread(service.__exit__, None, None, None)
    spans = {span.name: span for span in received.spans}
    asked, call = spans["POST /v1/systemone"], spans["quartet.v1.ClassifierService/Decide"]
    assert asked.trace_id.hex() == call.trace_id.hex() == spans["model run"].trace_id.hex() == PARENT.split("-")[1]
    assert asked.parent_span_id.hex() == PARENT.split("-")[2] and call.parent_span_id == asked.span_id
    assert {a.key: a.value.string_value for a in asked.attributes}["quartet.request.id"] == "r-1"
    error = 2
    assert spans["POST /v1/forecasts"].status.code == error and asked.status.code != error
