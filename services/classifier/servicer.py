"""`quartet.v1.ClassifierService` over the model."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TypeAlias

import grpc

from quartet.v1 import classifier_pb2 as pb
from quartet.v1 import classifier_pb2_grpc, common_pb2
from services.classifier.config import ClassifierConfig
from services.classifier.model import Classifier, Prepared
from services.classifier.values import Decision, Noul
from services.classifier.wire import answers_of, request_of
from services.runtime.batching import Answered, Batcher
from services.runtime.catalog import get_model, list_models
from services.runtime.deadline import Deadline
from services.runtime.errors import QuartetError
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry
from services.runtime.streaming import as_ready, stream_error
from services.runtime.telemetry.inference import InferenceMetrics

Models: TypeAlias = Registry[Classifier]
Context: TypeAlias = "grpc.aio.ServicerContext[pb.DecideRequest, pb.DecideResponse]"
Work = tuple[Classifier, Prepared]


class Servicer(classifier_pb2_grpc.ClassifierServiceServicer):
    """Answers calls; every error it raises is mapped to the wire by the server's interceptor."""

    def __init__(self, host: Host[ClassifierConfig, Models]) -> None:
        self._host = host
        config = host.config
        self._batcher: Batcher[Work, Decision] = Batcher(
            decide_all, host.runner, max_cost=config.batch_tokens, capacity=config.queue_capacity
        )
        self._metrics = InferenceMetrics()
        host.on_close.append(self._batcher.close)

    async def Decide(self, request: pb.DecideRequest, context: Context) -> pb.DecideResponse:
        with self._host.admission.slot():
            return await self._decide(request, Deadline.after(context.time_remaining()))

    async def DecideStream(
        self, request_iterator: AsyncIterator[pb.DecideStreamRequest], context: Context
    ) -> AsyncIterator[pb.DecideStreamResponse]:
        deadline = Deadline.after(context.time_remaining())
        with self._host.admission.slot():
            async for reply in as_ready(
                request_iterator, partial(self._reply, deadline=deadline), most=self._host.config.stream_requests
            ):
                yield reply

    async def GetModel(self, request: common_pb2.GetModelRequest, context: Context) -> common_pb2.GetModelResponse:
        return get_model(self._host.model, request)

    async def ListModels(
        self, request: common_pb2.ListModelsRequest, context: Context
    ) -> common_pb2.ListModelsResponse:
        return list_models(self._host.model, request)

    async def _reply(self, item: pb.DecideStreamRequest, *, deadline: Deadline) -> pb.DecideStreamResponse:
        try:
            response = await self._decide(item.request, deadline)
        except QuartetError as error:
            return pb.DecideStreamResponse(correlation_id=item.correlation_id, error=stream_error(error))
        return pb.DecideStreamResponse(correlation_id=item.correlation_id, response=response)

    async def _decide(self, message: pb.DecideRequest, deadline: Deadline) -> pb.DecideResponse:
        began = time.monotonic()
        model = self._host.model.get(message.model)
        # Tokenising a long state takes a while; other calls must not wait for it.
        prepared = await asyncio.to_thread(lambda: model.prepare(request_of(message), deadline=deadline))
        done = await self._batcher.submit((model, prepared), cost=prepared.tokens, deadline=deadline)
        self._record(model, done)
        return _response(message, model, done, total_s=time.monotonic() - began)

    def _record(self, model: Classifier, done: Answered[Decision]) -> None:
        tokens = done.value.input_tokens
        self._metrics.record(
            model.card.id, queue_s=done.queue_s, run_s=done.run_s, batch_size=done.batch_size, tokens=tokens
        )
        for answer in done.value.answers:
            certain = abs(2 * answer.probability - 1) if isinstance(answer, Noul) else answer.confidence
            self._metrics.confidence(model.card.id, certain)


def decide_all(work: Sequence[Work]) -> list[Decision | QuartetError]:
    """Answer requests one after another: packing pays on a CPU, batching does not. Blocking."""
    return [_outcome(model, prepared) for model, prepared in work]


def _outcome(model: Classifier, prepared: Prepared) -> Decision | QuartetError:
    try:
        return model.decide(prepared)
    except QuartetError as error:
        return error


def _response(
    message: pb.DecideRequest, model: Classifier, done: Answered[Decision], *, total_s: float
) -> pb.DecideResponse:
    tokens = done.value.input_tokens
    return pb.DecideResponse(
        model=model.card.id,
        answers=answers_of(done.value, message.questions),
        usage=pb.DecideUsage(input_tokens=tokens),
        timing=common_pb2.Timing(
            queue_s=done.queue_s, model_s=done.run_s, total_s=total_s, batch_size=done.batch_size, input_tokens=tokens
        ),
    )


def register(server: grpc.aio.Server, host: Host[ClassifierConfig, Models]) -> None:
    """Add the service to a server."""
    classifier_pb2_grpc.add_ClassifierServiceServicer_to_server(Servicer(host), server)  # type: ignore[no-untyped-call]
