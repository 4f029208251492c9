"""OpenAI's own client, unchanged, against the stack."""

from collections.abc import Iterator
from typing import Any, Literal

import openai
import pydantic
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


class Order(pydantic.BaseModel):
    item: Literal["lamp", "kettle"]
    pieces: int
    paid: bool


def test_a_typed_answer_is_parsed(client: openai.OpenAI) -> None:
    ask: list[Any] = [{"role": "user", "content": "I paid for two kettles. Answer in JSON."}]
    found = client.chat.completions.parse(model="smollm2", messages=ask, response_format=Order)
    assert isinstance(found.choices[0].message.parsed, Order)
    assert found.choices[0].finish_reason == "stop"


def test_log_probabilities_come_whole_and_streamed(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(
        model="smollm2", messages=ASK, max_tokens=6, logprobs=True, top_logprobs=2
    ).choices[0]
    assert whole.logprobs is not None and whole.logprobs.content is not None
    assert "".join(token.token for token in whole.logprobs.content) == whole.message.content
    # Greedy: the token written is the likeliest.
    assert all(token.token == token.top_logprobs[0].token for token in whole.logprobs.content)
    streamed: list[str] = []
    for chunk in client.chat.completions.create(
        model="smollm2", messages=ASK, max_tokens=6, logprobs=True, stream=True
    ):
        scores = chunk.choices[0].logprobs
        streamed += [token.token for token in (scores and scores.content) or []]
    assert streamed == [token.token for token in whole.logprobs.content]


def test_a_prompt_read_before_is_counted_as_cached(client: openai.OpenAI) -> None:
    head: list[Any] = [{"role": "system", "content": "You sell lamps, kettles and bookshelves. " * 6}]
    counts = []
    for text in ("Hello.", "Good day."):
        ask = [*head, {"role": "user", "content": text}]
        usage = client.chat.completions.create(model="smollm2", messages=ask, max_tokens=2).usage
        assert usage is not None and usage.prompt_tokens_details is not None
        counts.append(usage.prompt_tokens_details.cached_tokens)
    assert counts[0] == 0 and (counts[1] or 0) >= 32


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
    schema: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "colour"}}}
    with pytest.raises(openai.BadRequestError) as malformed:
        client.chat.completions.create(model="smollm2", messages=ASK, response_format=schema)
    assert malformed.value.param == "response_format.json_schema.schema"
    with pytest.raises(openai.BadRequestError) as streamed:
        client.chat.completions.create(model="smollm2", messages=ASK, top_p=0, stream=True)
    assert streamed.value.param == "top_p"
