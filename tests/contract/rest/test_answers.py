"""Answers of the real services through the edge."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx2
import pytest

from gateway.clients import SERVICES, Clients
from gateway.supervisor.background import RunningStack
from quartet.v1 import llm_pb2
from tests.contract.rest.edge import error_of, served


def targets(stack: RunningStack) -> dict[str, str]:
    return {name: getattr(stack, name) for name in SERVICES}


@pytest.fixture
async def client(stack: RunningStack) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=stack.http, timeout=60) as made:
        yield made


LETTER = "The parcel arrived soaked. I want my money back."
MANY = {str(number): None for number in range(256)}


def decide(questions: dict[str, Any], state: Any = LETTER) -> dict[str, Any]:
    return {"model": "jev-latest", "state": state, "questions": questions}


async def test_order_names_and_texts_survive(client: httpx2.AsyncClient) -> None:
    names = ["__proto__", "10", "2", "caf\u00e9", "cafe\u0301", "true", "Yes", "yes", "yes ", "\U0001f4e6"]
    questions = {
        "z \u2603": {"type": "choice", "criteria": dict.fromkeys(names)},
        "a": {"type": "score", "criteria": ["calm", {"tone": "sharp", "rate": "@"}, ["furious"]]},
        "m.n": {"type": "noul", "criteria": {"false": {"about": ["nothing", 0]}}},
    }
    response = await client.post("/v1/systemone", json=decide(questions))
    body = response.json()
    assert response.status_code == 200 and list(body["answers"]) == list(questions)
    assert list(body["answers"]["z \u2603"]["probabilities"]) == names
    assert list(body["answers"]["a"]["legend"].values()) == questions["a"]["criteria"]
    assert set(body["answers"]["m.n"]) == {"type", "noul"}
    assert isinstance(body["usage"]["input_tokens"], int) and body["model"] != "jev-latest"


async def test_the_numbers_of_an_answer_agree(client: httpx2.AsyncClient) -> None:
    questions = {
        "c": {"type": "choice", "criteria": {f"option {i}": None for i in range(255)}},
        "s": {"type": "score", "criteria": [f"level {i}" for i in range(10)]},
    }
    answers = (await client.post("/v1/systemone", json=decide(questions))).json()["answers"]
    choice, score = answers["c"], answers["s"]
    assert sum(choice["probabilities"].values()) == pytest.approx(1, abs=255 * 5e-7)
    top = max(choice["probabilities"].values())
    assert choice["probabilities"][choice["choice"]] == top
    assert choice["confidence"] == pytest.approx((top - 1 / 255) / (1 - 1 / 255), abs=2e-6)
    assert score["score"] == pytest.approx(sum(int(k) * p for k, p in score["probabilities"].items()), abs=5e-5)


@pytest.mark.parametrize("state", ["", {}, [], "\0", {"a": {"b": [None, True, 1.5]}}])
async def test_any_state_of_the_right_type_is_answered(client: httpx2.AsyncClient, state: Any) -> None:
    asked = decide({"q": {"type": "noul", "instructions": "Is `a.missing` true?"}}, state)
    assert (await client.post("/v1/systemone", json=asked)).status_code == 200


async def test_one_option_and_one_level_are_certain(client: httpx2.AsyncClient) -> None:
    questions = {"c": {"type": "choice", "criteria": {"only": None}}, "s": {"type": "score", "criteria": ["only"]}}
    answers = (await client.post("/v1/systemone", json=decide(questions))).json()["answers"]
    assert answers["c"]["probabilities"] == {"only": 1} and answers["c"]["confidence"] == 1
    assert answers["s"]["score"] == 0 and answers["s"]["confidence"] == 1


@pytest.mark.parametrize(
    ("questions", "loc"),
    [
        ({}, ["body", "questions"]),
        ({"": {"type": "noul", "instructions": "?"}}, ["body", "questions", ""]),
        ({"q": {"type": "noul"}}, ["body", "questions", "q", "criteria"]),
        ({"q": {"type": "choice", "criteria": {}}}, ["body", "questions", "q", "criteria"]),
        ({"q": {"type": "choice", "criteria": {"": None}}}, ["body", "questions", "q", "criteria", ""]),
        ({"q": {"type": "score", "criteria": []}}, ["body", "questions", "q", "criteria"]),
        ({"q": {"type": "score", "criteria": list("abcdefghijk")}}, ["body", "questions", "q", "criteria"]),
        ({"q": {"type": "choice", "criteria": MANY}}, ["body", "questions", "q", "criteria"]),
    ],
)
async def test_what_the_service_refuses_is_named_in_the_body(client: Any, questions: Any, loc: list[str]) -> None:
    response = await client.post("/v1/systemone", json=decide(questions))
    assert response.status_code == 422
    assert [item["loc"] for item in error_of(response)["detail"]] == [loc]


async def test_unknown_models_and_long_states_are_objects(client: httpx2.AsyncClient) -> None:
    asked = decide({"q": {"type": "noul", "instructions": "?"}})
    unknown = await client.post("/v1/systemone", json=asked | {"model": "jev"})
    assert (unknown.status_code, error_of(unknown)["detail"]["error_type"]) == (400, "api_usage_error")
    long = await client.post("/v1/systemone", json=asked | {"state": "word " * 250_000})
    detail = error_of(long)["detail"]
    assert (long.status_code, detail["error_type"]) == (400, "max_tokens_exceeded")
    assert any(character.isdigit() for character in detail["message"])


async def test_the_same_request_has_the_same_answer(client: httpx2.AsyncClient) -> None:
    asked = decide({"q": {"type": "choice", "criteria": {"refund": None, "repair": "mend it"}}})
    first, second = [await client.post("/v1/systemone", json=asked) for _ in range(2)]
    assert first.content == second.content


async def test_models_are_both_vendors_lists(client: httpx2.AsyncClient) -> None:
    body = (await client.get("/v1/models")).json()
    assert {"jev-latest", "jev-preview", "jev-1.13.0", "jev-1.14.0"} <= {model["name"] for model in body["models"]}
    assert all(isinstance(value, str) for model in body["models"] for value in model.values())
    assert {model["service"] for model in body["data"]} == set(SERVICES)
    one = (await client.get("/v1/models/smollm2")).json()
    assert one["object"] == "model" and one["service"] == "llm"
    missing = await client.get("/v1/models/nobody/nothing")
    assert (missing.status_code, error_of(missing)["error"]["code"]) == (404, "model_not_found")


async def test_a_ready_stack_says_so(client: httpx2.AsyncClient) -> None:
    ready = await client.get("/readyz")
    assert ready.status_code == 200 and set(ready.json()["services"].values()) == {"SERVING"}


STATE = "\U0001f4e6 Order KX-7741 of 3 May 2026: two lamps at 40.00 EUR, shipping 6.50 EUR. Call +49 30 901820."


async def test_extraction_answers_each_field_in_order_with_evidence(client: httpx2.AsyncClient) -> None:
    fields = {
        "order": {"type": "text", "instructions": "the order number"},
        "shipping": {"type": "money", "instructions": "the price of shipping"},
        "day": {"type": "date", "instructions": "the day of the order"},
        "prices": {"type": "list", "items": "number", "instructions": "all prices"},
        "paid": {"type": "boolean", "instructions": "the customer has paid"},
        "kind": {"type": "choice", "options": {"lamps": None, "chairs": "seats"}, "instructions": "what was bought"},
    }
    asked = {"state": STATE, "fields": fields, "options": {"return_state_text": True}}
    response = await client.post("/v1/extraction", json=asked)
    body = response.json()
    assert response.status_code == 200, body
    assert list(body["answers"]) == list(fields) and body["state_text"] == STATE and body["truncated"] is False
    for name, answer in body["answers"].items():
        assert answer["type"] == fields[name]["type"] and 0 <= answer["confidence"] <= 1
    order = body["answers"]["order"]
    assert order["value"] == "KX-7741" == STATE[order["span"][0] : order["span"][1]]
    assert body["answers"]["day"]["value"] == "2026-05-03"
    assert body["usage"]["output_tokens"] == 0 < body["usage"]["input_tokens"]


async def test_offsets_come_in_the_unit_that_was_asked_for(client: httpx2.AsyncClient) -> None:
    asked = {"state": STATE, "fields": {"order": {"type": "text", "instructions": "the order number"}}}
    utf8 = (await client.post("/v1/extraction", json=asked | {"offset_unit": "utf8_byte"})).json()
    start, end = utf8["answers"]["order"]["span"]
    assert STATE.encode()[start:end].decode() == utf8["answers"]["order"]["value"]
    utf16 = (await client.post("/v1/extraction", json=asked | {"offset_unit": "utf16_unit"})).json()
    start, end = utf16["answers"]["order"]["span"]
    assert STATE.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == utf16["answers"]["order"]["value"]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"fields": {}}, "fields"),
        ({"state": ""}, "state"),
        ({"fields": {"a": {"type": "number", "decimals": 7}}}, "fields.a.decimals"),
        ({"fields": {"a": {"type": "number", "null_threshold": 0}}}, "fields.a.null_threshold"),
        ({"fields": {"a": {"type": "duration", "unit": "fortnights"}}}, "fields.a.unit"),
        ({"fields": {"a": {"type": "number", "compute": {"op": "sum", "of": ["b"]}}}}, "fields.a.compute.of"),
        ({"reference_date": "2026-13-01"}, "reference_date"),
        ({"locale": "not a locale"}, "locale"),
        ({"options": {"max_alternatives": 11}}, "options.max_alternatives"),
    ],
)
async def test_what_the_extractor_refuses_is_named_in_the_body(client: Any, change: Any, path: str) -> None:
    response = await client.post("/v1/extraction", json={"state": "s", "fields": {"a": {"type": "text"}}} | change)
    assert response.status_code == 422
    assert error_of(response)["error"]["fields"][0]["path"].startswith(path)


async def test_a_field_name_must_be_a_name(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/extraction", json={"state": "s", "fields": {"1abc": {"type": "text"}}})
    assert response.status_code == 422 and "1abc" in error_of(response)["error"]["message"]


async def test_forecasts_have_a_row_per_series_and_a_value_per_step(client: httpx2.AsyncClient) -> None:
    series = [
        {"id": "b", "values": [10, None, 14, 16, 18, 20], "timestamps": [f"2026-0{i}-01" for i in range(1, 7)]},
        {"id": "a", "values": [5] * 8},
    ]
    asked = {"series": series, "horizon": 3, "quantiles": [0.25, 0.75]}
    body = (await client.post("/v1/forecasts", json=asked)).json()
    assert [made["id"] for made in body["forecasts"]] == ["b", "a"]
    for made in body["forecasts"]:
        assert list(made["quantiles"]) == ["0.25", "0.75"]
        assert len(made["mean"]) == len(made["median"]) == len(made["quantiles"]["0.75"]) == 3
    assert [stamp[:10] for stamp in body["forecasts"][0]["timestamps"]] == ["2026-07-01", "2026-08-01", "2026-09-01"]
    assert body["usage"]["output_points"] == 6


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 100_000}, "horizon"),
        ({"series": []}, "series"),
        ({"series": [{"values": []}]}, "series[0].values"),
        ({"series": [{"values": [None]}]}, "series[0].values"),
        ({"quantiles": [1.5]}, "quantiles[0]"),
        ({"series": [{"values": [1], "frequency": "fortnight"}]}, "series[0].frequency"),
    ],
)
async def test_what_the_forecaster_refuses_is_named_in_the_body(client: Any, change: Any, path: str) -> None:
    response = await client.post("/v1/forecasts", json={"series": [{"values": [1, 2]}], "horizon": 1} | change)
    assert response.status_code == 422
    assert error_of(response)["error"]["fields"][0]["path"] == path


async def test_a_forecast_of_a_text_says_what_was_read(client: httpx2.AsyncClient) -> None:
    text = "month,sales\n" + "\n".join(f"2026-{i:02d},{10 + i}" for i in range(1, 11)) + "\n(closed in November)"
    body = (await client.post("/v1/forecasts", json={"text": text, "horizon": 2, "max": 20, "integer": True})).json()
    assert (body["forecasts"][0]["id"], body["forecasts"][0]["timestamps"]) == ("sales", ["2026-11", "2026-12"])
    assert body["rows"][9] == {"series": "sales", "value": 20.0, "line": 11, "timestamp": "2026-10"}
    assert body["skipped_lines"] == [12]
    assert max(body["forecasts"][0]["quantiles"]["0.9"]) <= 20


async def test_an_estimate_has_an_answer_per_query(client: httpx2.AsyncClient) -> None:
    records = [{"size": s, "rent": 300 + 10 * s} for s in range(10, 30, 2)]
    asked = {"records": records, "target": "rent", "queries": [{"size": 15}, {"size": 21}], "quantiles": [0.25, 0.75]}
    body = (await client.post("/v1/estimates", json=asked | {"min": 0, "max": 505})).json()
    assert body["usage"] == {"records": 10, "columns": ["size"]}
    one, two = body["estimates"]
    assert list(one["quantiles"]) == ["0.25", "0.75"]
    assert 420 < one["median"] < 480 < two["median"] <= 505
    assert one["p_above"] < two["p_above"] and 0 <= two["p_below"] < 0.01


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"records": [{"a": 1}]}, "records"),
        ({"records": "nothing"}, "records"),
        ({"records": [{"y": 1}, {"y": "red"}]}, "records[1].y"),
        ({"records": "a,y\n1,2\n3,red", "queries": [{"a": 1}]}, "records[1].y"),
        ({"max": -1, "min": 1}, "max"),
        ({"quantiles": [0]}, "quantiles[0]"),
    ],
)
async def test_what_the_estimator_refuses_is_named_in_the_body(client: Any, change: Any, path: str) -> None:
    asked = {"records": [{"a": 1, "y": 2}], "target": "y", "queries": [{"a": 2}]} | change
    response = await client.post("/v1/estimates", json=asked)
    assert response.status_code == 422
    assert error_of(response)["error"]["fields"][0]["path"] == path


@pytest.mark.parametrize(
    ("change", "status", "param"),
    [
        ({"messages": []}, 400, "messages"),
        ({"top_p": 0}, 400, "top_p"),
        ({"stop": ["a", "b", "c", "d", "e"]}, 400, "stop"),
        ({"model": "gpt-4o"}, 404, "model"),
        ({"model": "gpt-4o", "stream": True}, 404, "model"),
        ({"max_tokens": 10_000_000}, 400, "max_tokens"),
        ({"messages": [{"role": "user", "content": "word " * 200_000}]}, 400, "messages"),
    ],
)
async def test_what_the_llm_refuses_is_named_in_the_body(client: Any, change: Any, status: int, param: str) -> None:
    asked = {"messages": [{"role": "user", "content": "hi"}]} | change
    response = await client.post("/v1/chat/completions", json=asked)
    assert response.status_code == status
    assert (error_of(response)["error"]["param"] or "").startswith(param)


class WatchedClients(Clients):
    """Clients that tell when a generation began and how it ended."""

    def __init__(self, targets: dict[str, str]) -> None:
        super().__init__(targets)
        self.began, self.ended, self.finished = asyncio.Event(), asyncio.Event(), False

    async def generate(
        self, request: llm_pb2.GenerateRequest, *, request_id: str = ""
    ) -> AsyncGenerator[llm_pb2.GenerateResponse, None]:
        try:
            async for piece in super().generate(request, request_id=request_id):
                self.began.set()
                yield piece
            self.finished = True
        finally:
            self.ended.set()


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_leaves_ends_the_work(stack: RunningStack, stream: bool) -> None:
    watched = WatchedClients(targets(stack))
    turns = [{"role": "user", "content": "Write a long story about a lighthouse."}]
    body = json.dumps({"messages": turns, "max_tokens": 1500, "stream": stream}).encode()
    async with served(clients=watched) as client:
        _, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await asyncio.wait_for(watched.began.wait(), 60)
        writer.close()
        await asyncio.wait_for(watched.ended.wait(), 60)
        assert not watched.finished
