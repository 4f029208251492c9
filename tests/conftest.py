"""Fixtures that several kinds of tests share."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from gateway.supervisor.background import RunningStack, background_stack

NEEDS = {
    "export/*": "torch",
    "integration/sdk/test_litellm.py": "litellm",
    "integration/sdk/test_schemathesis.py": "schemathesis",
}
"""Tests of an extra are not collected where the extra is not installed; `make test-all` installs all but torch."""
collect_ignore_glob = [pattern for pattern, module in NEEDS.items() if find_spec(module) is None]


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """`quartet up` on free ports, once for the session: addresses of the gateway, the services and the broker."""
    with background_stack() as running:
        yield running
