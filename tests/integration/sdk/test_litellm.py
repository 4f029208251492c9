"""LiteLLM, unchanged, as a client of every shape that it speaks."""

import gc
from collections.abc import Iterator
from typing import Any

import litellm
import pytest

from gateway.supervisor.background import RunningStack

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[None]:
    """LiteLLM keeps its connections open; left to a later test, they would fail it."""
    yield
    litellm.in_memory_llm_clients_cache.flush_cache()
    gc.collect()


STATE = "The parcel arrived soaked. I want my money back."
NOUL: dict[str, Any] = {"refund": {"type": "noul", "instructions": "Does the customer want their money back?"}}
CHOICE: dict[str, Any] = {"team": {"type": "choice", "instructions": "Which team?", "criteria": {"a": "x", "b": "y"}}}
SCORE: dict[str, Any] = {"anger": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "furious"]}}
FIELDS: dict[str, Any] = {
    "order": {"type": "text", "instructions": "the order number"},
    "day": {"type": "date", "instructions": "the day of the order"},
}
RUN = "/client/v4/accounts/local/ai/run"


@pytest.mark.parametrize(
    ("model", "path"),
    [("typesafe/jev-latest", ""), ("cloudflare/clef", RUN), ("openrouter/typesafe/jev-1.14", "/api")],
)
def test_system_one(stack: RunningStack, model: str, path: str) -> None:
    questions = NOUL | CHOICE | SCORE
    result = litellm.systemone(
        model=model, state=STATE, questions=questions, api_base=stack.http + path, api_key="local"
    )
    shown = result if isinstance(result, dict) else result.model_dump()
    assert list(shown["answers"]) == list(questions) and shown["usage"]["input_tokens"] > 0
    assert 0 <= shown["answers"]["refund"]["noul"] <= 1


@pytest.mark.parametrize(
    ("model", "path"), [("openai/gpt-6-luna", "/v1"), ("typesafe/jev-latest", ""), ("cloudflare/clef", RUN)]
)
def test_decisions(stack: RunningStack, model: str, path: str) -> None:
    questions = [
        {"type": "predicate", "name": "refund", "instructions": "Does the customer want their money back?"},
        {"type": "choice", "name": "wet", "instructions": "Wet?", "choices": [{"value": True}, {"value": False}]},
    ]
    result = litellm.decisions(
        model=model, input=STATE, questions=questions, api_base=stack.http + path, api_key="local"
    )
    shown = result if isinstance(result, dict) else result.model_dump()
    assert [answer["type"] for answer in shown["answers"]] == ["predicate", "choice"]
    assert shown["answers"][1]["choice"] in (True, False)


def test_extraction(stack: RunningStack) -> None:
    result = litellm.extraction(
        model="cloudflare/clairic",
        state="Order KX-7741 of 3 May 2026: two lamps, shipping 6.50 EUR.",
        fields=FIELDS,
        api_base=stack.http + RUN,
        api_key="local",
    )
    shown = result if isinstance(result, dict) else result.model_dump()
    assert shown["answers"]["order"]["value"] == "KX-7741" and shown["answers"]["day"]["value"] == "2026-05-03"


def test_chat(stack: RunningStack) -> None:
    result = litellm.completion(
        model="openai/smollm2",
        messages=[{"role": "user", "content": "Say hello."}],
        max_tokens=8,
        api_base=f"{stack.http}/v1",
        api_key="local",
    )
    assert result.choices[0].message.content and result.usage.completion_tokens <= 8


def test_errors_are_the_typed_ones(stack: RunningStack) -> None:
    with pytest.raises(litellm.exceptions.BadRequestError):
        litellm.systemone(
            model="cloudflare/clef", state=STATE, questions={}, api_base=stack.http + RUN, api_key="local"
        )
