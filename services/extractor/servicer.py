"""`quartet.v1.ExtractorService` over the model."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TypeAlias

import grpc

from quartet.v1 import common_pb2, extractor_pb2_grpc
from quartet.v1 import extractor_pb2 as pb
from services.extractor.config import ExtractorConfig
from services.extractor.model import Extraction, Extractor, Query
from services.extractor.wire import answers_of, query_of
from services.runtime.batching import Answered, Batcher
from services.runtime.catalog import get_model, list_models
from services.runtime.deadline import Deadline
from services.runtime.errors import QuartetError
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry
from services.runtime.streaming import as_ready, stream_error
from services.runtime.telemetry.inference import InferenceMetrics

Models: TypeAlias = Registry[Extractor]
Context: TypeAlias = "grpc.aio.ServicerContext[pb.ExtractRequest, pb.ExtractResponse]"
Work = tuple[Extractor, Query]


class Servicer(extractor_pb2_grpc.ExtractorServiceServicer):
    """Answers calls; every error it raises is mapped to the wire by the server's interceptor."""

    def __init__(self, host: Host[ExtractorConfig, Models]) -> None:
        self._host = host
        config = host.config
        self._batcher: Batcher[Work, Extraction] = Batcher(
            extract_all, host.runner, max_cost=config.batch_tokens, capacity=config.queue_capacity
        )
        self._metrics = InferenceMetrics()
        host.on_close.append(self._batcher.close)

    async def Extract(self, request: pb.ExtractRequest, context: Context) -> pb.ExtractResponse:
        with self._host.admission.slot():
            return await self._extract(request, Deadline.after(context.time_remaining()))

    async def ExtractStream(
        self, request_iterator: AsyncIterator[pb.ExtractStreamRequest], context: Context
    ) -> AsyncIterator[pb.ExtractStreamResponse]:
        deadline = Deadline.after(context.time_remaining())
        with self._host.admission.slot():
            work = partial(self._reply, deadline=deadline)
            async for reply in as_ready(request_iterator, work, most=self._host.config.stream_requests):
                yield reply

    async def GetModel(self, request: common_pb2.GetModelRequest, context: Context) -> common_pb2.GetModelResponse:
        return get_model(self._host.model, request)

    async def ListModels(
        self, request: common_pb2.ListModelsRequest, context: Context
    ) -> common_pb2.ListModelsResponse:
        return list_models(self._host.model, request)

    async def _reply(self, item: pb.ExtractStreamRequest, *, deadline: Deadline) -> pb.ExtractStreamResponse:
        try:
            response = await self._extract(item.request, deadline)
        except QuartetError as error:
            return pb.ExtractStreamResponse(correlation_id=item.correlation_id, error=stream_error(error))
        return pb.ExtractStreamResponse(correlation_id=item.correlation_id, response=response)

    async def _extract(self, message: pb.ExtractRequest, deadline: Deadline) -> pb.ExtractResponse:
        began = time.monotonic()
        model = self._host.model.get(message.model)
        query = query_of(message)
        # Counting the tokens of a long state takes a while; other calls must not wait for it.
        tokens = await asyncio.to_thread(model.check, query)
        done = await self._batcher.submit((model, query), cost=tokens, deadline=deadline)
        self._record(model, done)
        return await asyncio.to_thread(_response, message, model, query, done, began)

    def _record(self, model: Extractor, done: Answered[Extraction]) -> None:
        tokens = done.value.usage.input_tokens
        self._metrics.record(
            model.card.id, queue_s=done.queue_s, run_s=done.run_s, batch_size=done.batch_size, tokens=tokens
        )
        for answer in done.value.answers:
            self._metrics.confidence(model.card.id, answer.confidence)


def extract_all(work: Sequence[Work]) -> list[Extraction | QuartetError]:
    """Answers requests one after another: the encoder runs each text alone. Blocking."""
    return [_outcome(model, query) for model, query in work]


def _outcome(model: Extractor, query: Query) -> Extraction | QuartetError:
    try:
        return model.extract(query)
    except QuartetError as error:
        return error


def _response(
    message: pb.ExtractRequest, model: Extractor, query: Query, done: Answered[Extraction], began: float
) -> pb.ExtractResponse:
    used = done.value.usage
    return pb.ExtractResponse(
        model=model.card.id,
        answers=answers_of(done.value, query.text, message.offset_unit),
        state_text=query.text if message.return_state_text else None,
        usage=pb.ExtractUsage(
            state_tokens=used.state_tokens,
            schema_tokens=used.schema_tokens,
            input_tokens=used.input_tokens,
            passes=used.passes,
        ),
        timing=common_pb2.Timing(
            queue_s=done.queue_s,
            model_s=done.run_s,
            total_s=time.monotonic() - began,
            batch_size=done.batch_size,
            input_tokens=used.input_tokens,
        ),
    )


def register(server: grpc.aio.Server, host: Host[ExtractorConfig, Models]) -> None:
    """Add the service to a server."""
    extractor_pb2_grpc.add_ExtractorServiceServicer_to_server(Servicer(host), server)  # type: ignore[no-untyped-call]
