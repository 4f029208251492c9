"""`POST /v1/estimates`: records in, quantiles of an unstated number or date out.

Unknown keys are refused by name; keys that begin with `x_` are ignored.
"""

from typing import Any, Final

from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Loc, Violations, blaming, shown
from gateway.rest.values import is_number, items, known, put_number, put_string
from quartet.v1 import forecaster_pb2 as pb
from services.runtime.json_text import Json, message

_KEYS: Final = ("model", "records", "target", "queries", "quantiles", "min", "max", "step", "scale")
_SCALES: Final = {"linear": pb.ESTIMATE_SCALE_LINEAR, "log": pb.ESTIMATE_SCALE_LOG}


async def answer(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request."""
    request = to_request(body)
    # The service says `text` where the body says `records`, since the body has one key for both.
    with blaming(lambda loc: ("records", *loc[1:]) if loc[:1] == ("text",) else loc):
        response = await context.clients.estimate(request, request_id=context.request_id)
    return JsonReply(to_body(response))


def to_request(body: dict[str, Json]) -> pb.EstimateRequest:
    """The body as a message; `records` may be an array of objects or a text.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.EstimateRequest()
    known(body, _KEYS, (), wrong)
    for key in ("model", "target"):
        put_string(request, key, body.get(key), (), wrong)
    for key in ("records", "target"):
        if body.get(key) in (None, ""):
            wrong.add((key,), "is required", "missing")
    if isinstance(body.get("records"), str):
        request.text = body["records"]
    else:
        _put_objects(request.records, body.get("records"), ("records",), wrong)
    _put_objects(request.queries, body.get("queries"), ("queries",), wrong)
    for index, level in enumerate(items(body.get("quantiles"), ("quantiles",), wrong)):
        if is_number(level):
            request.quantiles.append(float(level))
        else:
            wrong.add(("quantiles", index), f"must be a number, not {shown(level)}", "float_type")
    for key in ("min", "max", "step"):
        put_number(request, key, body.get(key), (), wrong)
    _put_scale(request, body.get("scale"), wrong)
    wrong.check()
    return request


def to_body(response: pb.EstimateResponse) -> Json:
    """The estimates as JSON; a quantile's key is its level as the shortest decimal, dates are ISO 8601."""
    return {
        "model": response.model,
        "estimates": [_estimate(estimate) for estimate in response.estimates],
        "usage": {"records": response.usage.records, "columns": list(response.usage.columns)},
    }


def _put_objects(target: Any, value: Json, loc: Loc, wrong: Violations) -> None:
    for index, item in enumerate(items(value, loc, wrong)):
        if isinstance(item, dict):
            target.append(message(item))
        else:
            wrong.add((*loc, index), f"must be an object, not {shown(item)}", "dict_type")


def _put_scale(request: pb.EstimateRequest, value: Json, wrong: Violations) -> None:
    if value is None:
        return
    if isinstance(value, str) and value in _SCALES:
        request.scale = _SCALES[value]
    else:
        wrong.add(("scale",), f"must be one of {', '.join(_SCALES)}", "enum")


def _estimate(estimate: pb.Estimated) -> Json:
    body: dict[str, Json] = {"record": estimate.record} if estimate.HasField("record") else {}
    body |= {
        "mean": estimate.mean_date or estimate.mean,
        "median": estimate.median_date or estimate.median,
        "quantiles": {f"{q.level:.12g}": q.date or q.value for q in estimate.quantiles},
    }
    body |= {key: getattr(estimate, key) for key in ("p_below", "p_above") if estimate.HasField(key)}
    return body | {"notes": list(estimate.notes)}
