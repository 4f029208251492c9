"""TypeSafe's own client, unchanged, against the stack."""

from collections.abc import Iterator

import pytest
import typesafe_sdk as sdk

from gateway.supervisor.background import RunningStack

QUESTIONS = {
    "refund": sdk.Noul(instructions="Does the customer want their money back?"),
    "team": sdk.Choice(instructions="Which team?", criteria={"Billing": None, "Returns": "damaged goods"}),
    "anger": sdk.Score(instructions="How angry?", criteria=["calm", "annoyed", "furious"]),
}
STATE = {"subject": "broken lamp", "text": "It came broken. I want my money back."}


@pytest.fixture
def client(stack: RunningStack) -> Iterator[sdk.TypeSafeClient]:
    with sdk.TypeSafeClient(api_key="local", base_url=stack.http, compression="zstd") as made:
        yield made


def check(result: sdk.SystemOneResponse) -> None:
    assert list(result.answers) == list(QUESTIONS)
    assert 0 <= result.nouls["refund"].noul <= 1
    assert set(result.choices["team"].probabilities) == {"Billing", "Returns"}
    assert len(result.scores["anger"].probabilities) == 3
    assert result.usage.input_tokens > 0 and result.model.startswith("quartet-")


def test_sync(client: sdk.TypeSafeClient) -> None:
    check(client.system_one(state=STATE, questions=QUESTIONS))


def test_a_large_body_goes_out_compressed_and_is_read(client: sdk.TypeSafeClient) -> None:
    result = client.system_one(state={**STATE, "log": "the lamp fell " * 200}, questions=QUESTIONS)
    check(result)
    assert result.usage.input_tokens > 600


async def test_async(stack: RunningStack) -> None:
    async with sdk.AsyncTypeSafeClient(api_key="local", base_url=stack.http) as client:
        check(await client.system_one(state=STATE, questions=QUESTIONS))


def test_models(client: sdk.TypeSafeClient) -> None:
    assert "jev-latest" in {model.name for model in client.models.list().models}


def test_errors_are_the_typed_ones(client: sdk.TypeSafeClient) -> None:
    with pytest.raises(sdk.TypeSafeBadRequestError, match="jev-9"):
        client.system_one(state="s", questions=QUESTIONS, model="jev-9")
    many = {"c": sdk.Choice(instructions="?", criteria={str(i): None for i in range(256)})}
    with pytest.raises(sdk.TypeSafeUnprocessableEntityError, match="256 options"):
        client.system_one(state="s", questions=many)
    with pytest.raises(sdk.TypeSafeBadRequestError):
        client.system_one(state="word " * 250_000, questions=QUESTIONS)


def test_images_are_refused_with_a_reason(client: sdk.TypeSafeClient) -> None:
    pixel = sdk.Image(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(sdk.TypeSafeAPIError, match="mages") as caught:
        client.system_one(state="look at photo", questions=QUESTIONS, assets={"photo": pixel})
    assert caught.value.status == 415
