"""Fixtures that several kinds of tests share."""

from collections.abc import Iterator

import pytest

from gateway.supervisor.background import RunningStack, background_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """`quartet up` on free ports, once for the session: addresses of the gateway, the services and the broker."""
    with background_stack() as running:
        yield running
