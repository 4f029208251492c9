"""Admission: how many requests a service holds at once, and whether it takes new ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from services.runtime.errors import Draining, QueueFull


class Admission:
    """Counts the requests inside a service.

    A request over `capacity` is refused at once with QueueFull; after `close`, every new one with Draining.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._held = 0
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def held(self) -> int:
        """Requests inside the service now."""
        return self._held

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a place for the length of a request."""
        if self._closed:
            raise Draining
        if self._held >= self.capacity:
            raise QueueFull(self.capacity)
        self._held += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                self._idle.set()

    def close(self) -> None:
        """Take no new requests."""
        self._closed = True

    async def drained(self, timeout_s: float) -> bool:
        """Wait until nothing is held; False when `timeout_s` passed first."""
        try:
            await asyncio.wait_for(self._idle.wait(), timeout_s)
        except TimeoutError:
            return False
        return True
