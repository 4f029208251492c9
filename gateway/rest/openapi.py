"""`GET /openapi.json`: every path of the dialects with the schemas of its bodies.

An operation is described where its route is made (`gateway.rest.routes`), so a path without a description cannot be
served. Paths that other parts of the gateway mount are not in it.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from gateway.rest.endpoint import JsonReply
from gateway.rest.examples import EXAMPLES
from gateway.rest.shapes import COMPONENTS, component
from services.runtime.json_text import Json

PARAMETERS: Final = {"account": "local", "model": "quartet-decide-0.1.0"}
"""A value of each path parameter that works."""
JSON: Final = "application/json"
EVENTS: Final[dict[str, Json]] = {"text/event-stream": {"schema": {"type": "string"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What one operation is called, and the names of the schemas of its bodies; no request means no body."""

    summary: str
    answer: str
    error: str
    request: str = ""
    streams: bool = False
    """Whether the answer may come as server-sent events."""


Operation = tuple[str, str, Shapes]
"""Path, method and bodies."""


def document(operations: Sequence[Operation]) -> dict[str, Json]:
    """The OpenAPI 3.1 document of operations."""
    paths: dict[str, dict[str, Json]] = {}
    for path, method, shapes in operations:
        plain = path.replace(":path}", "}")
        paths.setdefault(plain, {})[method.lower()] = _operation(plain, shapes)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Quartet", "version": version("quartet")},
        "paths": paths,
        "components": {
            "schemas": COMPONENTS,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        # A key is wanted only where one is set.
        "security": [{}, {"key": []}],
    }


def endpoint(operations: Sequence[Operation]) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint that shows the document."""
    reply = JsonReply(document(operations))

    async def serve(request: Request) -> Response:
        return reply

    return serve


def _operation(path: str, shapes: Shapes) -> Json:
    body: dict[str, Json] = {"summary": shapes.summary}
    names = [part.partition("}")[0] for part in path.split("{")[1:]]
    if names:
        body["parameters"] = [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
                "example": PARAMETERS[name],
            }
            for name in names
        ]
    if shapes.request:
        example = {"example": EXAMPLES[shapes.request]}
        content = {JSON: {"schema": component(shapes.request)} | example}
        body["requestBody"] = {"required": True, "content": content}
    error = {"description": "The reason is in the body.", "content": _content(shapes.error)}
    body["responses"] = {
        "200": {"description": "The answer.", "content": _content(shapes.answer) | (EVENTS if shapes.streams else {})},
        "4XX": error,
        "5XX": error,
    }
    return body


def _content(name: str) -> dict[str, Json]:
    return {JSON: {"schema": component(name)}}
