"""A real service on the runtime, with a model that does what the request's model name says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from quartet.v1 import classifier_pb2, classifier_pb2_grpc, llm_pb2, llm_pb2_grpc
from services.runtime.batching import Batcher
from services.runtime.config import ServiceConfig, option
from services.runtime.deadline import Deadline
from services.runtime.errors import FieldViolation, InvalidField, QuartetError
from services.runtime.lifecycle import Host, ServiceSpec, main


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyConfig(ServiceConfig):
    OWNER = "CLASSIFIER"
    load_s: float = option(0.0, "seconds that loading takes")


class Toy:
    def run(self, names: Sequence[str]) -> list[str | QuartetError]:
        return [self._one(name) for name in names]

    def _one(self, name: str) -> str | QuartetError:
        if name == "bad":
            return InvalidField(FieldViolation("model", "is bad", "bad"))
        if name == "model-crash":
            raise RuntimeError("secret detail")
        if name.startswith("sleep"):
            time.sleep(float(name.removeprefix("sleep")))
        return name


class Servicer(classifier_pb2_grpc.ClassifierServiceServicer, llm_pb2_grpc.LlmServiceServicer):
    def __init__(self, host: Host[ToyConfig, Toy]) -> None:
        self._host = host
        run = lambda items: host.model.run(items)  # noqa: E731
        self._batcher: Batcher[str, str] = Batcher(run, host.runner, max_cost=100, capacity=4)
        host.on_close.append(self._batcher.close)

    async def Decide(self, request: classifier_pb2.DecideRequest, context: Any) -> classifier_pb2.DecideResponse:
        with self._host.admission.slot():
            if request.model == "crash":
                raise ZeroDivisionError("secret detail")
            assert self._host.model
            deadline = Deadline.after(context.time_remaining())
            answer = await self._batcher.submit(request.model, cost=1, deadline=deadline)
            return classifier_pb2.DecideResponse(model=answer.value)

    async def DecideStream(self, requests: Any, context: Any) -> AsyncIterator[classifier_pb2.DecideStreamResponse]:
        async for item in requests:
            if item.correlation_id == "bad":
                raise InvalidField(FieldViolation("correlation_id", "is bad"))
            yield classifier_pb2.DecideStreamResponse(correlation_id=item.correlation_id)

    async def Generate(self, request: llm_pb2.GenerateRequest, context: Any) -> None:
        # Written in read/write style on purpose: the edge must take both forms.
        await context.write(llm_pb2.GenerateResponse(text=request.model))
        if request.model == "bad":
            raise InvalidField(FieldViolation("model", "is bad"))
        if request.model == "slow":
            await asyncio.sleep(30)


def register(server: grpc.aio.Server, host: Host[ToyConfig, Toy]) -> None:
    servicer = Servicer(host)
    classifier_pb2_grpc.add_ClassifierServiceServicer_to_server(servicer, server)
    llm_pb2_grpc.add_LlmServiceServicer_to_server(servicer, server)


def load(config: ToyConfig) -> Toy:
    time.sleep(config.load_s)
    return Toy()


if __name__ == "__main__":
    main(ServiceSpec("toy", "quartet.v1.ClassifierService", ToyConfig, load, register))
