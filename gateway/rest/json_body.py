"""Reads a request body as JSON, within limits that hold before and after decompression."""

import sys
import zlib
from collections.abc import Iterator

from starlette.requests import ClientDisconnect, Request

from gateway.rest.errors import Failure, Violation, invalid
from gateway.rest.settings import RestSettings
from services.runtime.json_text import Json, JsonError, load

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STEP = 64 << 10
_ZSTD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}  # 8 MiB, what a web client may ask for


async def read_object(request: Request, settings: RestSettings) -> dict[str, Json]:
    """The body as a JSON object.

    Raises:
        Failure: UNSUPPORTED_MEDIA_TYPE or UNSUPPORTED_ENCODING for headers that announce something else,
            BODY_TOO_LARGE over a limit, INVALID_ENCODING when decompression fails, INVALID_JSON when it is not JSON,
            INVALID_FIELD when it is JSON but not an object.
    """
    _check_media_type(request.headers.get("content-type", ""))
    encoding = _encoding(request.headers.get("content-encoding", ""))
    raw = await _read(request, settings.max_body_bytes)
    data = _decompress(raw, encoding, settings.max_decoded_bytes) if encoding else raw
    return _parse(data)


def _check_media_type(header: str) -> None:
    media_type = header.partition(";")[0].strip().lower()
    if media_type.startswith("multipart/"):
        raise Failure(
            "UNSUPPORTED_MEDIA_TYPE",
            "Images and other multipart bodies are not answered by this version; send application/json.",
        )
    if media_type and media_type != "application/json" and not media_type.endswith("+json"):
        raise Failure("UNSUPPORTED_MEDIA_TYPE", f"The body must be application/json, not {media_type[:80]}.")


def _encoding(header: str) -> str:
    encoding = header.strip().lower()
    if encoding in ("", "identity"):
        return ""
    if encoding in ("gzip", "x-gzip"):
        return "gzip"
    if encoding == "zstd":
        return encoding
    raise Failure("UNSUPPORTED_ENCODING", f"Content-Encoding must be gzip or zstd, not {encoding[:40]}.")


async def _read(request: Request, limit: int) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            chunks.append(chunk)
    except ClientDisconnect:
        raise Failure("CLIENT_CANCELLED", "The client went away while it sent the body.") from None
    return b"".join(chunks)


def _decompress(raw: bytes, encoding: str, limit: int) -> bytes:
    out = bytearray()
    try:
        for piece in _gunzip(raw) if encoding == "gzip" else _unzstd(raw):
            out += piece
            if len(out) > limit:
                raise _too_large(limit, "decompressed ")
    except (zlib.error, zstd.ZstdError, EOFError) as error:
        raise Failure("INVALID_ENCODING", f"The body is not valid {encoding}: {error}.") from None
    return bytes(out)


def _gunzip(raw: bytes) -> Iterator[bytes]:
    while raw:  # A gzip file may hold several members.
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            piece = stream.decompress(raw, _STEP)
            raw = stream.unconsumed_tail
            if not piece and not raw and not stream.eof:
                raise EOFError("it ends too early")
            yield piece
        raw = stream.unused_data


def _unzstd(raw: bytes) -> Iterator[bytes]:
    while raw:  # As may a zstd file hold several frames.
        stream = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
        while not stream.eof:
            yield stream.decompress(raw, _STEP)
            raw = b""
            if stream.needs_input and not stream.eof:
                raise EOFError("it ends too early")
        raw = stream.unused_data


def _parse(data: bytes) -> dict[str, Json]:
    if not data.strip():
        raise Failure("INVALID_JSON", "The body is empty.", violations=[Violation((), "the body is empty", "missing")])
    try:
        value = load(data)
    except JsonError as error:
        if error.kind == "too_large":
            raise Failure("BODY_TOO_LARGE", f"The body holds {error.message}.") from None
        violation = Violation(error.loc, error.message, error.kind)
        message = f"The body is not acceptable JSON: {error.message}."
        raise Failure("INVALID_JSON", message, violations=[violation]) from None
    if not isinstance(value, dict):
        raise invalid([Violation((), "the body must be a JSON object", "dict_type")])
    return value


def _too_large(limit: int, what: str = "") -> Failure:
    return Failure("BODY_TOO_LARGE", f"The {what}body is larger than {limit} bytes.", metadata={"limit": str(limit)})
