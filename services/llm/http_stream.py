"""One HTTP/1.1 POST whose answer is read line by line as it comes."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_MOST_LINE: Final = 1024 * 1024
"""Bytes of the longest line that is read."""


class BrokenAnswer(OSError):
    """The answer is not HTTP/1.1, or ended too early."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers with lower-case names, and the lines of the body without their ends."""

    status: int
    headers: Mapping[str, str]
    lines: AsyncIterator[bytes]


@asynccontextmanager
async def post(
    url: str, body: bytes, headers: Mapping[str, str], *, connect_s: float, idle_s: float
) -> AsyncGenerator[Answer, None]:
    """Send, and give the answer once its headers are there; leaving the block closes the connection.

    Raises OSError, BrokenAnswer, and TimeoutError when the connection takes more than `connect_s` seconds, or the
    headers or a line more than `idle_s`.
    """
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    context = ssl.create_default_context() if secure else None
    opening = asyncio.open_connection(parts.hostname, port, ssl=context, limit=_MOST_LINE)
    reader, writer = await asyncio.wait_for(opening, connect_s)
    try:
        sent = {
            "Host": parts.netloc.rpartition("@")[2],
            "Content-Length": str(len(body)),
            "Connection": "close",
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        writer.write(f"POST {parts.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        await writer.drain()
        status, found = await asyncio.wait_for(_head(reader), idle_s)
        yield Answer(status, found, _timed(_lines(_pieces(reader, found)), idle_s))
    finally:
        writer.transport.abort()


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    while True:
        version, _, rest = (await _line(reader)).partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise BrokenAnswer("the answer is not HTTP/1.1")
        headers: dict[str, str] = {}
        while line := await _line(reader):
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if int(rest[:3]) >= 200:  # what comes before is only information
            return int(rest[:3]), headers


async def _pieces(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    """The body as it comes."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := _size(await _line(reader)):
            yield await _exactly(reader, size)
            await _line(reader)
    elif "content-length" in headers:
        yield await _exactly(reader, int(headers["content-length"]))
    else:
        while piece := await reader.read(65536):
            yield piece


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    held = b""
    async for piece in pieces:
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r")
        if len(held) > _MOST_LINE:
            raise BrokenAnswer("a line of the answer is too long")
    if held:
        yield held


async def _timed(lines: AsyncIterator[bytes], idle_s: float) -> AsyncIterator[bytes]:
    while True:
        try:
            yield await asyncio.wait_for(anext(lines), idle_s)
        except StopAsyncIteration:
            return


async def _line(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\n")).decode("latin-1").rstrip("\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise BrokenAnswer("the answer ended early") from error


async def _exactly(reader: asyncio.StreamReader, size: int) -> bytes:
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        raise BrokenAnswer("the answer ended early") from error


def _size(line: str) -> int:
    try:
        return int(line.partition(";")[0], 16)
    except ValueError as error:
        raise BrokenAnswer("a chunk of the answer has no size") from error
