"""Many requests on one stream, answered as they are ready; the error of one request does not end the stream."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from quartet.v1 import common_pb2
from services.runtime.errors import QuartetError

T = TypeVar("T")
R = TypeVar("R")


async def as_ready(items: AsyncIterator[T], work: Callable[[T], Awaitable[R]], *, most: int) -> AsyncIterator[R]:
    """Results of `work` in the order they are done, with at most `most` items inside; more are not read before.

    An error of `work` or of `items` ends the stream. What is unfinished when the stream ends is cancelled.
    """
    running: set[asyncio.Future[R]] = set()
    source = aiter(items)
    coming: asyncio.Future[T] | None = asyncio.ensure_future(anext(source))
    try:
        while coming or running:
            open_ = coming if len(running) < most else None
            done, _ = await asyncio.wait({*running, *({open_} if open_ else ())}, return_when=asyncio.FIRST_COMPLETED)
            for task in running & done:
                yield task.result()
            running -= done
            if coming and coming in done:
                coming = _start(coming, source, work, running)
    finally:
        for task in (*running, *([coming] if coming else ())):
            task.cancel()


def _start(
    coming: asyncio.Future[T],
    source: AsyncIterator[T],
    work: Callable[[T], Awaitable[R]],
    running: set[asyncio.Future[R]],
) -> asyncio.Future[T] | None:
    """Begin the item that came and ask for the next; nothing when there are no more."""
    try:
        item = coming.result()
    except StopAsyncIteration:
        return None
    running.add(asyncio.ensure_future(work(item)))
    return asyncio.ensure_future(anext(source))


def stream_error(error: QuartetError) -> common_pb2.StreamError:
    """An error as a message on a stream."""
    field = error.fields[0].path if error.fields else ""
    return common_pb2.StreamError(code=int(error.code), reason=error.reason, message=error.message, field=field)
