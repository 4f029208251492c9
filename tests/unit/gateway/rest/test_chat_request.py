"""Chat bodies to messages and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.rest import chat
from gateway.rest.chat_request import from_request, to_chat
from gateway.rest.errors import Failure
from quartet.v1 import llm_pb2 as pb
from services.runtime.json_text import dump, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TURN = st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant"]), "content": TEXT})
BODY = st.fixed_dictionaries(
    {"model": TEXT, "messages": st.lists(TURN, max_size=3)},
    optional={
        "max_tokens": st.integers(1, 2**32 - 1),
        "stop": st.lists(TEXT, min_size=1, max_size=4),
        "temperature": st.floats(0.01, 2),
        "top_p": st.floats(0.01, 1),
        "top_k": st.integers(1, 100),
        "seed": st.integers(0, 2**64 - 1),
        "repetition_penalty": st.floats(0.5, 2),
        "min_p": st.floats(0.01, 1),
        "frequency_penalty": st.floats(0.01, 2),
        "presence_penalty": st.floats(-2, -0.01),
        "response_format": st.just(
            {"type": "json_schema", "json_schema": {"name": "form", "schema": {"type": "object", "minimum": 0.10}}}
        ),
    },
)
WAYS = (
    {"structured_outputs": {"choice": ["a", "b"]}},
    {"structured_outputs": {"regex": "a+"}},
    {"logprobs": True, "top_logprobs": 4},
)


@pytest.mark.parametrize("way", WAYS)
def test_no_form_is_lost_on_the_way_to_the_message_and_back(way: dict[str, Any]) -> None:
    assert json.loads(dump(from_request(to_chat(body(**way)).request))) == body(model="", **way)


@given(BODY)
def test_nothing_is_lost_on_the_way_to_the_message_and_back(body: dict[str, Any]) -> None:
    request = to_chat(load(json.dumps(body).encode())).request
    again = pb.GenerateRequest.FromString(request.SerializeToString())
    assert json.loads(dump(from_request(again))) == body


def body(**changes: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "hi"}]} | changes


def turn(**value: Any) -> dict[str, Any]:
    return body(messages=[{"role": "user", "content": "hi"} | value])


@pytest.mark.parametrize(
    ("sent", "param"),
    [
        ({}, "messages"),
        (body(messages="hi"), "messages"),
        (body(messages=["hi"]), "messages[0]"),
        (turn(role="tool"), "messages[0].role"),
        (turn(role=3), "messages[0].role"),
        (turn(content=None), "messages[0].content"),
        (turn(content=[{"type": "image_url", "image_url": {"url": "u"}}]), "messages[0].content[0]"),
        (turn(content=[{"type": "text", "text": "a"}, {"type": "text"}]), "messages[0].content[1]"),
        (turn(content=["text"]), "messages[0].content[0]"),
        (turn(tool_calls=[{}]), "messages[0].tool_calls"),
        (body(model=4), "model"),
        (body(n=2), "n"),
        (body(n=True), "n"),
        (body(logprobs=1), "logprobs"),
        (body(top_logprobs=3), "top_logprobs"),
        (body(logprobs=True, top_logprobs=-1), "top_logprobs"),
        (body(tools=[{"type": "function"}]), "tools"),
        (body(response_format={"type": "xml"}), "response_format.type"),
        (body(response_format="json"), "response_format.type"),
        (body(response_format={"type": "json_schema"}), "response_format.json_schema.schema"),
        (body(structured_outputs=["a"]), "structured_outputs"),
        (body(structured_outputs={}), "structured_outputs"),
        (body(structured_outputs={"regex": "a", "choice": ["a"]}), "structured_outputs"),
        (body(structured_outputs={"regex": "a"}, response_format={"type": "json_object"}), "structured_outputs"),
        (body(structured_outputs={"regex": 3}), "structured_outputs.regex"),
        (body(structured_outputs={"choice": "a"}), "structured_outputs.choice"),
        (body(structured_outputs={"grammar": "a", "regex": "a"}), "structured_outputs.grammar"),
        (body(presence_penalty="no"), "presence_penalty"),
        (body(logit_bias={"5": 1}), "logit_bias"),
        (body(reasoning_effort="high"), "reasoning_effort"),
        (body(temprature=0.5), "temprature"),
        (body(temperature=2.5), "temperature"),
        (body(temperature="hot"), "temperature"),
        (body(top_p=[]), "top_p"),
        (body(top_k=-1), "top_k"),
        (body(seed=1.5), "seed"),
        (body(seed=2**70), "seed"),
        (body(max_tokens=0), "max_tokens"),
        (body(max_completion_tokens=-5), "max_completion_tokens"),
        (body(max_tokens="9"), "max_tokens"),
        (body(stop=4), "stop"),
        (body(stop=["a", None]), "stop"),
        (body(stream="yes"), "stream"),
        (body(stream_options=[]), "stream_options"),
        (body(stream_options={"usage": True}), "stream_options.usage"),
    ],
)
def test_what_is_wrong_or_not_supported_is_named(sent: dict[str, Any], param: str) -> None:
    with pytest.raises(Failure) as caught:
        to_chat(sent)
    response = chat.render(caught.value)
    error = json.loads(response.body)["error"]
    assert (response.status_code, error["param"], error["type"]) == (400, param, "invalid_request_error")
    assert error["message"]


def test_values_that_mean_off_are_taken() -> None:
    off: dict[str, Any] = {
        "n": 1,
        "logprobs": False,
        "top_logprobs": None,
        "presence_penalty": 0,
        "frequency_penalty": load(b"0.0"),
        "response_format": {"type": "text"},
        "tools": [],
        "tool_choice": "auto",
        "logit_bias": {},
        "user": "u",
        "metadata": {"a": "b"},
        "stop": None,
        "temperature": None,
        "x_note": 1,
    }
    assert to_chat(body(**off)).request == to_chat(body(temperature=0)).request


def test_text_parts_are_joined_and_developers_are_the_system() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    request = to_chat(turn(role="developer", content=parts)).request
    assert (request.messages[0].role, request.messages[0].content) == ("system", "ab")


def test_the_newer_length_wins_and_a_stop_string_is_a_list_of_one() -> None:
    request = to_chat(body(max_tokens=5, max_completion_tokens=7, stop="END")).request
    assert request.max_tokens == 7 and list(request.stop) == ["END"]


def test_a_negative_seed_is_a_seed() -> None:
    assert to_chat(body(seed=-1)).request.sampling.seed == 2**64 - 1


def test_streams_are_asked_for() -> None:
    asked = to_chat(body(stream=True, stream_options={"include_usage": True}))
    assert asked.stream and asked.include_usage


@pytest.mark.parametrize(
    ("reason", "status", "code"),
    [
        ("CREDENTIAL_INVALID", 401, "invalid_api_key"),
        ("MODEL_NOT_FOUND", 404, "model_not_found"),
        ("INPUT_TOO_LONG", 400, "context_length_exceeded"),
        ("QUEUE_FULL", 429, "rate_limit_exceeded"),
        ("SERVICE_UNAVAILABLE", 503, "service_unavailable"),
    ],
)
def test_failures_have_openais_shape(reason: str, status: int, code: str) -> None:
    response = chat.render(Failure(reason, "why"))
    error = json.loads(response.body)["error"]
    assert (response.status_code, error["code"], error["message"], error["param"]) == (status, code, "why", None)


def test_sampling_paths_lose_their_prefix() -> None:
    assert chat.to_loc(("sampling", "top_p")) == ("top_p",)
    assert chat.to_loc(("messages", 0, "role")) == ("messages", 0, "role")


def test_paths_of_a_form_are_those_of_the_body() -> None:
    assert chat.to_loc(("constraint", "json_schema")) == ("response_format", "json_schema", "schema")
    assert chat.to_loc(("constraint", "choice", "options", 2)) == ("structured_outputs", "choice", 2)
    assert chat.to_loc(("logprobs",)) == ("top_logprobs",)
