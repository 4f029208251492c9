"""CascadeService and its REST route on the running stack."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from gateway.demo.emails import shipped
from gateway.rest.errors import from_rpc
from gateway.supervisor.background import RunningStack
from quartet.v1 import cascade_pb2, cascade_pb2_grpc, common_pb2

YAML = """
cascade: small
input: {text: {type: string}, series: {type: list}}
steps:
  both:
    kind: parallel
    steps:
      decided:
        kind: decide
        state: input.text
        questions: {urgent: {type: noul, instructions: "Is this urgent?"}}
      next: {kind: forecast, series: input.series, horizon: 2}
  sum: {kind: rule, set: {n: size(steps.next.values.series), p: steps.decided.answers.urgent.probability}}
output: {n: steps.sum.n, p: steps.sum.p}
"""
GIVEN = {"text": "The cellar is under water!", "series": [1, 2, 3, 4, 5, 6, 7, 8]}


@pytest.fixture
def cascades(stack: RunningStack) -> Iterator[Any]:
    with grpc.insecure_channel(stack.gateway) as channel:
        yield cascade_pb2_grpc.CascadeServiceStub(channel)


def request(given: Any, **which: str) -> cascade_pb2.RunRequest:
    return cascade_pb2.RunRequest(input=common_pb2.JsonValue(json=json.dumps(given).encode()), **which)


def kinds(events: list[Any]) -> list[str]:
    return [f"{cascade_pb2.EventKind.Name(e.kind).removeprefix('EVENT_KIND_').lower()} {e.step}" for e in events]


def test_a_sent_cascade_runs_its_branches_and_gives_the_same_answer_twice(cascades: Any) -> None:
    runs = [list(cascades.Run(request(GIVEN, yaml=YAML), timeout=60)) for _ in range(2)]
    story = kinds(runs[0])
    assert story[:3] == ["step_started both", "step_started decided", "step_started next"]
    assert story[-1] == "run_finished "
    results = [json.loads(events[-1].output.json) for events in runs]
    assert results[0] == results[1]
    assert results[0]["status"] == "finished"
    assert results[0]["output"]["n"] == 2


def test_the_shipped_cascade_reads_an_email(cascades: Any) -> None:
    email = shipped()[0]
    given = {"email": email.text, "received": email.received}
    events = list(cascades.Run(request(given, name="support"), timeout=120))
    story = kinds(events)
    assert "step_finished facts" in story
    assert story[-1] == "run_finished "
    result = json.loads(events[-1].output.json)
    assert result["status"] in ("finished", "review")
    if result["status"] == "finished":
        # Whatever the models read, the policy is arithmetic on it and the reply states it.
        policy = result["output"]["policy"]
        assert (float(policy["repair"]) < 0.6 * float(policy["price"])) == (policy["action"] == "repair")
        assert policy["action"] in result["output"]["reply"]


@pytest.mark.parametrize(
    ("sent", "code", "reason", "path"),
    [
        (request({}), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "cascade"),
        (request({}, name="nope"), grpc.StatusCode.NOT_FOUND, "CASCADE_NOT_FOUND", ""),
        (request({}, name="support"), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "input.email"),
        (request([1], name="support"), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "input"),
        (
            cascade_pb2.RunRequest(name="support", input=common_pb2.JsonValue(text="{}")),
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            "input",
        ),
        (request({}, yaml="a: ["), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "yaml"),
        (
            request({}, yaml="cascade: t\nsteps: {a: {kind: rule, set: {x: y.z}}}"),
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            "yaml.steps.a.set.x",
        ),
    ],
)
def test_a_wrong_request_ends_with_a_status(
    cascades: Any, sent: cascade_pb2.RunRequest, code: grpc.StatusCode, reason: str, path: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        list(cascades.Run(sent, timeout=30))
    error: Any = caught.value
    failure = from_rpc(error)
    assert (error.code(), failure.reason) == (code, reason)
    assert [violation.path for violation in failure.violations] == ([path] if path else [])


def test_a_failed_step_ends_the_run_with_its_reason(cascades: Any) -> None:
    yaml = "cascade: t\nsteps: {a: {kind: forecast, series: input.x, horizon: 1, model: nope}}"
    last = list(cascades.Run(request({"x": [1, 2, 3]}, yaml=yaml), timeout=30))[-1]
    assert last.kind == cascade_pb2.EVENT_KIND_RUN_FAILED
    assert last.reason == "MODEL_NOT_FOUND"
    assert "step a" in last.message


def test_the_language_model_is_asked_when_the_classifier_is_not_sure(cascades: Any) -> None:
    yaml = """
cascade: t
steps:
  a:
    kind: decide
    state: input.text
    questions: {mood: {type: choice, options: [glad, sad]}}
    gate: {min_confidence: 1, else: llm}
    on_error: continue
"""
    events = list(cascades.Run(request({"text": "I am so happy today"}, yaml=yaml), timeout=60))
    assert "step_escalated a" in kinds(events)
    steps = json.loads(events[-1].output.json)["output"]["steps"]
    if "a" in steps:  # a small language model may answer with something that is no JSON; then the step fails
        assert steps["a"]["answers"]["mood"]["by"] == "llm"
        assert steps["a"]["values"]["mood"] in ("glad", "sad")
    else:
        assert "step_failed a" in kinds(events)


def test_text_streams_as_it_is_written(cascades: Any) -> None:
    yaml = "cascade: t\nsteps: {a: {kind: generate, max_tokens: 8, messages: [{role: user, content: Hello}]}}"
    events = list(cascades.Run(request({}, yaml=yaml), timeout=60))
    pieces = [event.text for event in events if event.kind == cascade_pb2.EVENT_KIND_TEXT]
    output = json.loads(events[-1].output.json)["output"]["steps"]["a"]
    assert "".join(pieces) == output["text"]
    assert len(pieces) > 1


def post(url: str, body: bytes, **headers: str) -> tuple[int, str]:
    sent = urllib.request.Request(url, body, {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(sent, timeout=120) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_rest_answers_with_the_result(stack: RunningStack) -> None:
    body = json.dumps({"input": {"email": shipped()[0].text, "received": "2026-03-16"}}).encode()
    status, text = post(f"{stack.http}/v1/cascades/support:run", body)
    assert status == 200
    answer = json.loads(text)
    assert answer["cascade"] == "support"
    assert "facts" in answer["steps"]


def test_rest_streams_events(stack: RunningStack) -> None:
    body = json.dumps({"input": {"email": "x"}}).encode()
    status, text = post(f"{stack.http}/v1/cascades/support:run", body, accept="text/event-stream")
    assert status == 200
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    assert blocks[0][:2] == ["id: 1", "event: step_started"]
    assert blocks[-1][1] == "event: run_finished"
    assert json.loads(blocks[-1][2].removeprefix("data: "))["status"] == "review"


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("support", b"{", 400, "INVALID_JSON"),
        ("support", b'{"input": {}}', 422, "INVALID_FIELD"),
        ("support", b'{"inputs": {}}', 422, "INVALID_FIELD"),
        ("nope", b'{"input": {}}', 404, "CASCADE_NOT_FOUND"),
    ],
)
def test_rest_refuses_with_a_reason(stack: RunningStack, path: str, body: bytes, status: int, reason: str) -> None:
    for headers in ({}, {"accept": "text/event-stream"}):
        found, text = post(f"{stack.http}/v1/cascades/{path}:run", body, **headers)
        assert (found, json.loads(text)["error"]["reason"]) == (status, reason)


def test_rest_lists_cascades(stack: RunningStack) -> None:
    with urllib.request.urlopen(f"{stack.http}/v1/cascades", timeout=30) as reply:
        assert "support" in [cascade["name"] for cascade in json.load(reply)["cascades"]]
