"""The batcher: no wait, padded budget, FIFO, dead work dropped, failures kept apart."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence

import pytest

from services.runtime.batching import Batcher
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, Draining, ModelFailure, ModelNotFound, QuartetError, QueueFull
from services.runtime.runner import Runner


class Recorder:
    """Echoes its input, remembers its batches, and can be held."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, items: Sequence[int]) -> list[int | QuartetError]:
        self.gate.wait(10)
        self.batches.append(list(items))
        return [ModelNotFound("x") if i == 13 else i for i in items]


@pytest.fixture
def runner() -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


async def held(batcher: Batcher[int, int], run: Recorder, *costs: int) -> list[asyncio.Task[object]]:
    """Submit while the first item is inside the model, so that the others gather."""
    run.gate.clear()
    tasks: list[asyncio.Task[object]] = []
    for cost in costs:
        tasks.append(asyncio.ensure_future(batcher.submit(cost, cost=cost)))
        await asyncio.sleep(0.01)
    return tasks


async def test_a_lone_request_is_not_held_back(runner: Runner) -> None:
    run = Recorder()
    answer = await Batcher(run, runner, max_cost=10).submit(3, cost=3)
    assert (answer.value, answer.batch_size, run.batches) == (3, 1, [[3]])


async def test_requests_gather_while_the_model_runs_and_stay_in_the_padded_budget(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=20, max_rows=8)
    tasks = await held(batcher, run, 1, 5, 9, 5, 5, 50)
    run.gate.set()
    await asyncio.gather(*tasks)
    assert run.batches[0] == [1]
    assert run.batches[1] == [5, 5, 5], "three of five cost 15; a fourth row of 9 would cost 36"
    assert all(len(b) * max(b) <= 20 or len(b) == 1 for b in run.batches)
    assert sorted(i for b in run.batches for i in b) == [1, 5, 5, 5, 9, 50]


async def test_the_oldest_request_is_always_in_the_next_batch(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=10, max_rows=2)
    tasks = await held(batcher, run, 1, 10, 2, 2, 2, 2)
    run.gate.set()
    await asyncio.gather(*tasks)
    assert run.batches[1] == [10]


async def test_an_error_in_one_place_fails_that_request_alone(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=100)
    tasks = await held(batcher, run, 1, 13, 14)
    run.gate.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], ModelNotFound)
    assert not any(isinstance(r, Exception) for r in (results[0], results[2]))


async def test_a_crash_of_a_batch_is_narrowed_to_the_request_that_causes_it(runner: Runner) -> None:
    def run(items: Sequence[int]) -> list[int | QuartetError]:
        if 13 in items:
            raise RuntimeError("boom")
        return list(items)

    batcher = Batcher(run, runner, max_cost=100)
    results = await asyncio.gather(*(batcher.submit(i, cost=1) for i in (12, 13, 14)), return_exceptions=True)
    assert isinstance(results[1], ModelFailure)
    assert [r.value for r in results if not isinstance(r, BaseException)] == [12, 14]


async def test_dead_work_never_reaches_the_model(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=100)
    first, cancelled = await held(batcher, run, 1, 2)
    late = asyncio.ensure_future(batcher.submit(3, cost=1, deadline=Deadline.after(0.02)))
    await asyncio.sleep(0.01)
    cancelled.cancel()
    with pytest.raises(DeadlineExceeded):
        await late
    run.gate.set()
    await first
    await batcher.close()
    assert run.batches == [[1]]


async def test_an_expired_deadline_is_refused_at_the_door(runner: Runner) -> None:
    run = Recorder()
    with pytest.raises(DeadlineExceeded):
        await Batcher(run, runner, max_cost=10).submit(1, cost=1, deadline=Deadline.after(0))
    assert run.batches == []


async def test_a_full_queue_refuses(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=1, capacity=2)
    tasks = await held(batcher, run, 1, 1, 1)
    with pytest.raises(QueueFull) as caught:
        await batcher.submit(1, cost=1)
    assert caught.value.retry_after_s
    run.gate.set()
    await asyncio.gather(*tasks)


async def test_a_storm_of_cancels_leaves_the_batcher_clean(runner: Runner) -> None:
    run = Recorder()
    batcher = Batcher(run, runner, max_cost=8, capacity=1000)
    tasks = [asyncio.ensure_future(batcher.submit(i, cost=1)) for i in range(20, 320)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [r.value for r in results[1::2] if not isinstance(r, BaseException)] == list(range(21, 320, 2))
    assert (await batcher.submit(7, cost=1)).value == 7


async def test_close_finishes_what_is_inside_and_refuses_the_rest(runner: Runner) -> None:
    batcher = Batcher(Recorder(), runner, max_cost=10)
    task = asyncio.ensure_future(batcher.submit(1, cost=1))
    await asyncio.sleep(0)
    await batcher.close()
    assert (await task).value == 1
    with pytest.raises(Draining):
        await batcher.submit(1, cost=1)
