"""The HTTP application of the gateway: routes, request ids and the errors that no dialect owns."""

import re
import uuid
from collections.abc import Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.clients import Clients
from gateway.console.pages import console_routes
from gateway.rest.endpoint import JsonReply
from gateway.rest.routes import dialects
from gateway.rest.settings import RestSettings
from gateway.tracing import HttpSpans

_DRAINED: Final = 64 << 20
"""A body that nobody wanted is read up to this size before the answer: a client that is cut off may never see it."""
_REQUEST_ID: Final = re.compile(rb"[\x21-\x7e]{1,128}")


def create_app(clients: Clients, settings: RestSettings, *, routes: Sequence[BaseRoute] = ()) -> Starlette:
    """The application over `clients`.

    `routes` are mounted after the dialects; they find `clients` and `settings` in `request.app.state`, and can use
    `gateway.rest.endpoint.post` to share keys, body limits, disconnects and errors with them.
    """
    app = Starlette(
        routes=[*dialects(), *console_routes(), *routes],
        middleware=[Middleware(_Edge), Middleware(HttpSpans)],
        exception_handlers={HTTPException: _refused},
    )
    # A redirected POST loses its body in most clients; `_Edge` takes the trailing slash instead.
    app.router.redirect_slashes = False
    app.state.clients = clients
    app.state.settings = settings
    return app


class _Edge:
    """Gives every request an id, which every response carries, takes a trailing slash off the path, and never answers
    before the client has sent its body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or uuid.uuid4().hex.encode()
        ids = [(b"x-request-id", request_id), (b"x-typesafe-request-id", request_id)]

        body = _Body(receive, _announced(scope))

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.drain(_DRAINED)
                message["headers"] = [*message["headers"], *ids]
            await send(message)

        path = scope["path"].rstrip("/") or "/"
        await self._app({**scope, "path": path, "request_id": request_id.decode()}, body.receive, send_with_id)


class _Body:
    """The messages of a request; knows when its body has ended: with the last announced byte, since the server tells it
    in a message of its own, for which nobody should wait."""

    def __init__(self, receive: Receive, announced: int) -> None:
        self._receive = receive
        self._left = announced
        self._ended = False

    async def receive(self) -> Message:
        message = await self._receive()
        while self._ended and message["type"] == "http.request":
            message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._ended = self._left == 0 or not message.get("more_body", False)
            return {**message, "more_body": not self._ended}
        self._ended = True
        return message

    async def drain(self, limit: int) -> None:
        """Reads and drops what is left of the body, up to about `limit` bytes."""
        size = 0
        while not self._ended and size <= limit:
            size += len((await self.receive()).get("body", b""))


def _announced(scope: Scope) -> int:
    """Bytes of the body as its length header says; -1 when it says nothing."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return -1


def _given_id(scope: Scope) -> bytes | None:
    for name, value in scope["headers"]:
        if name in (b"x-request-id", b"x-typesafe-request-id") and _REQUEST_ID.fullmatch(value):
            return bytes(value)
    return None


async def _refused(request: Request, error: Any) -> JsonReply:
    return JsonReply({"detail": error.detail}, error.status_code, headers=error.headers)
