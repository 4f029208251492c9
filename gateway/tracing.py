"""A span for every HTTP request, in the trace that the caller sent, so that the calls behind it hang below it."""

from typing import Final

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.runtime.telemetry import names

_CARRIED: Final = (b"traceparent", b"tracestate", b"baggage")


class HttpSpans:
    """ASGI middleware; costs next to nothing while no exporter is set up."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tracer = trace.get_tracer("quartet.http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        carrier = {key.decode(): value.decode("latin-1") for key, value in scope["headers"] if key in _CARRIED}
        if not carrier and isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            # Nobody has set up an exporter, and there is no trace to carry on.
            await self._app(scope, receive, send)
            return
        parent = propagate.extract(carrier)
        with self._tracer.start_as_current_span(scope["method"], parent, SpanKind.SERVER) as span:

            async def send_and_note(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _note(span, scope, int(message["status"]))
                await send(message)

            await self._app(scope, receive, send_and_note)


def _note(span: Span, scope: Scope, status: int) -> None:
    # Only paths of routes without parameters become names: the number of names must stay small.
    if "endpoint" in scope and not scope.get("path_params"):
        span.update_name(f"{scope['method']} {scope['path']}")
    span.set_attribute(names.HTTP_METHOD, scope["method"])
    span.set_attribute(names.HTTP_STATUS, status)
    span.set_attribute(names.REQUEST_ID, str(scope.get("request_id", "")))
    if status >= 500:
        span.set_status(StatusCode.ERROR)
