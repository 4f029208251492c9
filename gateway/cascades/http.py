"""`POST /v1/cascades/{name}:run`: a run as one JSON answer, or as server-sent events with `Accept: text/event-stream`.

The body is `{"input": {...}}`. Event names are those of the gRPC stream in lower case, without their prefix.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from gateway.cascades.definition import Cascade
from gateway.cascades.inputs import check_input
from gateway.cascades.inputs import plain as plain_numbers
from gateway.cascades.servicer import CascadeRuns, result
from gateway.cascades.state import End, Ending, Outcome, Report
from gateway.rest import native
from gateway.rest.endpoint import JsonReply, check_key, context_of, guarded, until_disconnect
from gateway.rest.errors import Failure, Violation, invalid, segments
from gateway.rest.json_body import read_object
from services.runtime.errors import InvalidField, QuartetError

_STATUS = {
    "CASCADE_NOT_FOUND": 404,
    "EXPRESSION_FAILED": 422,
    "GATE_CLOSED": 422,
    "BUDGET_EXCEEDED": 422,
    "LLM_ANSWER_UNREADABLE": 502,
}
"""Reasons that only cascades have; the rest is in `native`."""
PING_S = 15.0


def cascade_routes(runs: CascadeRuns) -> list[Route]:
    """The routes of cascades, for `create_app`."""

    async def run(request: Request) -> Response:
        return await guarded(_run(runs, request), render)

    async def names(request: Request) -> Response:
        return await guarded(_names(runs, request), render)

    return [
        Route("/v1/cascades", names, methods=["GET"]),
        Route("/v1/cascades/{name}:run", run, methods=["POST"]),
    ]


async def _names(runs: CascadeRuns, request: Request) -> Response:
    check_key(request, context_of(request).settings)
    with _own_errors():
        found = [runs.library.get(name) for name in runs.library.names()]
    return JsonReply({"cascades": [_described(cascade) for cascade in found]})


async def _run(runs: CascadeRuns, request: Request) -> Response:
    settings = context_of(request).settings
    check_key(request, settings)
    with _own_errors():
        cascade = runs.library.get(request.path_params["name"])
        given = _input(await read_object(request, settings))
        # Before the answer begins: a stream that has begun cannot change its status any more.
        check_input(cascade, given)
        if "text/event-stream" in request.headers.get("accept", ""):
            events = _events(runs, cascade, given)
            return StreamingResponse(events, media_type="text/event-stream", headers=_NO_BUFFER)
        return await until_disconnect(request, _answer(runs, cascade, given))


@contextmanager
def _own_errors() -> Iterator[None]:
    try:
        yield
    except QuartetError as error:
        raise _failure(error) from error


def render(failure: Failure) -> Response:
    """A failure in Quartet's own shape."""
    reply = native.render(failure)
    reply.status_code = _STATUS.get(failure.reason, reply.status_code)
    return reply


_NO_BUFFER = {"cache-control": "no-store", "x-accel-buffering": "no"}


def _described(cascade: Cascade) -> dict[str, Any]:
    fields = {field.name: {"type": field.type, "required": field.required} for field in cascade.input}
    return {"name": cascade.name, "version": cascade.version, "description": cascade.description, "input": fields}


def _input(body: Mapping[str, Any]) -> dict[str, Any]:
    violations = [
        Violation((key,), 'is not known here; the body is {"input": {...}}', "extra_forbidden")
        for key in body
        if key != "input"
    ]
    if not isinstance(body.get("input", {}), dict):
        violations.append(Violation(("input",), "must be an object", "dict_type"))
    if violations:
        raise invalid(violations)
    return dict(plain_numbers(body.get("input", {})))


async def _answer(runs: CascadeRuns, cascade: Cascade, given: dict[str, Any]) -> Response:
    began = time.monotonic()
    steps: dict[str, Any] = {}
    async with aclosing(runs.run(cascade, given)) as items:
        async for item in items:
            if isinstance(item, End):
                return _ended(cascade, item.outcome, steps, time.monotonic() - began)
            if item.output is not None:
                steps[item.step] = {"elapsed_s": item.elapsed_s, "usage": item.output.get("usage")}
    raise AssertionError("a run ends with its End")


def _ended(cascade: Cascade, outcome: Outcome, steps: Mapping[str, Any], elapsed_s: float) -> Response:
    if outcome.ending in (Ending.FINISHED, Ending.REVIEW):
        body = {"cascade": cascade.name, "version": cascade.version, **result(outcome)}
        return JsonReply({**body, "elapsed_s": round(elapsed_s, 6), "steps": steps})
    metadata = {"step": outcome.step} if outcome.step else {}
    retry = 1.0 if outcome.reason in ("SERVICE_UNAVAILABLE", "MODEL_LOADING", "QUEUE_FULL", "DRAINING") else None
    raise Failure(outcome.reason, outcome.message, metadata=metadata, retry_after_s=retry)


async def _events(runs: CascadeRuns, cascade: Cascade, given: dict[str, Any]) -> AsyncIterator[str]:
    """The run as events; a comment now and then keeps idle connections open."""
    began = time.monotonic()
    number = 0
    try:
        async with aclosing(runs.run(cascade, given)) as items:
            pending = asyncio.ensure_future(anext(items))
            try:
                while True:
                    done, _ = await asyncio.wait([pending], timeout=PING_S)
                    if not done:
                        yield ": still running\n\n"
                        continue
                    item = pending.result()
                    number += 1
                    yield _event(item, number, time.monotonic() - began)
                    if isinstance(item, End):
                        return
                    pending = asyncio.ensure_future(anext(items))
            finally:
                pending.cancel()
                await asyncio.wait([pending])
    except QuartetError as error:
        yield _sse("run_failed", number + 1, _error_body(_failure(error)))


def _event(item: Report | End, number: int, elapsed_s: float) -> str:
    if isinstance(item, Report):
        facts = {"step": item.step, "output": item.output, "text": item.text, "reason": item.reason}
        body: dict[str, Any] = {key: value for key, value in (facts | {"message": item.message}).items() if value}
        if item.elapsed_s:
            body["elapsed_s"] = round(item.elapsed_s, 6)
        return _sse(item.happening.lower(), number, body)
    outcome = item.outcome
    if outcome.ending in (Ending.FINISHED, Ending.REVIEW):
        return _sse("run_finished", number, {**result(outcome), "elapsed_s": round(elapsed_s, 6)})
    failure = Failure(outcome.reason, outcome.message, metadata={"step": outcome.step} if outcome.step else {})
    return _sse("run_failed", number, _error_body(failure))


def _sse(name: str, number: int, body: Mapping[str, Any]) -> str:
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(body, ensure_ascii=False)}\n\n"


def _failure(error: QuartetError) -> Failure:
    if isinstance(error, InvalidField):
        return invalid([Violation(segments(item.path), item.description, item.kind) for item in error.fields])
    return Failure(error.reason, error.message, retry_after_s=error.retry_after_s, metadata=error.metadata)


def _error_body(failure: Failure) -> dict[str, Any]:
    return dict(json.loads(bytes(native.render(failure).body)))
