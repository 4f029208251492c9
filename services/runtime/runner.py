"""The one thread that owns a model.

ONNX Runtime releases the interpreter lock in a run and parallelises inside; more threads on one session add
contention, not speed. So a service has exactly one runner, and everything that touches the session happens on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Runner:
    """Runs blocking calls one after another on a thread of its own."""

    def __init__(self, name: str = "model") -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def call(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `work` on the thread and return its result.

        A cancelled caller does not interrupt a run that has begun: its result is dropped.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: work(*args, **kwargs))

    def close(self) -> None:
        """Finish what has begun and end the thread."""
        self._pool.shutdown(wait=True, cancel_futures=True)
