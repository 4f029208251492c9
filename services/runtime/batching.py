"""Batch when the runner is free, with no artificial wait.

While the model runs, requests gather. As soon as it is free, the oldest request and those nearest to it in length are
sent together, as long as the padded cost (longest x rows) stays in the budget. Requests that were cancelled or whose
deadline has passed are dropped before they cost compute. A lone request is never held back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, Draining, ModelFailure, QuartetError, QueueFull
from services.runtime.runner import Runner

Q = TypeVar("Q")
R = TypeVar("R")
Run = Callable[[Sequence[Q]], Sequence[R | QuartetError]]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answered(Generic[R]):
    """A result and where its time went."""

    value: R
    queue_s: float
    """Seconds from submission to the start of the run."""
    run_s: float
    """Seconds of the run that produced it."""
    batch_size: int
    """Requests in that run."""


@dataclass(slots=True)
class _Entry(Generic[Q, R]):
    item: Q
    cost: int
    deadline: Deadline
    done: asyncio.Future[Answered[R]]
    since: float

    @property
    def dead(self) -> bool:
        return self.done.done() or self.deadline.expired


class Batcher(Generic[Q, R]):
    """A bounded queue before one runner."""

    def __init__(
        self, run: Run[Q, R], runner: Runner, *, max_cost: int, max_rows: int = 32, capacity: int = 256
    ) -> None:
        """`run` maps requests to results in the same order; an error in a place fails that request alone.

        `max_cost` bounds longest x rows of a batch; a single request may be over it. Costs are tokens or points.
        """
        self._run, self._runner = run, runner
        self._max_cost, self._max_rows, self._capacity = max_cost, max_rows, capacity
        self._waiting: list[_Entry[Q, R]] = []
        self._pump: asyncio.Task[None] | None = None
        self._closed = False

    async def submit(self, item: Q, *, cost: int, deadline: Deadline | None = None) -> Answered[R]:
        """Queue `item` and wait for its result.

        Raises QueueFull, Draining, DeadlineExceeded, ModelFailure, or the error that `run` gave for the item.
        """
        deadline = deadline or Deadline.never()
        deadline.check()
        if self._closed:
            raise Draining
        if len(self._waiting) >= self._capacity:
            raise QueueFull(self._capacity)
        loop = asyncio.get_running_loop()
        entry: _Entry[Q, R] = _Entry(item, cost, deadline, loop.create_future(), time.monotonic())
        self._waiting.append(entry)
        if self._pump is None:
            self._pump = loop.create_task(self._drain())
        try:
            return await asyncio.wait_for(entry.done, deadline.remaining())
        except TimeoutError:
            raise DeadlineExceeded from None

    async def close(self) -> None:
        """Refuse new requests and wait for those inside."""
        self._closed = True
        if self._pump is not None:
            await self._pump

    async def _drain(self) -> None:
        try:
            while batch := self._form():
                await self._send(batch)
        finally:
            self._pump = None

    def _form(self) -> list[_Entry[Q, R]]:
        self._waiting = [e for e in self._waiting if not self._drop(e)]
        if not self._waiting:
            return []
        oldest = self._waiting[0]
        near = sorted(self._waiting[1 : 4 * self._max_rows], key=lambda e: abs(e.cost - oldest.cost))
        batch, longest = [oldest], oldest.cost
        for entry in near:
            grown = max(longest, entry.cost)
            if len(batch) == self._max_rows or grown * (len(batch) + 1) > self._max_cost:
                break
            batch.append(entry)
            longest = grown
        chosen = set(map(id, batch))
        self._waiting = [e for e in self._waiting if id(e) not in chosen]
        return sorted(batch, key=lambda e: e.cost)

    @staticmethod
    def _drop(entry: _Entry[Q, R]) -> bool:
        if not entry.dead:
            return False
        if not entry.done.done():
            entry.done.set_exception(DeadlineExceeded())
        return True

    async def _send(self, batch: list[_Entry[Q, R]]) -> None:
        start = time.monotonic()
        results = await self._attempt(batch)
        took = time.monotonic() - start
        for entry, result in zip(batch, results, strict=True):
            if entry.done.done():
                continue
            if isinstance(result, QuartetError):
                entry.done.set_exception(result)
            else:
                entry.done.set_result(Answered(result, start - entry.since, took, len(batch)))

    async def _attempt(self, batch: list[_Entry[Q, R]]) -> Sequence[R | QuartetError]:
        try:
            return await self._runner.call(self._run, [e.item for e in batch])
        except Exception:
            log.exception("model run failed", extra={"rows": len(batch)})
            if len(batch) == 1:
                return [ModelFailure()]
        # One bad request must not fail its neighbours: run each alone.
        return [result for entry in batch for result in await self._attempt([entry])]
