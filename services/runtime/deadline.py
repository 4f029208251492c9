"""Deadlines: a point of the monotonic clock by which an answer is wanted."""

from __future__ import annotations

import time
from dataclasses import dataclass

from services.runtime.errors import DeadlineExceeded


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds; None means never."""

    at: float | None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The moment `seconds` from now; None means never."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    @classmethod
    def never(cls) -> Deadline:
        """No deadline."""
        return cls(None)

    def remaining(self) -> float | None:
        """Seconds left, never below 0; None without a deadline."""
        return None if self.at is None else max(0.0, self.at - time.monotonic())

    @property
    def expired(self) -> bool:
        """Whether the moment has passed."""
        return self.at is not None and time.monotonic() >= self.at

    def check(self) -> None:
        """Raise DeadlineExceeded when the moment has passed."""
        if self.expired:
            raise DeadlineExceeded
