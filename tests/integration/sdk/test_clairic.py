"""The `clairic` package, unchanged, against the run route of the stack."""

import datetime as dt
from collections.abc import Iterator
from typing import Annotated

import clairic
import pytest
from pydantic import BaseModel, Field

from gateway.rest.settings import RestSettings
from gateway.supervisor.background import RunningStack
from tests.contract.rest.edge import served

LETTER = (
    "\U0001f4e6 Order KX-7741 of 3 May 2026: two lamps. Shipping 6.50 EUR. "
    "Codes scanned: B12, C07. The call took 45 minutes."
)


class Order(BaseModel):
    number: clairic.TextAnswer = Field(description="the order number")
    day: clairic.DateAnswer = Field(description="the day of the order")
    shipping: Annotated[clairic.NumberAnswer[float], clairic.Number(unit="EUR", decimals=2)] = Field(
        description="the price of shipping"
    )
    call: Annotated[clairic.DurationAnswer[int], clairic.Duration(unit="minutes")] = Field(
        description="how long the call took"
    )
    codes: clairic.TextListAnswer = Field(description="the codes that were scanned")


class Wrong(BaseModel):
    total: Annotated[clairic.EstimateAnswer[int], clairic.Estimate(min=0, max=10, step=1)]


@pytest.fixture
def client(stack: RunningStack) -> Iterator[clairic.Clairic]:
    with clairic.Clairic(account_id="local", api_token="local", base_url=f"{stack.http}/client/v4") as made:
        yield made


def check(result: clairic.Result[Order]) -> None:
    order = result.data
    assert order.number.value == "KX-7741" and order.number.span is not None
    assert LETTER[order.number.span.start : order.number.span.end] == "KX-7741"
    assert order.day.value == dt.date(2026, 5, 3)
    assert order.shipping.value == 6.5 and order.call.value == 45 and order.call.unit == "minutes"
    assert len(order.codes.value) == len(order.codes.spans)
    assert result.truncated is False and result.request_id
    assert result.usage.output_tokens == 0 < result.usage.input_tokens


def test_sync(client: clairic.Clairic) -> None:
    check(client.extract(LETTER, Order, reference_date=dt.date(2026, 5, 4)))


async def test_async(stack: RunningStack) -> None:
    async with clairic.AsyncClairic(account_id="a", api_token="t", base_url=f"{stack.http}/client/v4") as client:
        check(await client.extract(LETTER, Order))


def test_errors_are_the_typed_ones(client: clairic.Clairic) -> None:
    with pytest.raises(clairic.InvalidRequestError, match="total") as refused:
        client.extract(LETTER, Wrong)
    assert (refused.value.status_code, refused.value.code) == (422, 3030) and refused.value.request_id
    with pytest.raises(clairic.ContextWindowExceededError):
        client.extract("word " * 90_000, Order)


async def test_a_wrong_token_is_an_authentication_error() -> None:
    async with served(RestSettings(api_key="s3cret")) as http:
        base = str(http.base_url.join("/client/v4"))
        async with clairic.AsyncClairic(account_id="a", api_token="t", base_url=base) as client:
            with pytest.raises(clairic.AuthenticationError):
                await client.extract(LETTER, Order)
