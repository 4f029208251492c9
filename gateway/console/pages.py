"""The console's files as routes, from memory, with the headers that keep a page to itself.

Every path has an entity tag and is asked for again each time (`no-cache`), so an upgraded gateway never meets an old
script of its own page in a browser, and an unchanged file costs one empty answer.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gateway.demo.emails import shipped
from services.runtime.json_text import Json, dump

TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
"""Nothing runs, loads or is asked but from this origin; inline code and styles are refused."""
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, ready to be sent."""

    body: bytes
    media_type: str
    etag: str


def console_routes() -> list[Route]:
    """The page and its files; reads them now, so that no request waits for a disk."""
    assets = {name: _asset(name, body) for name, body in _files()}
    page = assets.pop("index.html")
    files = [Route(f"/console/{name}", _serve(asset), methods=["GET"]) for name, asset in assets.items()]
    return [Route("/", _serve(page), methods=["GET"]), *files]


def _serve(asset: Asset) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        headers = {**HEADERS, "etag": asset.etag}
        if asset.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(asset.body, media_type=asset.media_type, headers=headers)

    return serve


def _files() -> Iterator[tuple[str, bytes]]:
    for item in resources.files("gateway.console").joinpath("static").iterdir():
        if item.name.rpartition(".")[2] in TYPES:
            yield item.name, item.read_bytes()
    # The demo's letters are the cascade's examples: one set, so that both show the same.
    letters: list[Json] = [{"name": e.name, "text": e.text, "received": e.received} for e in shipped()]
    yield "emails.json", dump(letters).encode()


def _asset(name: str, body: bytes) -> Asset:
    tag = hashlib.sha256(body).hexdigest()[:32]
    return Asset(body, TYPES[name.rpartition(".")[2]], f'"{tag}"')
