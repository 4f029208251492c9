"""The gRPC face of the forecaster: messages to queries, forecasts to messages."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import grpc

from quartet.v1 import common_pb2, forecaster_pb2, forecaster_pb2_grpc
from services.forecaster import estimates, forecasts
from services.forecaster.config import ForecasterConfig
from services.forecaster.estimation.model import Estimates, Estimator, Question
from services.forecaster.forecasts import Forecasts
from services.forecaster.model import Forecaster, Query
from services.runtime.batching import Answered, Batcher, Run
from services.runtime.catalog import get_model, list_models
from services.runtime.deadline import Deadline
from services.runtime.errors import ModelNotFound, QuartetError
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry
from services.runtime.streaming import as_ready, stream_error
from services.runtime.telemetry.inference import InferenceMetrics

Models: TypeAlias = Registry[Forecaster | Estimator]
M = TypeVar("M", Forecaster, Estimator)
Q = TypeVar("Q")
R = TypeVar("R")
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class ForecasterServicer(forecaster_pb2_grpc.ForecasterServiceServicer):
    """Checks requests off the event loop, batches them by model, writes answers."""

    def __init__(self, host: Host[ForecasterConfig, Models]) -> None:
        self._host = host
        self._batchers: dict[str, Batcher[Query, Forecasts]] = {}
        self._estimate_batchers: dict[str, Batcher[Question, Estimates]] = {}
        self._metrics = InferenceMetrics()

    async def Forecast(
        self, request: forecaster_pb2.ForecastRequest, context: Context
    ) -> forecaster_pb2.ForecastResponse:
        """Forecast every series of a request."""
        with self._host.admission.slot():
            return await self._forecast(request, Deadline.after(context.time_remaining()))

    async def ForecastStream(
        self, request_iterator: AsyncIterator[forecaster_pb2.ForecastStreamRequest], context: Context
    ) -> AsyncIterator[forecaster_pb2.ForecastStreamResponse]:
        """Answer many requests on one stream."""
        deadline = Deadline.after(context.time_remaining())
        with self._host.admission.slot():
            work = partial(self._on_stream, deadline=deadline)
            async for reply in as_ready(request_iterator, work, most=self._host.config.stream_requests):
                yield reply

    async def Estimate(
        self, request: forecaster_pb2.EstimateRequest, context: Context
    ) -> forecaster_pb2.EstimateResponse:
        """Estimate the unstated number of some records from others."""
        began = time.monotonic()
        with self._host.admission.slot():
            deadline = Deadline.after(context.time_remaining())
            model = self._model(request.model, Estimator, default="estimate")
            prepared = await asyncio.to_thread(estimates.parse, request)
            batcher = self._estimate_batcher(model)
            answered = await batcher.submit(prepared.question, cost=prepared.cost, deadline=deadline)
            self._record(model.card.id, answered, prepared.cost)
            return await asyncio.to_thread(estimates.reply, model.card.id, prepared, answered, began)

    async def GetModel(self, request: common_pb2.GetModelRequest, context: Context) -> common_pb2.GetModelResponse:
        """Describe one model."""
        return get_model(self._host.model, request)

    async def ListModels(
        self, request: common_pb2.ListModelsRequest, context: Context
    ) -> common_pb2.ListModelsResponse:
        """List the models."""
        return list_models(self._host.model, request)

    async def _on_stream(
        self, item: forecaster_pb2.ForecastStreamRequest, *, deadline: Deadline
    ) -> forecaster_pb2.ForecastStreamResponse:
        try:
            response = await self._forecast(item.request, deadline)
        except QuartetError as error:
            return forecaster_pb2.ForecastStreamResponse(correlation_id=item.correlation_id, error=stream_error(error))
        return forecaster_pb2.ForecastStreamResponse(correlation_id=item.correlation_id, response=response)

    async def _forecast(
        self, request: forecaster_pb2.ForecastRequest, deadline: Deadline
    ) -> forecaster_pb2.ForecastResponse:
        began = time.monotonic()
        model = self._model(request.model, Forecaster, default="")
        prepared = await asyncio.to_thread(forecasts.parse, request)
        answered = await self._batcher(model).submit(prepared.query, cost=prepared.cost, deadline=deadline)
        self._record(model.card.id, answered, prepared.cost)
        return await asyncio.to_thread(forecasts.reply, model.card.id, prepared, answered, began)

    def _record(self, model: str, answered: Answered[Any], points: int) -> None:
        self._metrics.record(
            model, queue_s=answered.queue_s, run_s=answered.run_s, batch_size=answered.batch_size, tokens=points
        )

    def _model(self, name: str, kind: type[M], *, default: str) -> M:
        """The model of a name, which must be of a kind; raises ModelNotFound."""
        model = self._host.model.get(name or default)
        if not isinstance(model, kind):
            raise ModelNotFound(name)
        return model

    def _batcher(self, model: Forecaster) -> Batcher[Query, Forecasts]:
        found = self._batchers.get(model.card.id)
        if found is None:

            def run(queries: Sequence[Query]) -> Sequence[Forecasts | QuartetError]:
                return model.run(queries)

            found = self._batchers[model.card.id] = self._new_batcher(run)
        return found

    def _estimate_batcher(self, model: Estimator) -> Batcher[Question, Estimates]:
        found = self._estimate_batchers.get(model.card.id)
        if found is None:

            def run(questions: Sequence[Question]) -> Sequence[Estimates | QuartetError]:
                return model.run(questions)

            found = self._estimate_batchers[model.card.id] = self._new_batcher(run)
        return found

    def _new_batcher(self, run: Run[Q, R]) -> Batcher[Q, R]:
        config = self._host.config
        batcher = Batcher(
            run, self._host.runner, max_cost=config.batch_points, max_rows=64, capacity=config.queue_capacity
        )
        self._host.on_close.append(batcher.close)
        return batcher
