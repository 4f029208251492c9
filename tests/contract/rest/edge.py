"""A gateway over HTTP inside the test's own process, and a client that sends exactly what it is told."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from gateway.app import create_app
from gateway.clients import SERVICES, Clients
from gateway.http_server import HttpServer
from gateway.rest.settings import RestSettings
from gateway.supervisor.addresses import Address

NOBODY = {name: "127.0.0.1:1" for name in SERVICES}
"""Targets at which nothing listens."""


@asynccontextmanager
async def served(
    settings: RestSettings | None = None, *, targets: Mapping[str, str] = NOBODY, clients: Clients | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a running gateway."""
    own = clients or Clients(targets)
    server = HttpServer(create_app(own, settings or RestSettings()), Address("127.0.0.1", 0))
    await server.start()
    try:
        async with httpx2.AsyncClient(base_url=f"http://{server.address}", timeout=60) as client:
            yield client
    finally:
        await server.stop()
        await own.close()


def error_of(response: httpx2.Response) -> Any:
    """The body of an error: JSON, with no trace of the inside."""
    assert response.headers["content-type"] == "application/json"
    assert "Traceback" not in response.text and 'File "' not in response.text
    return response.json()
