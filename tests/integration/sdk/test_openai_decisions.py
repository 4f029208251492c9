"""The Decisions resource of OpenAI's own client, unchanged, against the stack."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from gateway.supervisor.background import RunningStack

STATE = "The parcel arrived soaked. I want my money back."
PREDICATE = {"type": "predicate", "name": "refund", "instructions": "Does the customer want their money back?"}
CHOICE = {
    "type": "choice",
    "instructions": "Which team?",
    "choices": [{"value": "returns", "description": "damaged goods"}, {"value": "billing"}],
}
SCORE = {
    "type": "score",
    "name": "anger",
    "instructions": [{"type": "input_text", "text": "How angry?"}],
    "levels": [{"label": "calm"}, {"label": "annoyed", "description": "complains"}, {"label": "furious"}],
}


@pytest.fixture
def client(stack: RunningStack) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="local", base_url=f"{stack.http}/v1", max_retries=0) as made:
        yield made


def ask(client: openai.OpenAI, *questions: Any, state: Any = STATE, model: str = "gpt-6-luna") -> Any:
    return client.decisions.create(model=model, input=state, questions=questions)


def test_all_kinds_in_the_order_of_the_questions(client: openai.OpenAI) -> None:
    result = ask(client, PREDICATE, CHOICE, SCORE)
    predicate, choice, score = result.answers
    assert (predicate.type, predicate.name) == ("predicate", "refund") and 0 <= predicate.probability <= 1
    assert (choice.type, choice.name) == ("choice", None)
    assert [item.value for item in choice.probabilities] == ["returns", "billing"]
    assert choice.choice == max(choice.probabilities, key=lambda item: item.probability).value
    assert [(item.value, item.label) for item in score.probabilities] == [(0, "calm"), (1, "annoyed"), (2, "furious")]
    assert score.score == pytest.approx(sum(i.value * i.probability for i in score.probabilities), abs=1e-5)
    assert result.usage.total_tokens == result.usage.input_tokens > 0 == result.usage.output_tokens
    assert result.model.startswith("quartet-decide-")


def test_booleans_stay_booleans_and_differ_from_strings(client: openai.OpenAI) -> None:
    def choices(*values: Any) -> dict[str, Any]:
        return {"type": "choice", "instructions": "Wet?", "choices": [{"value": value} for value in values]}

    both, mixed = ask(client, choices(True, False), choices("true", True, False)).answers
    assert both.choice in (True, False) and [item.value for item in both.probabilities] == [True, False]
    assert [item.value for item in mixed.probabilities] == ["true", True, False]
    assert [type(item.value) for item in mixed.probabilities] == [str, bool, bool]


def test_one_message_of_text_is_that_text(client: openai.OpenAI) -> None:
    plain = ask(client, PREDICATE)
    parts = [{"type": "input_text", "text": STATE}]
    for content in (STATE, parts):
        assert ask(client, PREDICATE, state=[{"role": "user", "content": content}]).answers == plain.answers


def test_conversations_with_tools_and_json_are_read(client: openai.OpenAI) -> None:
    items = [
        {"role": "system", "content": "You help customers."},
        {"role": "user", "content": [{"type": "input_text", "text": STATE}, {"type": "input_json", "data": {"id": 7}}]},
        {"type": "function_call", "call_id": "c1", "name": "find_order", "arguments": '{"id": 7}'},
        {"type": "function_call_output", "call_id": "c1", "output": "paid 40.00 EUR"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I have found it."}]},
    ]
    result = ask(client, PREDICATE, state=items)
    assert result.usage.input_tokens > ask(client, PREDICATE).usage.input_tokens


async def test_async(stack: RunningStack) -> None:
    async with openai.AsyncOpenAI(api_key="local", base_url=f"{stack.http}/v1", max_retries=0) as client:
        questions: Any = [PREDICATE]
        result = await client.decisions.create(model="jev-latest", input=STATE, questions=questions)
    assert result.answers[0].type == "predicate"


@pytest.mark.parametrize(
    ("question", "param"),
    [
        ({"type": "predicate"}, "questions[0].instructions"),
        ({"type": "noul", "instructions": "?"}, "questions[0].type"),
        ({"type": "choice", "instructions": "?", "choices": [{"value": "a"}]}, "questions[0].choices"),
        ({"type": "choice", "instructions": "?", "choices": [{"value": "a"}] * 2}, "questions[0].choices[1].value"),
        ({"type": "choice", "instructions": "?", "choices": [{"value": 1}, {"value": "b"}]},
         "questions[0].choices[0].value"),
        ({"type": "choice", "instructions": "?", "choices": [{"value": str(i)} for i in range(256)]},
         "questions[0].choices"),
        ({"type": "choice", "instructions": "?", "choices": [{"value": ""}, {"value": "b"}]},
         "questions[0].choices[0]"),
        ({"type": "score", "instructions": "?", "levels": [{"label": "a"}]}, "questions[0].levels"),
        ({"type": "score", "instructions": "?", "levels": [{"label": str(i)} for i in range(11)]},
         "questions[0].levels"),
        ({"type": "predicate", "instructions": "?", "weight": 2}, "questions[0].weight"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(client: openai.OpenAI, question: Any, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, question)
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("state", "param"),
    [
        ([], "input"),
        (7, "input"),
        ([{"role": "tool", "content": "x"}], "input[0].role"),
        ([{"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AA=="}]}],
         "input[0].content[0]"),
        ([{"type": "function_call_output", "call_id": "c9", "output": "x"}], "input[0].call_id"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_read_is_refused(client: openai.OpenAI, state: Any, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, PREDICATE, state=state)
    assert caught.value.param == param


def test_unknown_models_and_long_inputs(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError):
        ask(client, PREDICATE, model="gpt-4o")
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, PREDICATE, state="word " * 150_000)
    assert caught.value.code == "context_length_exceeded"
