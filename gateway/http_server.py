"""An ASGI application served on the event loop of this process: HTTP/1.1 and HTTP/2 in clear text on one port.

Granian's embedded server: its own thread parses HTTP, the application runs on our loop, where the gRPC clients and the
gRPC server of the same process live (grpc.aio wants exactly one loop). Nothing else in reach speaks clear-text HTTP/2
and does that.
"""

import asyncio
import socket
from typing import Any, Final

from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from gateway.supervisor.addresses import Address

STOP_S: Final = 5.0
START_S: Final = 10.0
KEEP_ALIVE_S: Final = 75.0
"""An idle connection stays open this long: more than the 30 s for which common clients keep theirs."""
CONNECTIONS: Final = 4096
"""Connections at once, idle ones included; more wait in the backlog."""


class HttpServer:
    """Serves until `stop`."""

    def __init__(self, app: Any, address: Address, *, backlog: int = 1024) -> None:
        self._app = app
        self._backlog = backlog
        self._server: Server | None = None
        self._task: asyncio.Task[None] | None = None
        self.address = address
        """Where it listens; after `start` with the port that port 0 became."""

    async def start(self) -> None:
        """Listens; returns when connections are accepted. Raises OSError when the address is taken."""
        self.address = _claim(self.address)
        self._server = Server(
            self._app,
            address=self.address.host,
            port=self.address.port,
            interface=Interfaces.ASGINL,
            websockets=False,
            backlog=self._backlog,
            backpressure=CONNECTIONS,
            http1_settings=HTTP1Settings(header_read_timeout=int(KEEP_ALIVE_S * 1000)),
            log_enabled=False,
        )
        self._task = asyncio.create_task(self._server.serve())
        async with asyncio.timeout(START_S):
            while not await _accepts(self.address):
                if self._task.done():
                    raise self._task.exception() or OSError("the HTTP server ended")
                await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Takes no new connections and waits for the requests in flight."""
        if self._server is None or self._task is None or self._task.done():
            return
        self._server.stop()  # type: ignore[no-untyped-call]
        await asyncio.wait([self._task], timeout=STOP_S)


def _claim(address: Address) -> Address:
    """The address with a real port. The server itself would share a taken port with its owner, without a word."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((address.host, address.port))
        return Address(address.host, int(probe.getsockname()[1]))


async def _accepts(address: Address) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)
    try:
        _, writer = await asyncio.open_connection(host, address.port)
    except OSError:
        return False
    writer.close()
    return True
