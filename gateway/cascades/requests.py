"""The request of a step as plain JSON: expressions evaluated, templates rendered. Drivers turn it into messages."""

import math
from collections.abc import Mapping
from typing import Any

from gateway.cascades import definition as d
from gateway.cascades.expressions import ExpressionError

Values = Mapping[str, Any]


def build_request(step: d.Step, values: Values) -> dict[str, Any]:
    """The request of a step that a service answers. Raises ExpressionError."""
    match step.body:
        case d.Extract() as body:
            return _extract(body, values)
        case d.Decide() as body:
            state = body.state.evaluate(values)
            if state is None or state == "":
                raise ExpressionError(f"nothing to decide about: {body.state.text}")
            return {"state": state, "questions": list(body.questions), "model": body.model}
        case d.Forecast() as body:
            return _forecast(body, values)
        case d.Generate() as body:
            return _generate(body, values)
    raise TypeError(f"a {step.kind} step has no request")


def _extract(body: d.Extract, values: Values) -> dict[str, Any]:
    state = body.state.evaluate(values)
    if not isinstance(state, str) or not state:
        raise ExpressionError(f"a text is needed to extract from: {body.state.text}")
    request = {"state": state, "fields": list(body.fields), "locale": body.locale, "model": body.model}
    reference = body.reference_date.evaluate(values) if body.reference_date else None
    if reference is not None and not isinstance(reference, str):
        raise ExpressionError("reference_date must be a text YYYY-MM-DD")
    return {**request, "reference_date": reference or ""}


def _forecast(body: d.Forecast, values: Values) -> dict[str, Any]:
    raw = body.series.evaluate(values)
    items = raw if isinstance(raw, list) and raw and isinstance(raw[0], Mapping) else [{"id": "series", "values": raw}]
    series = [{"id": str(item.get("id", index)), "values": _history(item)} for index, item in enumerate(items)]
    return {
        "series": series,
        "horizon": body.horizon,
        "quantiles": list(body.quantiles),
        "non_negative": body.non_negative,
        "model": body.model,
    }


def _history(item: Any) -> list[float]:
    history = item.get("values") if isinstance(item, Mapping) else None
    if not isinstance(history, list) or not history:
        raise ExpressionError("a series must be a list of numbers, null where one is missing")
    if any(isinstance(value, bool) or not isinstance(value, int | float | None) for value in history):
        raise ExpressionError("a series may hold numbers and null only")
    return [math.nan if value is None else float(value) for value in history]


def _generate(body: d.Generate, values: Values) -> dict[str, Any]:
    return {
        "messages": [{"role": item.role, "content": item.content.render(values)} for item in body.messages],
        "max_tokens": body.max_tokens,
        "temperature": body.temperature,
        "seed": body.seed,
        "stop": list(body.stop),
        "model": body.model,
    }
