import math
from collections.abc import AsyncIterator

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from quartet.v1 import common_pb2, forecaster_pb2
from quartet.v1.forecaster_pb2_grpc import ForecasterServiceStub
from services.forecaster import estimates
from services.forecaster.__main__ import SPEC
from services.forecaster.config import ForecasterConfig
from services.forecaster.forecasts import parse
from services.runtime.errors import InputTooLong, InvalidField
from services.runtime.health import Readiness
from services.runtime.json_text import message
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry
from services.runtime.server import build_server

Request = forecaster_pb2.ForecastRequest
Series = forecaster_pb2.Series

MONTHS = [f"{2021 + i // 12}-{i % 12 + 1:02d}" for i in range(48)]
VALUES = [100 + 20 * math.sin(2 * math.pi * i / 12) for i in range(48)]


@pytest.fixture
async def stub() -> AsyncIterator[ForecasterServiceStub]:
    """A client of a real server on a free port."""
    host: Host[ForecasterConfig, Registry] = Host(ForecasterConfig(port=0))  # type: ignore[type-arg]
    server = await build_server(SPEC.service, Readiness(SPEC.service), max_message_bytes=1 << 24)
    SPEC.register(server, host)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await host.load(SPEC.load)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield ForecasterServiceStub(channel)
    for close in host.on_close:
        await close()
    await server.stop(0)
    host.runner.close()


async def test_a_forecast_over_the_wire(stub: ForecasterServiceStub) -> None:
    one = Series(id="sales", values=VALUES, timestamps=MONTHS)
    two = Series(id="short", values=[3.0])
    reply = await stub.Forecast(Request(series=[one, two], horizon=5, quantiles=[0.9, 0.1], non_negative=True))
    assert reply.model == "quartet-forecast-0.1.0"
    assert [f.id for f in reply.forecasts] == ["sales", "short"]
    sales, short = reply.forecasts
    assert list(sales.timestamps) == ["2025-01", "2025-02", "2025-03", "2025-04", "2025-05"]
    assert sales.season == 12
    assert [t.level for t in sales.quantiles] == [0.1, 0.9]
    low, high = (list(t.values) for t in sales.quantiles)
    assert all(a < m < b for a, m, b in zip(low, sales.median, high, strict=True))
    assert "short_history" in short.notes
    assert not short.timestamps
    assert (reply.usage.input_points, reply.usage.output_points) == (49, 10)
    assert reply.timing.total_s >= reply.timing.model_s > 0


async def test_an_error_names_the_field(stub: ForecasterServiceStub) -> None:
    bad = Series(values=[1.0, 2.0, 3.0], timestamps=["2026-01-01", "2026-01-02", "2026-01-02"])
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Forecast(Request(series=[bad], horizon=1))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    status = rpc_status.from_call(caught.value)
    assert status is not None
    request = error_details_pb2.BadRequest()
    assert any(d.Unpack(request) for d in status.details)
    assert request.field_violations[0].field == "series[0].timestamps[2]"


async def test_models_are_described(stub: ForecasterServiceStub) -> None:
    model = (await stub.GetModel(common_pb2.GetModelRequest(model="forecast"))).model
    listed = (await stub.ListModels(common_pb2.ListModelsRequest())).models
    assert model.id == "quartet-forecast-0.1.0"
    assert [one.id for one in listed] == ["quartet-estimate-0.1.0", "quartet-forecast-0.1.0"]
    assert {limit.name for limit in model.limits} >= {"series", "horizon_steps", "points_per_series"}
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Forecast(Request(model="oracle", series=[Series(values=[1.0])], horizon=1))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def request(**changes: object) -> Request:
    return Request(**{"series": [Series(values=[1.0, 2.0, 3.0])], "horizon": 2, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 1_025}, "horizon"),
        ({"horizon": 4_000_000_000}, "horizon"),
        ({"series": []}, "series"),
        ({"series": [Series(values=[1.0]), Series(values=[])]}, "series[1].values"),
        ({"series": [Series(id="a", values=[1.0]), Series(id="a", values=[1.0])]}, "series[1].id"),
        ({"quantiles": [0.5, 0.0]}, "quantiles[1]"),
        ({"quantiles": [1.0]}, "quantiles[0]"),
        ({"quantiles": [-5.0]}, "quantiles[0]"),
        ({"quantiles": [float("nan")]}, "quantiles[0]"),
        ({"quantiles": [0.2, 0.2]}, "quantiles[1]"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        parse(request(**changes))
    assert caught.value.fields[0].path == path


@pytest.mark.parametrize(
    "changes",
    [
        {"quantiles": [i / 101 for i in range(1, 101)]},
        {"series": [Series(values=[1.0])] * 10_001},
        {"series": [Series(values=[1.0])] * 1_000, "horizon": 1_024},
    ],
)
def test_what_is_too_much_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputTooLong):
        parse(request(**changes))


def test_levels_that_were_narrowed_to_float32_are_recognised() -> None:
    narrowed = [0.10000000149011612, 0.05000000074505806, 0.935]
    assert parse(request(quantiles=narrowed)).query.levels == (0.05, 0.1, 0.935)


def test_default_levels() -> None:
    assert parse(request()).query.levels == (0.1, 0.5, 0.9)


async def test_a_text_over_the_wire(stub: ForecasterServiceStub) -> None:
    lines = [f"{stamp},{value:.1f}" for stamp, value in zip(MONTHS, VALUES, strict=True)]
    text = "\n".join(["month,sales", *lines[:3], "moved to the new shop", *lines[3:]])
    reply = await stub.Forecast(Request(text=text, horizon=3, backtest=True, integer=True, max=118))
    (sales,) = reply.forecasts
    assert (sales.id, sales.season, list(sales.timestamps)) == ("sales", 12, ["2025-01", "2025-02", "2025-03"])
    assert (len(reply.rows), reply.rows[3].line, list(reply.skipped_lines)) == (48, 6, [5])
    assert sales.backtest.origins == 3 and sales.backtest.points == 9
    assert all(value % 1 == 0 and value <= 118 for value in sales.median)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"text": "1 2 3"}, "text"),
        ({"series": [], "text": "nothing"}, "text"),
        ({"min": float("nan")}, "min"),
        ({"min": 3, "max": 3}, "max"),
        ({"non_negative": True, "max": -1}, "max"),
        ({"integer": True, "min": 0.2, "max": 0.8}, "integer"),
    ],
)
def test_what_is_wrong_with_text_and_bounds_is_named(changes: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        parse(request(**changes))
    assert caught.value.fields[0].path == path


async def test_many_requests_on_one_stream(stub: ForecasterServiceStub) -> None:
    async def items() -> AsyncIterator[forecaster_pb2.ForecastStreamRequest]:
        for i in range(20):
            series = [Series(values=VALUES[i:] if i != 7 else [])]
            yield forecaster_pb2.ForecastStreamRequest(correlation_id=str(i), request=Request(series=series, horizon=2))

    replies = {r.correlation_id: r async for r in stub.ForecastStream(items())}
    assert set(replies) == {str(i) for i in range(20)}
    assert replies["7"].error.field == "series[0].values"
    assert all(len(r.response.forecasts[0].mean) == 2 for name, r in replies.items() if name != "7")


async def test_an_estimate_over_the_wire(stub: ForecasterServiceStub) -> None:
    text = "size,day,rent\n" + "\n".join(f"{s},2026-01-{s:02d},{300 + 10 * s}" for s in range(10, 28, 2)) + "\n15,,?"
    reply = await stub.Estimate(forecaster_pb2.EstimateRequest(text=text, target="rent", min=0, step=5))
    (one,) = reply.estimates
    assert reply.model == "quartet-estimate-0.1.0"
    assert (reply.usage.records, list(reply.usage.columns), one.record) == (9, ["day", "size"], 9)
    assert 410 <= one.median <= 490 and one.median % 5 == 0
    assert [q.level for q in one.quantiles] == [0.1, 0.5, 0.9]
    assert one.HasField("p_below") and not one.HasField("p_above")
    assert "not_stated:day" in one.notes and not one.median_date


async def test_a_date_is_estimated_as_a_date(stub: ForecasterServiceStub) -> None:
    records = [message({"weeks": w, "due": f"2026-{1 + w // 4:02d}-{1 + 7 * (w % 4):02d}"}) for w in range(12)]
    asked = forecaster_pb2.EstimateRequest(records=records, target="due", queries=[message({"weeks": 6})])
    (one,) = (await stub.Estimate(asked)).estimates
    assert one.median_date[:7] in ("2026-02", "2026-01", "2026-03")
    assert [q.date for q in one.quantiles] == sorted(q.date for q in one.quantiles)
    assert not one.HasField("record")


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"records": []}, "records"),
        ({"records": [message({"a": 1})]}, "records"),
        ({"target": ""}, "target"),
        ({"text": "a,y\n1,2"}, "text"),
        ({"records": [], "text": "nothing"}, "text"),
        ({"scale": forecaster_pb2.ESTIMATE_SCALE_LOG, "records": [message({"y": 0})]}, "scale"),
        ({"min": 2, "max": 1}, "max"),
        ({"step": 0}, "step"),
        ({"step": 5, "min": 0, "max": 3}, "step"),
        ({"max": float("inf")}, "max"),
        ({"quantiles": [2]}, "quantiles[0]"),
    ],
)
def test_what_is_wrong_with_an_estimate_is_named(changes: dict[str, object], path: str) -> None:
    given = {"records": [message({"a": 1, "y": 2})], "target": "y", "queries": [message({"a": 2})]} | changes
    with pytest.raises(InvalidField) as caught:
        estimates.parse(forecaster_pb2.EstimateRequest(**given))
    assert caught.value.fields[0].path == path


async def test_each_call_wants_a_model_of_its_kind(stub: ForecasterServiceStub) -> None:
    for call in (
        stub.Forecast(Request(model="estimate", series=[Series(values=[1.0])], horizon=1)),
        stub.Estimate(forecaster_pb2.EstimateRequest(model="forecast")),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND
