"""OpenRouter's own client, unchanged, and TypeSafe's with OpenRouter's base URL, against the stack."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import typesafe_sdk as sdk
from openrouter import OpenRouter
from openrouter.errors import BadRequestResponseError, NotFoundResponseError, PayloadTooLargeResponseError
from openrouter.utils import BackoffStrategy, RetryConfig

from gateway.supervisor.background import RunningStack

STATE = {"subject": "broken lamp", "text": "It came broken. I want my money back."}
QUESTIONS: dict[str, Any] = {
    "refund": {"type": "noul", "instructions": "Does the customer want their money back?"},
    "team": {"type": "choice", "instructions": "Which team?", "criteria": {"Billing": None, "Returns": "damage"}},
    "anger": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"]},
}
ONCE = RetryConfig("none", BackoffStrategy(1, 1, 1, 1), False)


@pytest.fixture
def client(stack: RunningStack) -> Iterator[OpenRouter]:
    with OpenRouter(api_key="local", server_url=f"{stack.http}/api/v1", retry_config=ONCE) as made:
        yield made


@pytest.fixture
async def http(stack: RunningStack) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=stack.http, timeout=60) as made:
        yield made


@pytest.mark.parametrize("model", ["typesafe/jev-1.14", "~typesafe/jev-latest", "jev-latest", "cloudflare/clef"])
def test_system_one(client: OpenRouter, model: str) -> None:
    result = client.system_one.create(
        model=model, state=STATE, questions=QUESTIONS, provider={"sort": "latency"}, session_id="s-1", user="u-1"
    )
    assert list(result.answers) == list(QUESTIONS) and result.provider == "quartet" and result.id is not None
    refund, team, anger = (result.answers[name] for name in QUESTIONS)
    assert 0 <= refund.noul <= 1 and set(team.probabilities) == {"Billing", "Returns"}
    assert len(anger.probabilities) == 3 and result.usage.input_tokens > 0


def test_decisions(client: OpenRouter, stack: RunningStack) -> None:
    asked: Any = {"model": "typesafe/jev-1.14", "state": STATE, "questions": QUESTIONS}
    result = client.alpha.decisions.create(**asked, server_url=stack.http)
    assert result.answers == client.system_one.create(**asked).answers


def test_errors_are_the_typed_ones(client: OpenRouter) -> None:
    with pytest.raises(NotFoundResponseError, match="jev-9"):
        client.system_one.create(model="typesafe/jev-9", state="s", questions=QUESTIONS)
    many: Any = {"c": {"type": "choice", "instructions": "?", "criteria": {str(i): None for i in range(256)}}}
    with pytest.raises(BadRequestResponseError, match=r"questions\.c\.criteria.*256 options") as caught:
        client.system_one.create(model="jev-latest", state="s", questions=many)
    assert caught.value.data.error.code == 400
    with pytest.raises(PayloadTooLargeResponseError):
        client.system_one.create(model="jev-latest", state="word " * 150_000, questions=QUESTIONS)
    picture: Any = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    with pytest.raises(BadRequestResponseError, match="images"):
        client.system_one.create(model="jev-latest", state=picture, questions=QUESTIONS)


def test_typesafes_client_with_this_base_url(stack: RunningStack) -> None:
    with sdk.TypeSafeClient(api_key="local", base_url=f"{stack.http}/api") as client:
        questions = {"refund": sdk.Noul(instructions="Does the customer want their money back?")}
        assert 0 <= client.system_one(state=STATE, questions=questions).nouls["refund"].noul <= 1
        with pytest.raises(sdk.TypeSafeNotFoundError, match="jev-9"):
            client.system_one(state="s", questions=questions, model="jev-9")


EXTRACT = {
    "model": "cloudflare/clairic",
    "state": "Order KX-7741 of 3 May 2026.",
    "fields": {"order": {"type": "text"}, "day": {"type": "date"}},
}


async def test_extractions(http: httpx2.AsyncClient) -> None:
    envelope = {"assets": [], "provider": {"sort": "price"}, "user": "u", "session_id": "s", "trace": {"trace_id": "t"}}
    body = (await http.post("/api/alpha/extractions", json=EXTRACT | envelope)).json()
    bare = (await http.post("/v1/extraction", json={**EXTRACT, "model": "clairic"})).json()
    assert body["answers"] == bare["answers"] and body["usage"] == bare["usage"] and body["provider"] == "quartet"
    named = (await http.post("/v1/extractions", json={**EXTRACT, "model": "clairic"})).json()
    assert named == {"object": "extraction"} | bare


@pytest.mark.parametrize(
    ("change", "status", "path"),
    [
        ({"questions": QUESTIONS}, 400, "questions"),
        ({"assets": [{"type": "image"}]}, 400, "assets"),
        ({"fields": {"a": {"type": "amount"}}}, 400, "fields.a.type"),
        ({"model": "inception/nobody"}, 404, "model"),
    ],
)
async def test_what_extractions_refuse(http: Any, change: dict[str, Any], status: int, path: str) -> None:
    response = await http.post("/api/alpha/extractions", json=EXTRACT | change)
    error = response.json()["error"]
    assert response.status_code == error["code"] == status and error["message"]
    assert path in [field["path"] for field in error["metadata"].get("fields", [])] or status == 404
