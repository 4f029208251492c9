"""`POST /v1/forecasts`: series in, quantiles out.

Unknown keys are refused by name; keys that begin with `x_` are ignored.
"""

import math
from typing import Final

from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Loc, Violations, blaming, shown
from gateway.rest.values import is_number, items, known, put_count, put_flag, put_number, put_string
from quartet.v1 import forecaster_pb2 as pb
from services.runtime.json_text import Json

_FLAGS: Final = ("non_negative", "calibrate", "integer", "backtest")
_BOUNDS: Final = ("min", "max")
_KEYS: Final = ("model", "series", "text", "horizon", "quantiles", *_FLAGS, *_BOUNDS)
_SERIES_KEYS: Final = ("id", "values", "timestamps", "frequency", "season")
_COVARIATES: Final = ("covariates", "known_future", "past_covariates")


async def answer(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request."""
    request = to_request(body)
    with blaming(lambda loc: loc):
        response = await context.clients.forecast(request, request_id=context.request_id)
    return JsonReply(to_body(response))


def to_request(body: dict[str, Json]) -> pb.ForecastRequest:
    """The body as a message; null values become NaN, which marks a missing step.

    A series without `id` is called by its index.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.ForecastRequest()
    known(_without_covariates(body, (), wrong), _KEYS, (), wrong)
    for key in ("model", "text"):
        put_string(request, key, body.get(key), (), wrong)
    if body.get("text") is not None and "series" not in body:
        if body["text"] == "":
            wrong.add(("text",), "is empty", "missing")
    elif not isinstance(body.get("series"), list):
        wrong.add(("series",), "must be an array of series", "list_type" if "series" in body else "missing")
    else:
        for index, series in enumerate(body["series"]):
            _put_series(request.series.add(), series, index, wrong)
    if "horizon" not in body:
        wrong.add(("horizon",), "is required", "missing")
    put_count(request, "horizon", body.get("horizon"), (), wrong)
    for index, level in enumerate(items(body.get("quantiles"), ("quantiles",), wrong)):
        if is_number(level):
            request.quantiles.append(float(level))
        else:
            wrong.add(("quantiles", index), f"must be a number, not {shown(level)}", "float_type")
    for key in _FLAGS:
        put_flag(request, key, body.get(key), (), wrong)
    for key in _BOUNDS:
        put_number(request, key, body.get(key), (), wrong)
    wrong.check()
    return request


def to_body(response: pb.ForecastResponse) -> Json:
    """The forecasts as JSON; a quantile's key is its level as the shortest decimal."""
    body: dict[str, Json] = {
        "model": response.model,
        "forecasts": [_forecast(forecast) for forecast in response.forecasts],
        "usage": {
            "input_points": response.usage.input_points,
            "output_points": response.usage.output_points,
        },
    }
    if response.rows:
        body["rows"] = [_row(row) for row in response.rows]
        body["skipped_lines"] = list(response.skipped_lines)
    return body


def from_request(request: pb.ForecastRequest) -> dict[str, Json]:
    """The body that `to_request` would turn into this message."""
    body: dict[str, Json] = {
        "model": request.model,
        "series": [_series_body(series) for series in request.series],
        "horizon": request.horizon,
    }
    if request.text:
        body = {"model": request.model, "text": request.text, "horizon": request.horizon}
    if request.quantiles:
        body["quantiles"] = list(request.quantiles)
    body |= {key: getattr(request, key) for key in _BOUNDS if request.HasField(key)}
    return body | {key: True for key in _FLAGS if getattr(request, key)}


def _series_body(series: pb.Series) -> dict[str, Json]:
    body: dict[str, Json] = {"id": series.id, "values": [None if math.isnan(v) else v for v in series.values]}
    if series.timestamps:
        body["timestamps"] = list(series.timestamps)
    return body | {key: getattr(series, key) for key in ("frequency", "season") if series.HasField(key)}


def _forecast(forecast: pb.SeriesForecast) -> Json:
    body: dict[str, Json] = {
        "id": forecast.id,
        "mean": list(forecast.mean),
        "median": list(forecast.median),
        "quantiles": {f"{track.level:.12g}": list(track.values) for track in forecast.quantiles},
        "season": forecast.season,
    }
    if forecast.timestamps:
        body["timestamps"] = list(forecast.timestamps)
    body["notes"] = list(forecast.notes)
    if forecast.HasField("backtest"):
        made = forecast.backtest
        body["backtest"] = {
            "origins": made.origins,
            "points": made.points,
            "absolute_error": made.absolute_error,
            "naive_error": made.naive_error,
            "coverage_80": made.coverage_80,
        }
    return body


def _row(row: pb.TextRow) -> Json:
    """A row as it was read; the line is that of the text, absent for JSON."""
    body: dict[str, Json] = {"series": row.series, "value": None if math.isnan(row.value) else row.value}
    body |= {"line": row.line} if row.line else {}
    return body | ({"timestamp": row.timestamp} if row.timestamp else {})


def _without_covariates(value: dict[str, Json], loc: Loc, wrong: Violations) -> dict[str, Json]:
    """The other keys; covariates are refused by name, since ignoring them would change what the answer means."""
    for key in _COVARIATES:
        if value.get(key) is not None:
            what = "other series and known future values are not read by this model; leave them out"
            wrong.add((*loc, key), what, "not_supported")
    return {key: v for key, v in value.items() if key not in _COVARIATES}


def _put_series(target: pb.Series, value: Json, index: int, wrong: Violations) -> None:
    loc: Loc = ("series", index)
    if not isinstance(value, dict):
        wrong.add(loc, f"must be an object, not {shown(value)}", "dict_type")
        return
    known(_without_covariates(value, loc, wrong), _SERIES_KEYS, loc, wrong)
    target.id = str(index)
    for key in ("id", "frequency"):
        put_string(target, key, value.get(key), loc, wrong)
    put_count(target, "season", value.get("season"), loc, wrong)
    if "values" not in value:
        wrong.add((*loc, "values"), "is required", "missing")
    _put_values(target, value.get("values"), (*loc, "values"), wrong)
    for at, stamp in enumerate(items(value.get("timestamps"), (*loc, "timestamps"), wrong)):
        if isinstance(stamp, str):
            target.timestamps.append(stamp)
        else:
            wrong.add((*loc, "timestamps", at), f"must be a string, not {shown(stamp)}", "string_type")


def _put_values(target: pb.Series, values: Json, loc: Loc, wrong: Violations) -> None:
    for index, value in enumerate(items(values, loc, wrong)):
        if value is None:
            target.values.append(math.nan)
        elif is_number(value):
            target.values.append(float(value))
        else:
            wrong.add((*loc, index), f"must be a number or null, not {shown(value)}", "float_type")
