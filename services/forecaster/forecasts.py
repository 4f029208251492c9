"""Forecast messages to queries, forecasts to messages."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quartet.v1 import common_pb2, forecaster_pb2
from services.forecaster.history import History, SeriesInput, read
from services.forecaster.levels import read_levels
from services.forecaster.limits import MAX_ANSWER, MAX_HORIZON, MAX_INPUT, MAX_SERIES
from services.forecaster.model import Forecast, Query
from services.forecaster.series_text import Found, TextSeries, read_series
from services.forecaster.tables import MAX_TEXT, TableError
from services.runtime.batching import Answered
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

Forecasts: TypeAlias = tuple[Forecast, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked request: ids of its series, its query, and what a text was read as."""

    ids: tuple[str, ...]
    query: Query
    text: TextSeries | None = None

    @property
    def observed(self) -> int:
        """Points that are read."""
        return sum(history.observed for history in self.query.histories)

    @property
    def cost(self) -> int:
        """Points that are read and predicted; earlier origins count like further series."""
        passes = 1 + 3 * (self.query.calibrate + self.query.backtest)
        return passes * (self.observed + len(self.ids) * self.query.horizon)


def parse(request: forecaster_pb2.ForecastRequest) -> Prepared:
    """Check a request. Raises InvalidField or InputTooLong, naming the field."""
    horizon, levels = _horizon(request.horizon), read_levels(request.quantiles)
    text = _text(request)
    count = len(text.series) if text else len(request.series)
    if count == 0:
        raise InvalidField(FieldViolation("series", "is empty", "too_short"))
    if count > MAX_SERIES:
        raise InputTooLong("series", limit=MAX_SERIES, actual=count, field="series")
    points = sum(len(s.values) for s in (text.series if text else request.series))
    if points > MAX_INPUT:
        raise InputTooLong("points of all series", limit=MAX_INPUT, actual=points, field="series")
    numbers = count * horizon * (len(levels) + 2)
    if numbers > MAX_ANSWER:
        raise InputTooLong("numbers in the answer", limit=MAX_ANSWER, actual=numbers, field="horizon")
    _unique_ids(request)
    if text:
        histories = tuple(_found_history(found) for found in text.series)
        ids = tuple(found.name for found in text.series)
    else:
        histories = tuple(_history(series, i) for i, series in enumerate(request.series))
        ids = tuple(series.id for series in request.series)
    for history in histories:
        if history.calendar:
            history.calendar.check(horizon)
    low, high = _bounds(request)
    query = Query(
        histories,
        horizon,
        levels,
        non_negative=request.non_negative,
        calibrate=request.calibrate,
        low=low,
        high=high,
        integer=request.integer,
        backtest=request.backtest,
    )
    return Prepared(ids, query, text)


def reply(
    model: str, prepared: Prepared, answered: Answered[Forecasts], began: float
) -> forecaster_pb2.ForecastResponse:
    """The answer as a message."""
    query = prepared.query
    message = forecaster_pb2.ForecastResponse(
        model=model,
        usage=forecaster_pb2.ForecastUsage(
            input_points=prepared.observed, output_points=len(query.histories) * query.horizon
        ),
    )
    for name, history, forecast in zip(prepared.ids, query.histories, answered.value, strict=True):
        message.forecasts.append(_series_forecast(name, history, forecast, query))
    if prepared.text:
        for found in prepared.text.series:
            message.rows.extend(_rows(found))
        message.skipped_lines.extend(prepared.text.skipped)
    message.timing.CopyFrom(
        common_pb2.Timing(
            queue_s=answered.queue_s,
            model_s=answered.run_s,
            total_s=time.monotonic() - began,
            batch_size=answered.batch_size,
            input_tokens=prepared.observed,
        )
    )
    return message


def _text(request: forecaster_pb2.ForecastRequest) -> TextSeries | None:
    if not request.text:
        return None
    if request.series:
        raise InvalidField(FieldViolation("text", "stands beside `series`; send one of them", "conflict"))
    if len(request.text) > MAX_TEXT:
        raise InputTooLong("characters of text", limit=MAX_TEXT, actual=len(request.text), field="text")
    try:
        return read_series(request.text)
    except TableError as error:
        raise InvalidField(FieldViolation("text", str(error), "no_series")) from None


def _found_history(found: Found) -> History:
    return read(SeriesInput(values=found.values, timestamps=found.timestamps), f"text.{found.name}")


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


def _bounds(request: forecaster_pb2.ForecastRequest) -> tuple[float | None, float | None]:
    low = request.min if request.HasField("min") else None
    high = request.max if request.HasField("max") else None
    for name, value in (("min", low), ("max", high)):
        if value is not None and not math.isfinite(value):
            raise InvalidField(FieldViolation(name, "must be finite", "out_of_range"))
    floor = max((b for b in (low, 0.0 if request.non_negative else None) if b is not None), default=None)
    if floor is not None and high is not None and floor >= high:
        what = "must be above `min`" if low is not None else "must be positive beside `non_negative`"
        raise InvalidField(FieldViolation("max", what, "out_of_range"))
    if (
        request.integer
        and high is not None
        and math.floor(high) < (math.ceil(floor) if floor is not None else -math.inf)
    ):
        raise InvalidField(FieldViolation("integer", "no whole number lies between `min` and `max`", "out_of_range"))
    return low, high


def _unique_ids(request: forecaster_pb2.ForecastRequest) -> None:
    seen: set[str] = set()
    for i, series in enumerate(request.series):
        if series.id and series.id in seen:
            raise InvalidField(FieldViolation(f"series[{i}].id", f"{series.id[:64]!r} is used twice", "duplicate"))
        seen.add(series.id)


def _rows(found: Found) -> Sequence[forecaster_pb2.TextRow]:
    stamps = found.timestamps or ("",) * len(found.values)
    return [
        forecaster_pb2.TextRow(series=found.name, line=line, timestamp=stamp, value=value)
        for line, stamp, value in zip(found.lines, stamps, found.values, strict=True)
    ]


def _series_forecast(name: str, history: History, forecast: Forecast, query: Query) -> forecaster_pb2.SeriesForecast:
    tracks = zip(query.levels, forecast.quantiles, strict=True)
    out = forecaster_pb2.SeriesForecast(
        id=name,
        mean=forecast.mean,
        median=forecast.median,
        quantiles=[forecaster_pb2.QuantileTrack(level=level, values=values) for level, values in tracks],
        season=forecast.season,
        timestamps=history.calendar.future(query.horizon) if history.calendar else (),
        notes=forecast.notes,
    )
    if forecast.backtest:
        made = forecast.backtest
        out.backtest.CopyFrom(
            forecaster_pb2.Backtest(
                origins=made.origins,
                points=made.points,
                absolute_error=made.absolute_error,
                naive_error=made.naive_error,
                coverage_80=made.coverage,
            )
        )
    return out
