"""What every route does around its dialect: key, body, disconnect, and one way to fail."""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import grpc
from starlette.requests import Request
from starlette.responses import Response

from gateway.clients import Clients
from gateway.rest.errors import Failure, from_rpc, internal
from gateway.rest.json_body import read_object
from gateway.rest.settings import RestSettings
from services.runtime.json_text import Json, dump

log = logging.getLogger(__name__)

WATCH_AFTER_S: Final = 0.05

Render = Callable[[Failure], Response]
Route = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Context:
    """What a dialect gets beside the body."""

    clients: Clients
    settings: RestSettings
    request_id: str


Answer = Callable[[dict[str, Json], Context], Coroutine[Any, Any, Response]]


class JsonReply(Response):
    """A value as compact JSON. The same value is always the same bytes."""

    media_type = "application/json"

    def render(self, content: Json) -> bytes:
        return dump(content).encode()


def post(answer: Answer, render: Render) -> Route:
    """A route that reads a JSON object and answers it. A client that goes away cancels the answer."""

    async def serve(request: Request) -> Response:
        async def work() -> Response:
            context = context_of(request)
            check_key(request, context.settings)
            body = await read_object(request, context.settings)
            return await until_disconnect(request, answer(body, context))

        return await guarded(work(), render)

    return serve


def get(answer: Callable[[Context, Request], Coroutine[Any, Any, Response]], render: Render) -> Route:
    """A route without a body."""

    async def serve(request: Request) -> Response:
        async def work() -> Response:
            context = context_of(request)
            check_key(request, context.settings)
            return await answer(context, request)

        return await guarded(work(), render)

    return serve


def context_of(request: Request) -> Context:
    """The clients, the settings and the id of this request."""
    state = request.app.state
    return Context(state.clients, state.settings, str(request.scope.get("request_id", "")))


async def guarded(work: Coroutine[Any, Any, Response], render: Render) -> Response:
    """Awaits `work`; whatever it raises becomes a response of the dialect, and never shows a stack."""
    try:
        return await work
    except Failure as failure:
        return render(_logged(failure))
    except grpc.aio.AioRpcError as error:
        return render(_logged(from_rpc(error)))
    except Exception:
        log.exception("a request failed")
        return render(internal())


def _logged(failure: Failure) -> Failure:
    if failure.reason in ("INTERNAL", "MODEL_FAILURE", "NOT_IMPLEMENTED"):
        log.error("a service failed: %s %s", failure.reason, failure.message)
    return failure


def check_key(request: Request, settings: RestSettings) -> None:
    """Raises CREDENTIAL_INVALID unless no key is configured or the Bearer token equals it."""
    if settings.api_key is None:
        return
    header = request.headers.get("authorization", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Failure("CREDENTIAL_INVALID", "Send the API key as `Authorization: Bearer <key>`.")
    # Bytes, since compare_digest takes no other text than ASCII.
    if not hmac.compare_digest(token.strip().encode(), settings.api_key.encode()):
        raise Failure("CREDENTIAL_INVALID", "The API key is not valid.")


async def until_disconnect(request: Request, work: Coroutine[Any, Any, Response]) -> Response:
    """The response of `work`, which is cancelled when the client leaves. The body must have been read.

    Nobody watches the connection in the first `WATCH_AFTER_S`: most answers are there by then, and a watch costs as
    much as the rest of this edge.
    """
    task = asyncio.current_task()
    assert task is not None
    watch = _Watch(request, task)
    try:
        return await work
    except asyncio.CancelledError:
        if watch.gone:
            task.uncancel()
            raise Failure("CLIENT_CANCELLED", "The client went away.") from None
        raise
    finally:
        watch.stop()


class _Watch:
    """Cancels a task when the client leaves."""

    def __init__(self, request: Request, task: asyncio.Task[Any]) -> None:
        self.gone = False
        self._request, self._task = request, task
        self._waiting: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_AFTER_S, self._begin)

    def stop(self) -> None:
        """Must be called before the task goes on to anything else."""
        self._timer.cancel()
        if self._waiting is not None:
            self._waiting.cancel()

    def _begin(self) -> None:
        self._waiting = asyncio.ensure_future(self._wait())

    async def _wait(self) -> None:
        # The body has been read, so the next message can only be that the client left.
        await self._request.receive()
        self.gone = True
        self._task.cancel()
