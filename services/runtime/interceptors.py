"""The edge of a gRPC server: request id, trace, and every error mapped to the wire in one place."""

from __future__ import annotations

import asyncio
import inspect
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc

from services.runtime.errors import Cancelled, Code, DeadlineExceeded, QuartetError
from services.runtime.telemetry.rpc import ServerCall, ServerCalls
from services.runtime.wire_errors import trailing

REQUEST_ID = "x-request-id"
CLOCK_SLACK_S = 0.01
"""A cancel this close to the deadline is the deadline: the two clocks differ a little."""
log = logging.getLogger(__name__)
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Method: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Handler = Callable[[Any, Any], Any]


class InternalError(QuartetError):
    """Something failed that should not; the log has it under the request id."""

    code = Code.INTERNAL
    reason = "INTERNAL"


class EdgeInterceptor(grpc.aio.ServerInterceptor):
    """Wraps every handler of a server, unary and streaming, coroutine and generator."""

    def __init__(self) -> None:
        self._calls = ServerCalls()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Method | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Method | None:
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        method = handler_call_details.method.lstrip("/")
        make, inner = _form(handler)
        wrapped = self._streaming(method, inner) if handler.response_streaming else self._unary(method, inner)
        return make(wrapped, handler.request_deserializer, handler.response_serializer)

    def _unary(self, method: str, inner: Handler) -> Handler:
        async def call(request: Any, context: Context) -> Any:
            open_call = self._begin(method, context)
            try:
                reply = await inner(request, context)
            except BaseException as error:
                await _fail(open_call, context, error)
            open_call.end(_code_of(context))
            return reply

        return call

    def _streaming(self, method: str, inner: Handler) -> Handler:
        async def call(request: Any, context: Context) -> AsyncIterator[Any]:
            open_call = self._begin(method, context)
            try:
                result = inner(request, context)
                if inspect.isasyncgen(result):
                    async for reply in result:
                        yield reply
                else:  # written in read/write style: replies go out through the context
                    await result
            except GeneratorExit:
                open_call.end(Code.CANCELLED, reason=Cancelled.reason)
                raise
            except BaseException as error:
                await _fail(open_call, context, error)
            open_call.end(_code_of(context))

        return call

    def _begin(self, method: str, context: Context) -> ServerCall:
        metadata = tuple(context.invocation_metadata() or ())
        given = next((v for k, v in metadata if k == REQUEST_ID and isinstance(v, str)), None)
        context.set_trailing_metadata(((REQUEST_ID, given or uuid.uuid4().hex),))
        return self._calls.begin(method, metadata)


async def _fail(call: ServerCall, context: Context, error: BaseException) -> NoReturn:
    """Close the call with the status of `error` and end the RPC with it. Never returns."""
    if isinstance(error, grpc.aio.AbortError):
        call.end(_code_of(context))
        raise error
    if isinstance(error, asyncio.CancelledError):
        # grpc cancels the handler both when the client leaves and when its deadline passes.
        remaining = context.time_remaining()
        late = remaining is not None and remaining <= CLOCK_SLACK_S
        gone = DeadlineExceeded() if late else Cancelled()
        call.end(gone.code, reason=gone.reason)
        raise error
    known = error if isinstance(error, QuartetError) else None
    if known is None:
        log.error("call failed", exc_info=error)
        known = InternalError("internal error; the log of the service has the details")
        call.end(known.code, reason=known.reason, error=error)
    else:
        call.end(known.code, reason=known.reason)
    await context.abort(grpc_code(known.code), known.message, (*_sent(context), *trailing(known)))
    raise AssertionError("abort raises")


def _sent(context: Context) -> tuple[Any, ...]:
    return tuple(context.trailing_metadata() or ())


def grpc_code(code: Code) -> grpc.StatusCode:
    """Our code as grpc's."""
    return _CODES[int(code)]


_CODES = {status.value[0]: status for status in grpc.StatusCode}


def _code_of(context: Context) -> Code:
    code = context.code()
    if isinstance(code, grpc.StatusCode):
        return Code(code.value[0])
    return Code(code) if code else Code.OK


def _form(handler: Method) -> tuple[Callable[..., Method], Handler]:
    forms: dict[tuple[bool, bool], tuple[Callable[..., Method], Any]] = {
        (False, False): (grpc.unary_unary_rpc_method_handler, handler.unary_unary),
        (False, True): (grpc.unary_stream_rpc_method_handler, handler.unary_stream),
        (True, False): (grpc.stream_unary_rpc_method_handler, handler.stream_unary),
        (True, True): (grpc.stream_stream_rpc_method_handler, handler.stream_stream),
    }
    return forms[handler.request_streaming, handler.response_streaming]
