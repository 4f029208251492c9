"""OpenAI's own client, unchanged, against the stack."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from gateway.supervisor.background import RunningStack

ASK: list[Any] = [{"role": "user", "content": "Say hello to Ana in one short sentence."}]


@pytest.fixture
def client(stack: RunningStack) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="local", base_url=f"{stack.http}/v1", max_retries=0) as made:
        yield made


def test_one_piece_and_stream_say_the_same(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="smollm2", messages=ASK, max_tokens=24)
    text, usage, finish = "", None, None
    options: Any = {"include_usage": True}
    for chunk in client.chat.completions.create(
        model="smollm2", messages=ASK, max_completion_tokens=24, stream=True, stream_options=options
    ):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    assert whole.choices[0].message.content == text != ""
    assert whole.choices[0].finish_reason == finish in ("stop", "length")
    assert whole.usage is not None and usage is not None
    assert whole.usage.total_tokens == usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


async def test_async_stream(stack: RunningStack) -> None:
    async with openai.AsyncOpenAI(api_key="local", base_url=f"{stack.http}/v1", max_retries=0) as client:
        stream = await client.chat.completions.create(model="smollm2", messages=ASK, max_tokens=8, stream=True)
        chunks = [chunk async for chunk in stream]
    assert all(chunk.usage is None for chunk in chunks) and chunks[-1].choices[0].finish_reason


def test_text_stops_before_a_stop_string(client: openai.OpenAI) -> None:
    free = client.chat.completions.create(model="smollm2", messages=ASK, max_tokens=24)
    text = free.choices[0].message.content or ""
    word = text.split()[1]
    for stop in (word, [word]):
        stopped = client.chat.completions.create(model="smollm2", messages=ASK, max_tokens=24, stop=stop)
        assert stopped.choices[0].message.content == text[: text.index(word)]
        assert stopped.choices[0].finish_reason == "stop"


def test_a_seed_repeats_a_sampled_text(client: openai.OpenAI) -> None:
    texts = {
        client.chat.completions.create(model="smollm2", messages=ASK, max_tokens=16, temperature=0.9, top_p=0.9, seed=7)
        .choices[0]
        .message.content
        for _ in range(2)
    }
    assert len(texts) == 1


def test_models(client: openai.OpenAI) -> None:
    ids = {model.id for model in client.models.list()}
    assert any(name.startswith("smollm2") for name in ids)
    assert client.models.retrieve("smollm2").id in ids


def test_errors_are_the_typed_ones(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        client.chat.completions.create(model="gpt-4o", messages=ASK)
    assert unknown.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="smollm2", messages=ASK, n=2)
    assert refused.value.param == "n"
    with pytest.raises(openai.BadRequestError) as streamed:
        client.chat.completions.create(model="smollm2", messages=ASK, top_p=0, stream=True)
    assert streamed.value.param == "top_p"
