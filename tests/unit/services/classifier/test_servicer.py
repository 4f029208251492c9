"""The service over a real server: mapping, errors with paths, streams, models."""

import json
from collections.abc import AsyncIterator

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from quartet.v1 import classifier_pb2 as pb
from quartet.v1 import common_pb2
from quartet.v1.classifier_pb2_grpc import ClassifierServiceStub
from services.classifier.__main__ import SPEC
from services.classifier.config import ClassifierConfig
from services.classifier.servicer import Models
from services.runtime.health import Readiness
from services.runtime.lifecycle import Host
from services.runtime.server import build_server


def text(value: str) -> common_pb2.JsonValue:
    return common_pb2.JsonValue(text=value)


def as_json(value: object) -> common_pb2.JsonValue:
    return common_pb2.JsonValue(json=json.dumps(value).encode())


NOUL = pb.Question(id="n", instructions=text("Is the item broken?"), noul=pb.NoulSpec())
CHOICE = pb.Question(
    id="c",
    choice=pb.ChoiceSpec(options=[pb.Option(name="b"), pb.Option(name="a", description=as_json({"about": "money"}))]),
)
SCORE = pb.Question(id="s", score=pb.ScoreSpec(levels=[text("low"), as_json({"name": "high"})]))
STATE = common_pb2.State(text="The lamp arrived broken.")


@pytest.fixture
async def stub() -> AsyncIterator[ClassifierServiceStub]:
    host: Host[ClassifierConfig, Models] = Host(ClassifierConfig(port=0, stream_requests=2))
    server = await build_server(SPEC.service, Readiness(SPEC.service), max_message_bytes=1 << 24)
    SPEC.register(server, host)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await host.load(SPEC.load)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield ClassifierServiceStub(channel)
    for close in host.on_close:
        await close()
    await server.stop(0)
    host.runner.close()


async def test_all_kinds_are_answered_in_order(stub: ClassifierServiceStub) -> None:
    reply = await stub.Decide(pb.DecideRequest(state=STATE, questions=[SCORE, NOUL, CHOICE]))
    score, noul, choice = reply.answers
    assert [answer.id for answer in reply.answers] == ["s", "n", "c"]
    assert 0 <= noul.noul.probability <= 1
    assert [pair.name for pair in choice.choice.probabilities] == ["b", "a"]
    assert score.score.score == pytest.approx(score.score.probabilities[1])
    assert [json.loads(level.json) for level in score.score.legend] == ["low", {"name": "high"}]
    assert (reply.usage.output_tokens, reply.timing.batch_size) == (0, 1)
    assert reply.usage.input_tokens == reply.timing.input_tokens > 10


async def test_a_structured_state_is_read(stub: ClassifierServiceStub) -> None:
    state = common_pb2.State(json=as_json({"message": "The lamp arrived broken.", "order": [1, 2]}))
    reply = await stub.Decide(pb.DecideRequest(state=state, questions=[NOUL]))
    assert reply.answers[0].HasField("noul")


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (pb.DecideRequest(questions=[NOUL]), "state"),
        (
            pb.DecideRequest(state=common_pb2.State(json=common_pb2.JsonValue(json=b"{")), questions=[NOUL]),
            "state.json",
        ),
        (pb.DecideRequest(state=STATE), "questions"),
        (pb.DecideRequest(state=STATE, questions=[pb.Question(id="x")]), "questions[0]"),
        (pb.DecideRequest(state=STATE, questions=[NOUL, NOUL]), "questions[1].id"),
        (pb.DecideRequest(state=STATE, questions=[NOUL], model="nobody"), "model"),
        (pb.DecideRequest(state=common_pb2.State(text="a " * 40_000), questions=[NOUL]), "state"),
    ],
)
async def test_bad_requests_name_the_field(stub: ClassifierServiceStub, request_: pb.DecideRequest, path: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Decide(request_)
    details = rpc_status.from_call(caught.value).details
    bad = error_details_pb2.BadRequest()
    assert any(detail.Unpack(bad) for detail in details)
    assert path in [violation.field for violation in bad.field_violations]


async def test_an_error_on_a_stream_fails_its_request_alone(stub: ClassifierServiceStub) -> None:
    good = pb.DecideRequest(state=STATE, questions=[NOUL])
    sent = [pb.DecideStreamRequest(correlation_id=str(n), request=good) for n in range(6)]
    sent[3].request.ClearField("questions")
    found = {reply.correlation_id: reply async for reply in stub.DecideStream(iter(sent))}
    assert set(found) == {"0", "1", "2", "3", "4", "5"}
    error = found.pop("3").error
    assert (error.code, error.reason, error.field) == (3, "INVALID_FIELD", "questions")
    alone = (await stub.Decide(good)).answers
    assert all(reply.response.answers == alone for reply in found.values())


async def test_models_are_found_by_id_and_alias(stub: ClassifierServiceStub) -> None:
    (listed,) = (await stub.ListModels(common_pb2.ListModelsRequest())).models
    for name in ("", "jev-latest", "clef", listed.id):
        assert (await stub.GetModel(common_pb2.GetModelRequest(model=name))).model == listed
    reply = await stub.Decide(pb.DecideRequest(model="jev-1.14.0", state=STATE, questions=[NOUL]))
    assert reply.model == listed.id
    assert {limit.name: limit.value for limit in listed.limits}["questions"] == 400
