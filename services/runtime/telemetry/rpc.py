"""Spans and metrics of RPCs, with the status that the caller saw.

Written here because the contrib interceptor reports deadline, cancel and crash as OK, has no metrics and breaks
stream handlers that are coroutines.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from opentelemetry import context, metrics, propagate, trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from services.runtime.errors import Code
from services.runtime.telemetry import names

# Codes that mean the server failed; others are the client's doing and leave the span unset.
SERVER_FAULTS = {
    Code.UNKNOWN,
    Code.DEADLINE_EXCEEDED,
    Code.UNIMPLEMENTED,
    Code.INTERNAL,
    Code.UNAVAILABLE,
    Code.DATA_LOSS,
}


class ServerCalls:
    """Opens and closes the span and the duration measurement of server calls."""

    def __init__(self) -> None:
        self._tracer = trace.get_tracer("quartet.rpc")
        self._duration = metrics.get_meter("quartet.rpc").create_histogram(
            names.SERVER_DURATION, unit="s", description="Duration of inbound calls"
        )

    def begin(self, method: str, metadata: Sequence[tuple[str, str | bytes]]) -> ServerCall:
        """Start a call in the trace that the client sent, and make its span current.

        Every RPC runs in a task of its own, so the span is attached once and goes with the task.
        """
        carrier = {key: value for key, value in metadata if isinstance(value, str)}
        parent = propagate.extract(carrier)
        attributes = {names.RPC_SYSTEM: names.GRPC, names.RPC_METHOD: method}
        span = self._tracer.start_span(method, parent, SpanKind.SERVER, attributes)
        context.attach(trace.set_span_in_context(span, parent))
        return ServerCall(span, method, self._duration)


class ServerCall:
    """One call in progress."""

    def __init__(self, span: Span, method: str, duration: metrics.Histogram) -> None:
        self._span, self._method, self._duration = span, method, duration
        self._start = time.perf_counter()

    def end(self, code: Code, *, reason: str = "", error: BaseException | None = None) -> None:
        """Close the span with the status that the client received."""
        attributes: dict[str, str] = {
            names.RPC_SYSTEM: names.GRPC,
            names.RPC_METHOD: self._method,
            names.RPC_STATUS: code.name,
        }
        self._span.set_attribute(names.RPC_STATUS, code.name)
        if code in SERVER_FAULTS:
            attributes[names.ERROR_TYPE] = code.name
            self._span.set_attribute(names.ERROR_TYPE, type(error).__qualname__ if error else code.name)
            self._span.set_status(StatusCode.ERROR)
        if reason:
            self._span.set_attribute(names.REASON, reason)
        if error is not None:
            self._span.record_exception(error)
        self._span.end()
        self._duration.record(time.perf_counter() - self._start, attributes)


def outgoing(metadata: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """Call metadata that carries the current trace to the next service."""
    carrier = dict(metadata or {})
    propagate.inject(carrier)
    return tuple(carrier.items())
