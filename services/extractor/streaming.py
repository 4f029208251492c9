"""Many requests on one stream, answered as they are ready."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def as_ready(items: AsyncIterator[T], work: Callable[[T], Awaitable[R]], *, most: int) -> AsyncIterator[R]:
    """Results of `work` as they are done; at most `most` items are inside, so a slow reader slows the sender.

    An error of `items` or of `work` ends the stream; whatever is unfinished then is cancelled.
    """
    done: asyncio.Queue[R | BaseException | None] = asyncio.Queue()
    room = asyncio.Semaphore(most)
    tasks: set[asyncio.Task[None]] = set()

    async def one(item: T) -> None:
        try:
            done.put_nowait(await work(item))
        except Exception as error:
            done.put_nowait(error)

    async def read() -> None:
        try:
            async for item in items:
                await room.acquire()
                task = asyncio.create_task(one(item))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.gather(*tasks)
            done.put_nowait(None)
        except Exception as error:
            done.put_nowait(error)

    reader = asyncio.create_task(read())
    try:
        while (result := await done.get()) is not None:
            if isinstance(result, BaseException):
                raise result
            yield result
            room.release()
    finally:
        for task in (reader, *tasks):
            task.cancel()
