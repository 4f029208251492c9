from typing import Any

import pytest

from quartet.v1 import llm_pb2
from services.llm.generation import Request
from services.llm.parse import parse
from services.llm.sampling import Sampling
from services.runtime.errors import QuartetError

LIMITS = {"context_tokens": 100, "characters": 20, "messages": 2}
HELLO = llm_pb2.ChatMessage(role="user", content="hello")


def sent(**fields: Any) -> llm_pb2.GenerateRequest:
    return llm_pb2.GenerateRequest(**{"messages": [HELLO], **fields})


def sampling(**fields: Any) -> llm_pb2.GenerateRequest:
    return sent(sampling=llm_pb2.Sampling(**fields))


def test_what_is_left_out_is_greedy_and_bounded_by_the_context() -> None:
    found = parse(sent(), LIMITS)
    assert (found.max_tokens, found.stop, found.sampling) == (100, (), Sampling())
    assert parse(sent(), {**LIMITS, "context_tokens": 8192}).max_tokens == 256


def test_everything_that_is_sent_arrives() -> None:
    numbers: dict[str, Any] = {
        "temperature": 0.5, "top_p": 0.9, "top_k": 7, "min_p": 0.1, "seed": 2**64 - 1, "repetition_penalty": 1.25,
        "frequency_penalty": -2, "presence_penalty": 2,
    }  # fmt: skip
    options = llm_pb2.Sampling(**numbers)
    found = parse(sent(max_tokens=9, stop=["a", "b"], sampling=options, logprobs=0), LIMITS)
    assert isinstance(found, Request)
    assert (found.max_tokens, found.stop) == (9, ("a", "b"))
    assert found.sampling == Sampling(**numbers)
    assert (found.logprobs, parse(sent(), LIMITS).logprobs) == (0, None)


@pytest.mark.parametrize(
    "form", [{"json_schema": "{}"}, {"regex": "a+"}, {"choice": llm_pb2.Choice(options=["yes", "no"])}]
)
def test_a_form_arrives_with_its_field(form: dict[str, Any]) -> None:
    found = parse(sent(constraint=llm_pb2.Constraint(**form)), LIMITS).constraint
    assert found is not None
    assert [found.field] == [f"constraint.{kind}" for kind in form]


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (sent(messages=[]), "messages"),
        (sent(messages=[HELLO] * 3), "messages"),
        (sent(messages=[llm_pb2.ChatMessage(role="user", content="x" * 21)]), "messages"),
        (sent(messages=[HELLO, llm_pb2.ChatMessage(role="tool", content="x")]), "messages[1].role"),
        (sent(max_tokens=101), "max_tokens"),
        (sent(stop=list("abcde")), "stop"),
        (sent(stop=["a", ""]), "stop[1]"),
        (sent(stop=["x" * 257]), "stop[0]"),
        (sampling(temperature=-1), "sampling.temperature"),
        (sampling(temperature=float("nan")), "sampling.temperature"),
        (sampling(temperature=float("inf")), "sampling.temperature"),
        (sampling(top_p=0.0), "sampling.top_p"),
        (sampling(top_p=1.5), "sampling.top_p"),
        (sampling(top_p=float("nan")), "sampling.top_p"),
        (sampling(repetition_penalty=0.0), "sampling.repetition_penalty"),
        (sampling(repetition_penalty=float("inf")), "sampling.repetition_penalty"),
        (sampling(min_p=1.1), "sampling.min_p"),
        (sampling(min_p=float("nan")), "sampling.min_p"),
        (sampling(frequency_penalty=2.1), "sampling.frequency_penalty"),
        (sampling(presence_penalty=-2.1), "sampling.presence_penalty"),
        (sent(logprobs=21), "logprobs"),
        (sent(constraint=llm_pb2.Constraint()), "constraint"),
        (sent(constraint=llm_pb2.Constraint(json_schema="[]")), "constraint.json_schema"),
        (sent(constraint=llm_pb2.Constraint(json_schema='{"a"')), "constraint.json_schema"),
        (sent(constraint=llm_pb2.Constraint(json_schema="[" * 60_000)), "constraint.json_schema"),
        (sent(constraint=llm_pb2.Constraint(regex="x" * 4097)), "constraint.regex"),
        (sent(constraint=llm_pb2.Constraint(choice=llm_pb2.Choice())), "constraint.choice.options"),
        (sent(constraint=llm_pb2.Constraint(choice=llm_pb2.Choice(options=["a", ""]))), "constraint.choice.options[1]"),
    ],
)
def test_wrong_fields_are_named(request_: llm_pb2.GenerateRequest, path: str) -> None:
    with pytest.raises(QuartetError) as caught:
        parse(request_, LIMITS)
    assert [violation.path for violation in caught.value.fields] == [path]


def test_all_wrong_sampling_fields_are_named_at_once() -> None:
    with pytest.raises(QuartetError) as caught:
        parse(sampling(temperature=-1, top_p=2, repetition_penalty=-1), LIMITS)
    assert len(caught.value.fields) == 3
