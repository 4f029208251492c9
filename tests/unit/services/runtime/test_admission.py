"""Admission: a bounded number inside, none after close, and a wait for the last to leave."""

from __future__ import annotations

import pytest

from services.runtime.admission import Admission
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, Draining, QueueFull


async def test_a_place_is_held_and_given_back_even_on_error() -> None:
    admission = Admission(1)
    with pytest.raises(RuntimeError), admission.slot():
        with pytest.raises(QueueFull), admission.slot():
            pass
        raise RuntimeError
    with admission.slot():
        assert admission.held == 1


async def test_after_close_new_requests_are_refused_and_the_last_is_waited_for() -> None:
    admission = Admission(4)
    with admission.slot():
        admission.close()
        with pytest.raises(Draining), admission.slot():
            pass
        assert not await admission.drained(0.01)
    assert await admission.drained(0.01)


def test_deadlines() -> None:
    assert Deadline.never().remaining() is None
    assert not Deadline.never().expired
    assert Deadline.after(None) == Deadline.never()
    past = Deadline.after(-1)
    assert past.remaining() == 0
    with pytest.raises(DeadlineExceeded):
        past.check()
