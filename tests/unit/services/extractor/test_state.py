"""Structured state as text, and streams that answer as they are ready."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.extractor.state import MAX_DEPTH, render
from services.extractor.streaming import as_ready


def test_objects_become_lines_in_document_order() -> None:
    state = {"b": 1, "a": {"x": "y", "n": None}, "items": [{"sku": "P-1"}, True]}
    assert render(state) == "b: 1\na.x: y\na.n: null\nitems 1.sku: P-1\nitems 2: true"


def test_too_deep() -> None:
    state: object = 1
    for _ in range(MAX_DEPTH + 2):
        state = [state]
    with pytest.raises(ValueError, match="nested deeper"):
        render(state)


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def test_a_slow_item_does_not_hold_the_others() -> None:
    release = asyncio.Event()

    async def work(number: int) -> int:
        if number == 0:
            await release.wait()
        return number

    seen = []
    async for result in as_ready(numbers(4), work, most=3):
        seen.append(result)
        if len(seen) == 3:
            release.set()
    assert seen == [1, 2, 3, 0]


async def test_no_more_than_most_are_inside() -> None:
    inside = highest = 0

    async def work(number: int) -> int:
        nonlocal inside, highest
        inside += 1
        highest = max(highest, inside)
        await asyncio.sleep(0)
        inside -= 1
        return number

    assert sorted([r async for r in as_ready(numbers(20), work, most=4)]) == list(range(20))
    assert highest <= 4


async def test_an_error_ends_the_stream() -> None:
    async def work(number: int) -> int:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        _ = [r async for r in as_ready(numbers(3), work, most=2)]
