"""The Workers AI run route over the real services."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from gateway.rest.settings import RestSettings
from gateway.supervisor.background import RunningStack
from tests.contract.rest.edge import error_of, served

RUN = "/client/v4/accounts/0123456789abcdef/ai/run/@cf/cloudflare"
NOUL = {"type": "noul", "instructions": "Is it wet?"}
CHOICE = {"type": "choice", "instructions": "Which team?", "criteria": {"returns": "damaged goods", "billing": None}}
SCORE = {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"]}
DECIDE = {"model": "clef", "state": "The parcel arrived soaked.", "questions": {"n": NOUL, "c": CHOICE, "s": SCORE}}
EXTRACT = {"state": "Order KX-7741 of 3 May 2026.", "fields": {"order": {"type": "text"}, "day": {"type": "date"}}}


@pytest.fixture
async def client(stack: RunningStack) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=stack.http, timeout=60) as made:
        yield made


def error(response: httpx2.Response) -> tuple[int, int]:
    body = error_of(response)
    assert (body["success"], body["result"], body["messages"]) == (False, None, [])
    assert body["errors"][0]["message"]
    return response.status_code, body["errors"][0]["code"]


@pytest.mark.parametrize("name", ["clef", "clef-flash", "clef-omni"])
async def test_decisions_come_in_an_envelope_with_the_top_probability(client: httpx2.AsyncClient, name: str) -> None:
    response = await client.post(f"{RUN}/{name}", json=DECIDE | {"model": f" @cf/cloudflare/{name} "})
    body = response.json()
    assert response.status_code == 200 and response.headers["cf-ai-req-id"] == response.headers["x-request-id"]
    assert list(body) == ["result", "success", "errors", "messages"]
    assert (body["success"], body["errors"], body["messages"]) == (True, [], [])
    answers = body["result"]["answers"]
    assert list(answers) == ["n", "c", "s"] and body["result"]["usage"]["output_tokens"] == 0
    for answer in (answers["c"], answers["s"]):
        assert answer["confidence"] == max(answer["probabilities"].values())
        assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=5e-4)
    for number in (answers["n"]["noul"], *answers["c"]["probabilities"].values(), answers["s"]["score"]):
        assert number == round(number, 4)


async def test_a_run_and_system_one_say_the_same(client: httpx2.AsyncClient) -> None:
    run = (await client.post(f"{RUN}/clef", json=DECIDE)).json()["result"]
    plain = (await client.post("/v1/systemone", json=DECIDE)).json()
    assert run["model"] == plain["model"] and run["usage"] == plain["usage"]
    for name, probability in plain["answers"]["c"]["probabilities"].items():
        assert run["answers"]["c"]["probabilities"][name] == pytest.approx(probability, abs=1e-4)


async def test_extractions_are_those_of_the_bare_route(client: httpx2.AsyncClient) -> None:
    response = await client.post(f"{RUN}/clairic", json=EXTRACT | {"model": "clairic"})
    bare = await client.post("/v1/extraction", json=EXTRACT)
    assert response.status_code == 200 and response.json()["success"] is True
    assert response.json()["result"] == bare.json()
    assert response.json()["result"]["answers"]["order"]["value"] == "KX-7741"


def asked(**question: Any) -> dict[str, Any]:
    return {"questions": {"q": {"instructions": "?"} | question}}


PICTURE = "data:image/png;base64,iVBORw0KGgo="
MANY = {f"q{i}": NOUL for i in range(65)}


@pytest.mark.parametrize(
    ("change", "status", "code", "told"),
    [
        ({"questions": {}}, 400, 5006, "questions"),
        ({"questions": None}, 400, 5006, "questions"),
        ({"state": None}, 400, 5006, "state"),
        (asked(type="boolean"), 400, 5006, "questions.q.type"),
        ({"questions": {"q": {"type": "noul"}}}, 400, 5006, "questions.q.instructions"),
        (asked(type="noul", instructions=None), 400, 5006, "questions.q.instructions"),
        (asked(type="noul", instructions=""), 422, 5012, "questions.q.instructions"),
        ({"questions": MANY}, 422, 5012, "65 questions"),
        ({"questions": {"a b": NOUL}}, 422, 5012, "questions.a b"),
        ({"questions": {"q" * 101: NOUL}}, 422, 5012, "100 letters"),
        (asked(type="choice", criteria={"one": None}), 422, 5012, "questions.q.criteria"),
        (asked(type="choice", criteria={"": None, "b": None}), 422, 5012, "questions.q.criteria"),
        (asked(type="score", criteria=["one"]), 422, 5012, "questions.q.criteria"),
        (asked(type="noul", weight=2), 422, 5012, "questions.q.weight"),
        ({"seed": 7}, 422, 5012, "seed"),
        ({"model": "clef-flash"}, 422, 5012, "model"),
        ({"model": 7}, 400, 5006, "model"),
        ({"images": [PICTURE]}, 422, 5012, "images"),
        ({"images": [PICTURE] * 5}, 422, 5012, "images"),
        ({"audio": ["data:audio/wav;base64,UklGRg=="]}, 422, 5012, "audio"),
        ({"videos": ["data:video/mp4;base64,AAAA"]}, 422, 5012, "videos"),
        ({"state": "word " * 150_000}, 413, 5021, "tokens"),
    ],
)
async def test_clef_is_strict(client: Any, change: dict[str, Any], status: int, code: int, told: str) -> None:
    response = await client.post(f"{RUN}/clef", json=DECIDE | change)
    assert error(response) == (status, code)
    assert told in error_of(response)["errors"][0]["message"]
    assert response.headers["cf-ai-req-id"]


async def test_all_that_is_at_the_limit_is_answered(client: httpx2.AsyncClient) -> None:
    questions = {f"q-{i}_{i}.": NOUL for i in range(64)}
    response = await client.post(f"{RUN}/clef", json={"state": "s", "questions": questions, "images": []})
    assert list(response.json()["result"]["answers"]) == list(questions)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"fields": {}}, 422, 3030),
        ({"fields": []}, 400, 5006),
        ({"state": {"a": 1}}, 400, 5006),
        ({"fields": {"a": {"type": "amount"}}}, 400, 5006),
        ({"fields": {"a": {"type": "list", "items": "text", "null_threshold": 0.5}}}, 422, 3030),
        ({"fields": {"a": {"type": "number", "decimals": 7}}}, 422, 3030),
        ({"images": [PICTURE]}, 422, 3030),
        ({"model": "clef"}, 422, 3030),
        ({"state": "word " * 90_000}, 413, 5021),
    ],
)
async def test_what_clairic_refuses(client: Any, change: dict[str, Any], status: int, code: int) -> None:
    assert error(await client.post(f"{RUN}/clairic", json=EXTRACT | change)) == (status, code)


async def test_what_never_reached_a_model_has_no_run_id(client: httpx2.AsyncClient) -> None:
    broken = await client.post(f"{RUN}/clef", content=b'{"state":')
    assert error(broken) == (400, 6003) and "cf-ai-req-id" not in broken.headers
    for path in (f"{RUN}/kimi", "/client/v4/accounts/a/ai/run/clef", "/client/v4/user"):
        assert error(await client.post(path, json={})) == (400, 7000)


async def test_a_service_that_is_away_and_a_wrong_key_have_their_codes() -> None:
    async with served(RestSettings(api_key="s3cret")) as client:
        for name, body in (("clef", DECIDE), ("clairic", EXTRACT)):
            path, content = f"{RUN}/{name}", json.dumps(body)
            assert error(await client.post(path, content=content)) == (401, 10000)
            away = await client.post(path, content=content, headers={"authorization": "Bearer s3cret"})
            assert error(away) == (503, 3040) and away.headers["retry-after"] == "1"
