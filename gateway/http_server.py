"""An ASGI application served on the event loop of this process: HTTP/1.1 and HTTP/2 in clear text on one port."""

import asyncio
from collections.abc import Callable
from typing import Any

from granian.constants import Interfaces
from granian.server.embed import Server

from gateway.supervisor.addresses import Address

STOP_S = 5.0


class HttpServer:
    """Serves until `stop`."""

    def __init__(self, app: Any, address: Address, *, backlog: int = 1024) -> None:
        self._server = Server(
            app,
            address=address.host,
            port=address.port,
            interface=Interfaces.ASGINL,
            websockets=False,
            backlog=backlog,
            log_enabled=False,
        )
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listens. Raises OSError when the address is taken."""
        self._task = asyncio.create_task(self._server.serve())
        # The server listens within its first turn; a taken port ends the task at once.
        done, _ = await asyncio.wait([self._task], timeout=0.2)
        if done:
            raise self._task.exception() or OSError("the HTTP server ended")

    async def stop(self) -> None:
        """Takes no new connections and waits for the open ones."""
        if self._task is None or self._task.done():
            return
        stop: Callable[[], None] = self._server.stop
        stop()
        try:
            await asyncio.wait_for(self._task, STOP_S)
        except TimeoutError:
            pass
