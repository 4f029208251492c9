"""The gRPC face of the forecaster: messages to queries, forecasts to messages."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import grpc

from quartet.v1 import common_pb2, forecaster_pb2, forecaster_pb2_grpc
from services.forecaster import estimates
from services.forecaster.config import ForecasterConfig
from services.forecaster.estimation.model import Estimates, Estimator, Question
from services.forecaster.history import History, SeriesInput, read
from services.forecaster.levels import read_levels
from services.forecaster.limits import MAX_ANSWER, MAX_HORIZON, MAX_INPUT, MAX_SERIES
from services.forecaster.model import Forecast, Forecaster, Query
from services.runtime.batching import Answered, Batcher, Run
from services.runtime.catalog import get_model, list_models
from services.runtime.deadline import Deadline
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField, ModelNotFound, QuartetError
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry

Forecasts: TypeAlias = tuple[Forecast, ...]
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

    async def Forecast(
        self, request: forecaster_pb2.ForecastRequest, context: Context
    ) -> forecaster_pb2.ForecastResponse:
        """Forecast every series of a request."""
        began = time.monotonic()
        with self._host.admission.slot():
            deadline = Deadline.after(context.time_remaining())
            model = self._model(request.model, Forecaster, default="")
            query = await asyncio.to_thread(parse, request)
            points = sum(h.observed for h in query.histories)
            cost = points + len(query.histories) * query.horizon
            answered = await self._batcher(model).submit(query, cost=cost, deadline=deadline)
            return await asyncio.to_thread(_reply, request, model.card.id, query, answered, began)

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
            return await asyncio.to_thread(estimates.reply, model.card.id, prepared, answered, began)

    async def GetModel(self, request: common_pb2.GetModelRequest, context: Context) -> common_pb2.GetModelResponse:
        """Describe one model."""
        return get_model(self._host.model, request)

    async def ListModels(
        self, request: common_pb2.ListModelsRequest, context: Context
    ) -> common_pb2.ListModelsResponse:
        """List the models."""
        return list_models(self._host.model, request)

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


def parse(request: forecaster_pb2.ForecastRequest) -> Query:
    """A checked query. Raises InvalidField or InputTooLong, naming the field."""
    horizon, levels = _horizon(request.horizon), read_levels(request.quantiles)
    count = len(request.series)
    if count == 0:
        raise InvalidField(FieldViolation("series", "is empty", "too_short"))
    if count > MAX_SERIES:
        raise InputTooLong("series", limit=MAX_SERIES, actual=count, field="series")
    points = sum(len(s.values) for s in request.series)
    if points > MAX_INPUT:
        raise InputTooLong("points of all series", limit=MAX_INPUT, actual=points, field="series")
    numbers = count * horizon * (len(levels) + 2)
    if numbers > MAX_ANSWER:
        raise InputTooLong("numbers in the answer", limit=MAX_ANSWER, actual=numbers, field="horizon")
    _unique_ids(request)
    histories = tuple(_history(series, i) for i, series in enumerate(request.series))
    for history in histories:
        if history.calendar:
            history.calendar.check(horizon)
    return Query(histories, horizon, levels, request.non_negative, request.calibrate)


def _history(series: forecaster_pb2.Series, index: int) -> History:
    given = SeriesInput(
        values=series.values,
        timestamps=series.timestamps,
        season=series.season if series.HasField("season") else None,
        frequency=series.frequency if series.HasField("frequency") else None,
    )
    return read(given, f"series[{index}]")


def _horizon(horizon: int) -> int:
    if horizon < 1:
        raise InvalidField(FieldViolation("horizon", "must be at least 1", "out_of_range"))
    if horizon > MAX_HORIZON:
        raise InvalidField(FieldViolation("horizon", f"must be at most {MAX_HORIZON}, is {horizon}", "out_of_range"))
    return horizon


def _unique_ids(request: forecaster_pb2.ForecastRequest) -> None:
    seen: set[str] = set()
    for i, series in enumerate(request.series):
        if series.id and series.id in seen:
            raise InvalidField(FieldViolation(f"series[{i}].id", f"{series.id[:64]!r} is used twice", "duplicate"))
        seen.add(series.id)


def _reply(
    request: forecaster_pb2.ForecastRequest, model: str, query: Query, answered: Answered[Forecasts], began: float
) -> forecaster_pb2.ForecastResponse:
    observed = sum(h.observed for h in query.histories)
    reply = forecaster_pb2.ForecastResponse(
        model=model,
        usage=forecaster_pb2.ForecastUsage(input_points=observed, output_points=len(query.histories) * query.horizon),
    )
    for series, history, forecast in zip(request.series, query.histories, answered.value, strict=True):
        reply.forecasts.append(_series_forecast(series.id, history, forecast, query))
    reply.timing.CopyFrom(
        common_pb2.Timing(
            queue_s=answered.queue_s,
            model_s=answered.run_s,
            total_s=time.monotonic() - began,
            batch_size=answered.batch_size,
            input_tokens=observed,
        )
    )
    return reply


def _series_forecast(name: str, history: History, forecast: Forecast, query: Query) -> forecaster_pb2.SeriesForecast:
    tracks = zip(query.levels, forecast.quantiles, strict=True)
    return forecaster_pb2.SeriesForecast(
        id=name,
        mean=forecast.mean,
        median=forecast.median,
        quantiles=[forecaster_pb2.QuantileTrack(level=level, values=values) for level, values in tracks],
        season=forecast.season,
        timestamps=history.calendar.future(query.horizon) if history.calendar else (),
        notes=forecast.notes,
    )
