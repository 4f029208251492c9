"""Drives a run over gRPC in one process: the direct way, for Run. Nothing is kept when the process ends."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import grpc

from gateway.cascades import messages
from gateway.cascades.definition import Cascade, Kind
from gateway.cascades.engine import advance
from gateway.cascades.state import (
    Answered,
    Begin,
    Broke,
    Call,
    Command,
    End,
    Event,
    Happening,
    Report,
    State,
    Stop,
    Timer,
    TimeUp,
)
from gateway.rest.errors import from_rpc
from services.runtime.telemetry.rpc import outgoing


class Services(Protocol):
    """Asynchronous stubs of the four services."""

    @property
    def classifier(self) -> Any: ...
    @property
    def extractor(self) -> Any: ...
    @property
    def forecaster(self) -> Any: ...
    @property
    def llm(self) -> Any: ...


async def run_cascade(
    cascade: Cascade, checked_input: dict[str, Any], services: Services
) -> AsyncGenerator[Report | End, None]:
    """Runs to the end and yields what happens; the last item is the End.

    `checked_input` comes from `check_input`. Closing the iterator cancels all calls in flight.
    """
    run = _Run(cascade, State(input=checked_input), services)
    try:
        async for item in run.items():
            yield item
    finally:
        await run.close()


class _Run:
    def __init__(self, cascade: Cascade, state: State, services: Services) -> None:
        self._cascade = cascade
        self._state = state
        self._services = services
        self._inbox: asyncio.Queue[Event | Report] = asyncio.Queue()
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._timers: list[asyncio.TimerHandle] = []

    async def items(self) -> AsyncIterator[Report | End]:
        event: Event | Report = Begin()
        while True:
            if isinstance(event, Report):
                yield event
            else:
                self._state, commands = advance(self._cascade, self._state, event)
                for command in commands:
                    shown = self._carry_out(command)
                    if shown is not None:
                        yield shown
                    if isinstance(shown, End):
                        return
            event = await self._inbox.get()

    async def close(self) -> None:
        for timer in self._timers:
            timer.cancel()
        for task in self._calls.values():
            task.cancel()
        await asyncio.gather(*self._calls.values(), return_exceptions=True)

    def _carry_out(self, command: Command) -> Report | End | None:
        match command:
            case Call():
                self._calls[command.step] = asyncio.create_task(self._call(command))
            case Stop(step=step):
                self._calls[step].cancel()
            case Timer(timer=timer, seconds=seconds):
                loop = asyncio.get_running_loop()
                self._timers.append(loop.call_later(seconds, self._inbox.put_nowait, TimeUp(timer)))
            case Report() | End():
                return command
        return None

    async def _call(self, call: Call) -> None:
        if call.delay_s:
            # Many runs that lost the same service must not come back in the same instant.
            await asyncio.sleep(call.delay_s * random.uniform(0.5, 1.5))
        began = time.monotonic()
        try:
            event: Answered | Broke = Answered(call.step, call.call, await _ASK[call.kind](self, call))
        except grpc.aio.AioRpcError as error:
            event = self._broke(call, error)
        except Exception as error:  # A bug in the driver must end the run, not hang it.
            event = Broke(call.step, call.call, "INTERNAL", f"{type(error).__name__} while the step was called")
        self._inbox.put_nowait(replace(event, elapsed_s=time.monotonic() - began))

    def _broke(self, call: Call, error: grpc.aio.AioRpcError) -> Broke:
        failure = from_rpc(error)
        service = _SERVICE[call.kind]
        temporary = error.code() is grpc.StatusCode.UNAVAILABLE or failure.retry_after_s is not None
        message = f"{service}: {failure.message}"
        if failure.reason == "SERVICE_UNAVAILABLE":
            message = f"the {service} cannot be reached"
        if failure.reason == "DEADLINE_EXCEEDED":
            message = f"the {service} did not answer within {call.deadline_s:g} s"
        # Text that a reader has seen cannot be taken back, so such a call is not made again.
        return Broke(call.step, call.call, failure.reason, message, retryable=temporary and not call.shown)

    async def extract(self, call: Call) -> dict[str, Any]:
        request = messages.extract_request(call.request)
        return messages.extract_output(
            await self._services.extractor.Extract(request, timeout=call.deadline_s, metadata=outgoing())
        )

    async def decide(self, call: Call) -> dict[str, Any]:
        request = messages.decide_request(call.request)
        return messages.decide_output(
            await self._services.classifier.Decide(request, timeout=call.deadline_s, metadata=outgoing())
        )

    async def forecast(self, call: Call) -> dict[str, Any]:
        request = messages.forecast_request(call.request)
        return messages.forecast_output(
            await self._services.forecaster.Forecast(request, timeout=call.deadline_s, metadata=outgoing())
        )

    async def generate(self, call: Call) -> dict[str, Any]:
        request = messages.generate_request(call.request)
        stream = self._services.llm.Generate(request, timeout=call.deadline_s, metadata=outgoing())
        pieces: list[str] = []
        last = None
        try:
            async for last in stream:
                pieces.append(last.text)
                if call.shown and last.text:
                    self._inbox.put_nowait(Report(Happening.TEXT, call.step, text=last.text))
        finally:
            with suppress(Exception):
                stream.cancel()
        if last is None:
            raise RuntimeError("the language model sent nothing")
        return messages.generate_output("".join(pieces), last)


_ASK: dict[Kind, Callable[[_Run, Call], Awaitable[dict[str, Any]]]] = {
    Kind.EXTRACT: _Run.extract,
    Kind.DECIDE: _Run.decide,
    Kind.FORECAST: _Run.forecast,
    Kind.GENERATE: _Run.generate,
}
_SERVICE = {
    Kind.EXTRACT: "extractor",
    Kind.DECIDE: "classifier",
    Kind.FORECAST: "forecaster",
    Kind.GENERATE: "language model",
}
