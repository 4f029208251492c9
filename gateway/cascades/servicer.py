"""CascadeService on gRPC."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from functools import lru_cache
from typing import Any

import grpc

from gateway.cascades.definition import Cascade
from gateway.cascades.direct import Services, run_cascade
from gateway.cascades.inputs import check_input, read_input
from gateway.cascades.library import Library
from gateway.cascades.messages import json_value
from gateway.cascades.parse import parse_cascade
from gateway.cascades.state import End, Ending, Happening, Outcome, Report
from quartet.v1 import cascade_pb2, cascade_pb2_grpc
from services.runtime.admission import Admission
from services.runtime.errors import FieldViolation, InvalidField

_KINDS: dict[Happening, Any] = {
    happening: cascade_pb2.EventKind.Value(f"EVENT_KIND_{happening}") for happening in Happening
}


class CascadeRuns:
    """Starts runs for all edges: gRPC and HTTP share the library, the services and the limit on runs at once."""

    def __init__(self, library: Callable[[], Library], services: Services, admission: Admission) -> None:
        self._library = library
        self._services = services
        self._admission = admission

    @property
    def library(self) -> Library:
        """The cascades; raises ModelLoading until they are read."""
        return self._library()

    async def run(self, cascade: Cascade, given: dict[str, Any]) -> AsyncGenerator[Report | End, None]:
        """Runs a cascade. Raises InvalidField, QueueFull or Draining before anything happens."""
        checked = check_input(cascade, given)
        with self._admission.slot():
            async with aclosing(run_cascade(cascade, checked, self._services)) as items:
                async for item in items:
                    yield item


class CascadeServicer(cascade_pb2_grpc.CascadeServiceServicer):
    """Maps messages to runs."""

    def __init__(self, runs: CascadeRuns) -> None:
        self._runs = runs

    async def Run(
        self, request: cascade_pb2.RunRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> AsyncIterator[cascade_pb2.RunResponse]:
        """Streams the events of one run; a wrong request ends it with a status before any event."""
        cascade = self._cascade(request)
        if request.input.HasField("text"):
            raise InvalidField(FieldViolation("input", "must be a JSON object", "dict_type"))
        given = read_input(request.input.json)
        began = time.monotonic()
        async with aclosing(self._runs.run(cascade, given)) as items:
            async for item in items:
                yield to_response(item, elapsed_s=time.monotonic() - began)

    def _cascade(self, request: cascade_pb2.RunRequest) -> Cascade:
        if request.WhichOneof("cascade") == "yaml":
            return _parsed(request.yaml)
        if not request.name:
            raise InvalidField(FieldViolation("cascade", "needs a name or a yaml", "missing"))
        return self._runs.library.get(request.name)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Cascade:
    """A caller that sends the same YAML with every run pays for its check once."""
    return parse_cascade(text)


def to_response(item: Report | End, *, elapsed_s: float) -> cascade_pb2.RunResponse:
    """What happened as a message; `elapsed_s` is that of the run, for its last event."""
    if isinstance(item, End):
        return _ended(item.outcome, elapsed_s)
    message = cascade_pb2.RunResponse(
        kind=_KINDS[item.happening],
        step=item.step,
        text=item.text,
        elapsed_s=item.elapsed_s,
        reason=item.reason,
        message=item.message,
    )
    if item.output is not None:
        message.output.CopyFrom(json_value(item.output))
    return message


def result(outcome: Outcome) -> dict[str, Any]:
    """The result of a run that finished or waits for a person, as JSON."""
    if outcome.ending is Ending.REVIEW:
        review = {"step": outcome.step, "reason": outcome.reason, "message": outcome.message}
        return {"status": "review", "review": review, "output": outcome.output}
    return {"status": "finished", "output": outcome.output}


def _ended(outcome: Outcome, elapsed_s: float) -> cascade_pb2.RunResponse:
    ok = outcome.ending in (Ending.FINISHED, Ending.REVIEW)
    message = cascade_pb2.RunResponse(
        kind=cascade_pb2.EVENT_KIND_RUN_FINISHED if ok else cascade_pb2.EVENT_KIND_RUN_FAILED,
        elapsed_s=elapsed_s,
        reason=outcome.reason,
        message=outcome.message if ok or not outcome.step else f"step {outcome.step}: {outcome.message}",
    )
    if ok:
        message.output.CopyFrom(json_value(result(outcome)))
    return message
