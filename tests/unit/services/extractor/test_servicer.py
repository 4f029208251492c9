"""The service over gRPC, with the shipped model."""

import json
from collections.abc import AsyncIterator

import grpc
import pytest

from quartet.v1 import common_pb2, extractor_pb2_grpc
from quartet.v1 import extractor_pb2 as pb
from services.extractor.__main__ import SPEC
from services.extractor.config import ExtractorConfig
from services.runtime.health import Readiness
from services.runtime.lifecycle import Host
from services.runtime.server import build_server

TEXT = "📦 Order KX-7741 came on 12.11.2026. Total: 389,00 EUR. Driver: Ana Brandão"


@pytest.fixture
async def stub() -> AsyncIterator[extractor_pb2_grpc.ExtractorServiceStub]:
    host = Host(ExtractorConfig(metrics_port=-1))
    server = await build_server(SPEC.service, Readiness(SPEC.service), max_message_bytes=1 << 24)
    SPEC.register(server, host)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await host.load(SPEC.load)
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield extractor_pb2_grpc.ExtractorServiceStub(channel)
    finally:
        await server.stop(None)
        for close in host.on_close:
            await close()
        host.runner.close()


def request(**more: object) -> pb.ExtractRequest:
    fields = [
        pb.Field(name="total", type=pb.FIELD_TYPE_MONEY),
        pb.Field(name="order_id", type=pb.FIELD_TYPE_TEXT),
        pb.Field(name="driver", type=pb.FIELD_TYPE_TEXT),
        pb.Field(name="delivery_date", type=pb.FIELD_TYPE_DATE),
    ]
    return pb.ExtractRequest(state=common_pb2.State(text=TEXT), fields=fields, **more)  # type: ignore[arg-type]


async def test_service(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    """One server for all of it: loading the model is what takes time."""
    await answers_with_evidence(stub)
    await offsets_in_other_units(stub)
    await errors_name_the_field(stub)
    await models_are_described(stub)
    await one_bad_request_on_a_stream(stub)
    await structured_state(stub)


async def answers_with_evidence(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    reply = await stub.Extract(request(return_state_text=True))
    assert reply.model == "quartet-extract-0.1.0" and reply.state_text == TEXT
    assert [a.name for a in reply.answers] == ["total", "order_id", "driver", "delivery_date"]
    values = [json.loads(a.value.json) for a in reply.answers]
    assert values == [{"amount": "389.00", "currency": "EUR"}, "KX-7741", "Ana Brandão", "2026-11-12"]
    for answer in reply.answers:
        assert TEXT[answer.spans[0].start : answer.spans[0].end] == answer.quotes[0]
    assert reply.usage.output_tokens == 0
    assert reply.usage.input_tokens == reply.usage.state_tokens + reply.usage.schema_tokens > 0


async def offsets_in_other_units(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    units = ((common_pb2.OFFSET_UNIT_UTF8_BYTE, "utf-8", 1), (common_pb2.OFFSET_UNIT_UTF16_UNIT, "utf-16-le", 2))
    for unit, encoding, width in units:
        reply = await stub.Extract(request(offset_unit=unit))
        data = TEXT.encode(encoding)
        for answer in reply.answers:
            span = answer.spans[0]
            assert data[span.start * width : span.end * width].decode(encoding) == answer.quotes[0]


async def errors_name_the_field(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    def asks(text: str, **more: object) -> pb.ExtractRequest:
        field = pb.Field(name="a", **{"type": pb.FIELD_TYPE_TEXT, **more})  # type: ignore[arg-type]
        return pb.ExtractRequest(state=common_pb2.State(text=text), fields=[field])

    wrong = [
        (pb.ExtractRequest(fields=[pb.Field(name="a", type=pb.FIELD_TYPE_TEXT)]), "state"),
        (pb.ExtractRequest(state=common_pb2.State(text="x")), "fields"),
        (request(reference_date="2026-02-30"), "reference_date"),
        (request(locale="xx-nowhere"), "locale"),
        (request(max_alternatives=11), "max_alternatives"),
        (asks("x", type=pb.FIELD_TYPE_NUMBER, decimals=7), "fields.a.decimals"),
        (asks("x", type=pb.FIELD_TYPE_UNSPECIFIED), "fields.a.type"),
        (asks(" \n"), "state"),
        (asks("word " * 70000), "tokens of the state: 70000 is over the limit of 65536"),
        (asks("word " * 110000), "characters of the state: 550000 is over the limit of 524288"),
    ]
    for message, path in wrong:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Extract(message)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert path in str(caught.value.details())
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Extract(request(model="nobody"))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def models_are_described(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    for name in ("", "clairic", "@cf/cloudflare/clairic"):
        model = (await stub.GetModel(common_pb2.GetModelRequest(model=name))).model
        assert model.id == "quartet-extract-0.1.0" and model.is_default
    listed = await stub.ListModels(common_pb2.ListModelsRequest())
    assert [m.id for m in listed.models] == ["quartet-extract-0.1.0"]
    assert {limit.name: limit.value for limit in model.limits}["state_tokens"] == 65536


async def one_bad_request_on_a_stream(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    bad = pb.ExtractRequest(state=common_pb2.State(text="x"))
    sent = [pb.ExtractStreamRequest(correlation_id=f"c{i}", request=bad if i == 1 else request()) for i in range(4)]
    replies = {reply.correlation_id: reply async for reply in stub.ExtractStream(iter(sent))}
    assert sorted(replies) == ["c0", "c1", "c2", "c3"]
    assert replies["c1"].error.reason == "INVALID_FIELD" and replies["c1"].error.field == "fields"
    assert replies["c0"].response.answers == replies["c3"].response.answers


async def structured_state(stub: extractor_pb2_grpc.ExtractorServiceStub) -> None:
    state = common_pb2.State(json=common_pb2.JsonValue(json=b'{"order": {"total": 130.00, "buyer": "Ana Lima"}}'))
    fields = [pb.Field(name="total", type=pb.FIELD_TYPE_NUMBER)]
    message = pb.ExtractRequest(state=state, fields=fields, return_state_text=True)
    reply = await stub.Extract(message)
    assert reply.state_text == "order.total: 130.00\norder.buyer: Ana Lima"
    assert json.loads(reply.answers[0].value.json) == 130
