"""Requests on one stream."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.runtime.streaming import as_ready


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def test_a_slow_request_does_not_hold_up_a_quick_one() -> None:
    gate = asyncio.Event()

    async def work(number: int) -> int:
        if number == 0:
            await gate.wait()
        return number

    found = []
    async for result in as_ready(numbers(2), work, most=2):
        found.append(result)
        gate.set()
    assert found == [1, 0]


async def test_no_more_than_most_are_inside() -> None:
    inside, peak, four = 0, 0, asyncio.Barrier(4)

    async def work(number: int) -> int:
        nonlocal inside, peak
        inside += 1
        peak = max(peak, inside)
        await four.wait()
        inside -= 1
        return number

    assert sorted([result async for result in as_ready(numbers(48), work, most=4)]) == list(range(48))
    assert peak == 4


async def test_an_error_ends_the_stream_and_cancels_the_rest() -> None:
    cancelled = asyncio.Event()

    async def work(number: int) -> int:
        if number:
            raise ValueError("no")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return number

    with pytest.raises(ValueError, match="no"):
        async for _ in as_ready(numbers(2), work, most=2):
            pass
    await asyncio.wait_for(cancelled.wait(), 5)


async def test_an_empty_stream_has_no_results() -> None:
    async def work(number: int) -> int:
        return number

    assert [result async for result in as_ready(numbers(0), work, most=2)] == []
