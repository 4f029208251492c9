"""Several texts written at the same time on one runner: each in turn gets one step.

A step is one token, or one chunk of a prompt, so a long prompt delays the others by a chunk and no more. Texts that
do not fit in the cache budget wait in order of arrival.

Texts are not put into one run, though four rows cost less than four runs: the float32 kernel for one row adds in
another order than the one for several, so a text would come to depend on what is written beside it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from services.llm.generation import Delta, Generation
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, InputTooLong, ModelFailure, QuartetError
from services.runtime.runner import Runner

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Job:
    generation: Generation
    deadline: Deadline
    out: asyncio.Queue[Delta | QuartetError] = field(default_factory=asyncio.Queue)
    done: bool = False
    """Ended, failed, or left by its reader: it gets no further step."""

    def fail(self, error: QuartetError) -> None:
        self.done = True
        self.out.put_nowait(error)


class Engine:
    """Lives on the event loop; only steps run on the runner's thread."""

    def __init__(self, runner: Runner, *, sequences: int, cache_tokens: int) -> None:
        """At most `sequences` texts at once, and `cache_tokens` tokens in all their caches."""
        self._runner, self._sequences, self._cache_tokens = runner, sequences, cache_tokens
        self._waiting: deque[_Job] = deque()
        self._active: list[_Job] = []
        self._pump: asyncio.Task[None] | None = None

    @property
    def active(self) -> int:
        """Texts that hold a slot now."""
        return len(self._active)

    @property
    def waiting(self) -> int:
        """Texts that wait for a slot."""
        return len(self._waiting)

    async def write(self, generation: Generation, *, deadline: Deadline | None = None) -> AsyncGenerator[Delta, None]:
        """The deltas of a text; the last has an ending.

        Closing the iterator frees the slot before the next step. Raises DeadlineExceeded, ModelFailure, and
        InputTooLong when the text can never fit in the cache.
        """
        if generation.room > self._cache_tokens:
            raise InputTooLong(
                "tokens to read and write", limit=self._cache_tokens, actual=generation.room, field="max_tokens"
            )
        job = _Job(generation, deadline or Deadline.never())
        self._waiting.append(job)
        if self._pump is None:
            self._pump = asyncio.get_running_loop().create_task(self._run())
        try:
            while True:
                delta = await job.out.get()
                if isinstance(delta, QuartetError):
                    raise delta
                yield delta
                if delta.ending:
                    return
        finally:
            job.done = True

    async def close(self) -> None:
        """Wait for the texts inside."""
        if self._pump is not None:
            await self._pump

    async def _run(self) -> None:
        try:
            while self._turn():
                for job in tuple(self._active):
                    self._expire()
                    if not job.done:
                        await self._step(job)
        except Exception:
            log.exception("scheduling failed")
            for job in (*self._active, *self._waiting):
                job.fail(ModelFailure())
            self._active, self._waiting = [], deque()
        finally:
            self._pump = None

    def _turn(self) -> bool:
        """Free what is done and start what fits; False when nothing is left."""
        self._expire()
        for job in [job for job in self._active if job.done]:
            self._leave(job)
        self._waiting = deque(job for job in self._waiting if not job.done)
        while self._waiting and self._fits(self._waiting[0]):
            self._active.append(self._waiting.popleft())
        return bool(self._active)

    def _fits(self, job: _Job) -> bool:
        reserved = sum(other.generation.room for other in self._active)
        return len(self._active) < self._sequences and reserved + job.generation.room <= self._cache_tokens

    def _expire(self) -> None:
        for job in (*self._active, *self._waiting):
            if not job.done and job.deadline.expired:
                job.fail(DeadlineExceeded())

    def _leave(self, job: _Job) -> None:
        self._active.remove(job)
        job.generation.close()

    async def _step(self, job: _Job) -> None:
        try:
            delta = await self._runner.call(job.generation.step)
        except Exception:
            log.exception("model run failed")
            job.fail(ModelFailure())
            delta = None
        if delta is not None and not job.done:
            job.done = delta.ending is not None
            job.out.put_nowait(delta)
        if job.done:
            self._leave(job)
