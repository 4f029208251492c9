"""The REST route over a real application, on cascades that need no service."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from gateway.app import create_app
from gateway.cascades.http import cascade_routes
from gateway.cascades.library import Library
from gateway.cascades.parse import parse_cascade
from gateway.cascades.servicer import CascadeRuns
from gateway.clients import SERVICES, Clients
from gateway.rest.settings import RestSettings
from services.runtime.admission import Admission

RULE = parse_cascade("cascade: twice\ninput: {n: {type: number}}\nsteps: {a: {kind: rule, set: {x: 10 / input.n}}}")


@pytest.fixture
async def client() -> Any:
    clients = Clients({name: "127.0.0.1:1" for name in SERVICES})
    runs = CascadeRuns(lambda: Library([RULE]), clients, Admission(4))
    app = create_app(clients, RestSettings(api_key="k"), routes=cascade_routes(runs))
    yield TestClient(app, headers={"authorization": "Bearer k"})
    await clients.close()


def test_a_run_answers_with_its_output(client: Any) -> None:
    reply = client.post("/v1/cascades/twice:run", json={"input": {"n": 4}})
    assert reply.status_code == 200
    body = reply.json()
    assert (body["cascade"], body["status"], body["output"]) == ("twice", "finished", {"steps": {"a": {"x": 2.5}}})


def test_events_are_numbered_and_end_with_the_result(client: Any) -> None:
    reply = client.post("/v1/cascades/twice:run", json={"input": {"n": 4}}, headers={"accept": "text/event-stream"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    blocks = [dict(line.split(": ", 1) for line in block.split("\n")) for block in reply.text.strip().split("\n\n")]
    assert [block["id"] for block in blocks] == ["1", "2", "3"]
    assert [block["event"] for block in blocks] == ["step_started", "step_finished", "run_finished"]
    assert json.loads(blocks[-1]["data"])["output"] == {"steps": {"a": {"x": 2.5}}}


@pytest.mark.parametrize(
    ("name", "body", "status", "reason", "path"),
    [
        ("twice", {"input": {"n": "4"}}, 422, "INVALID_FIELD", "input.n"),
        ("twice", {"input": {"n": 4, "m": 1}}, 422, "INVALID_FIELD", "input.m"),
        ("twice", {"input": [4]}, 422, "INVALID_FIELD", "input"),
        ("twice", {"n": 4}, 422, "INVALID_FIELD", "n"),
        ("thrice", {"input": {}}, 404, "CASCADE_NOT_FOUND", None),
        ("twice", {"input": {"n": 0}}, 422, "EXPRESSION_FAILED", None),
    ],
)
def test_refusals(client: Any, name: str, body: Any, status: int, reason: str, path: str | None) -> None:
    reply = client.post(f"/v1/cascades/{name}:run", json=body)
    error = reply.json()["error"]
    assert (reply.status_code, error["reason"]) == (status, reason)
    assert [field["path"] for field in error.get("fields", [])] == ([path] if path else [])


def test_the_key_is_wanted(client: Any) -> None:
    for method, path in (("POST", "/v1/cascades/twice:run"), ("GET", "/v1/cascades")):
        assert client.request(method, path, headers={"authorization": "Bearer x"}).status_code == 401


def test_the_list_describes_inputs(client: Any) -> None:
    found = {cascade["name"]: cascade for cascade in client.get("/v1/cascades").json()["cascades"]}
    assert found["twice"]["input"] == {"n": {"type": "number", "required": True}}
