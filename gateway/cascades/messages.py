"""A step's plain request as a message, and a service's message as a step's plain output.

Every output has `model`, `usage` and `timing`. Answers of extract, decide and forecast stand twice: `values` holds name
-> value for expressions, `answers` holds name -> everything that the service said.
"""

import json
from collections.abc import Mapping
from typing import Any

from quartet.v1 import classifier_pb2, common_pb2, extractor_pb2, forecaster_pb2, llm_pb2

_TYPES: dict[str, Any] = {
    value.removeprefix("FIELD_TYPE_").lower(): extractor_pb2.FieldType.Value(value)
    for value in extractor_pb2.FieldType.keys()
}
_REASONS = {llm_pb2.FINISH_REASON_STOP: "stop", llm_pb2.FINISH_REASON_LENGTH: "length"}


def json_value(value: Any) -> common_pb2.JsonValue:
    """A plain value as JSON bytes."""
    return common_pb2.JsonValue(json=json.dumps(value, ensure_ascii=False, allow_nan=False).encode())


def from_json(value: common_pb2.JsonValue) -> Any:
    """The plain value; None for the empty message."""
    return json.loads(value.json) if value.json else None


def _state(value: Any) -> common_pb2.State:
    return common_pb2.State(text=value) if isinstance(value, str) else common_pb2.State(json=json_value(value))


def extract_request(request: Mapping[str, Any]) -> extractor_pb2.ExtractRequest:
    """Request of an extract step."""
    message = extractor_pb2.ExtractRequest(
        model=request["model"],
        state=_state(request["state"]),
        fields=[_field(item) for item in request["fields"]],
    )
    if request["reference_date"]:
        message.reference_date = request["reference_date"]
    if request["locale"]:
        message.locale = request["locale"]
    return message


def _field(item: Mapping[str, Any]) -> extractor_pb2.Field:
    plain = {key: item[key] for key in ("name", "instructions", "unit", "integer", "decimals") if key in item}
    field = extractor_pb2.Field(type=_type(item["type"]), **plain)
    if "items" in item:
        field.items = _type(item["items"])
    if "null_threshold" in item:
        field.null_threshold = item["null_threshold"]
    field.options.extend(_option(option) for option in item.get("options", ()))
    field.fields.extend(_field(column) for column in item.get("fields", ()))
    return field


def _type(name: str) -> Any:
    return _TYPES[name]


def _option(option: Mapping[str, Any]) -> classifier_pb2.Option:
    message = classifier_pb2.Option(name=option["name"])
    if option.get("description") is not None:
        message.description.CopyFrom(json_value(option["description"]))
    return message


def extract_output(response: extractor_pb2.ExtractResponse) -> dict[str, Any]:
    """Output of an extract step."""
    answers = {answer.name: _field_answer(answer) for answer in response.answers}
    usage = response.usage
    return {
        "values": {name: answer["value"] for name, answer in answers.items()},
        "answers": answers,
        "model": response.model,
        "usage": {"input_tokens": usage.input_tokens or response.timing.input_tokens, "output_tokens": 0},
        "timing": _timing(response.timing),
    }


def _field_answer(answer: extractor_pb2.FieldAnswer) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "value": _answer_value(answer),
        "guess": from_json(answer.guess),
        "p_null": answer.p_null,
        "confidence": answer.confidence,
        "spans": [[span.start, span.end] for span in answer.spans],
        "quotes": list(answer.quotes),
        "reason": answer.reason,
    }
    if answer.unit:
        plain["unit"] = answer.unit
    if answer.HasField("computed"):
        plain["computed"] = {"op": answer.computed.op, "expression": answer.computed.expression}
    if answer.records:
        plain["records"] = [{cell.name: _field_answer(cell) for cell in row.answers} for row in answer.records]
    return plain


def _answer_value(answer: extractor_pb2.FieldAnswer) -> Any:
    if answer.records:
        return [{cell.name: _answer_value(cell) for cell in row.answers} for row in answer.records]
    return from_json(answer.value)


def decide_request(request: Mapping[str, Any]) -> classifier_pb2.DecideRequest:
    """Request of a decide step."""
    return classifier_pb2.DecideRequest(
        model=request["model"],
        state=_state(request["state"]),
        questions=[_question(item) for item in request["questions"]],
    )


def _question(item: Mapping[str, Any]) -> classifier_pb2.Question:
    question = classifier_pb2.Question(id=item["id"])
    if "instructions" in item:
        question.instructions.CopyFrom(json_value(item["instructions"]))
    if item["type"] == "noul":
        question.noul.SetInParent()
        for key in ("when_true", "when_false"):
            if key in item:
                getattr(question.noul, key).CopyFrom(json_value(item[key]))
    elif item["type"] == "choice":
        question.choice.options.extend(_option(option) for option in item["options"])
    else:
        question.score.levels.extend(json_value(level) for level in item["levels"])
    return question


def decide_output(response: classifier_pb2.DecideResponse) -> dict[str, Any]:
    """Output of a decide step; the value of a yes/no question is whether yes is at least as likely as no."""
    answers = {answer.id: _answer(answer) for answer in response.answers}
    return {
        "values": {name: answer["value"] for name, answer in answers.items()},
        "answers": answers,
        "model": response.model,
        "usage": {"input_tokens": response.usage.input_tokens, "output_tokens": 0},
        "timing": _timing(response.timing),
    }


def _answer(answer: classifier_pb2.Answer) -> dict[str, Any]:
    if answer.HasField("noul"):
        return {"value": answer.noul.probability >= 0.5, "probability": answer.noul.probability}
    if answer.HasField("choice"):
        probabilities = {option.name: option.probability for option in answer.choice.probabilities}
        choice = answer.choice
        return {"value": choice.choice, "confidence": choice.confidence, "probabilities": probabilities}
    score = answer.score
    return {"value": score.score, "confidence": score.confidence, "probabilities": list(score.probabilities)}


def forecast_request(request: Mapping[str, Any]) -> forecaster_pb2.ForecastRequest:
    """Request of a forecast step."""
    return forecaster_pb2.ForecastRequest(
        model=request["model"],
        series=[forecaster_pb2.Series(id=item["id"], values=item["values"]) for item in request["series"]],
        horizon=request["horizon"],
        quantiles=request["quantiles"],
        non_negative=request["non_negative"],
    )


def forecast_output(response: forecaster_pb2.ForecastResponse) -> dict[str, Any]:
    """Output of a forecast step; the value of a series is its list of medians."""
    answers = {item.id: _forecast(item) for item in response.forecasts}
    return {
        "values": {name: answer["median"] for name, answer in answers.items()},
        "answers": answers,
        "model": response.model,
        "usage": {"input_tokens": 0, "output_tokens": 0, "input_points": response.usage.input_points},
        "timing": _timing(response.timing),
    }


def _forecast(item: forecaster_pb2.SeriesForecast) -> dict[str, Any]:
    return {
        "mean": list(item.mean),
        "median": list(item.median),
        "quantiles": {f"{track.level:g}": list(track.values) for track in item.quantiles},
        "season": item.season,
        "notes": list(item.notes),
    }


def generate_request(request: Mapping[str, Any]) -> llm_pb2.GenerateRequest:
    """Request of a generate step."""
    sampling = llm_pb2.Sampling(temperature=request["temperature"])
    if request["temperature"] > 0:
        sampling.seed = request["seed"]
    return llm_pb2.GenerateRequest(
        model=request["model"],
        messages=[llm_pb2.ChatMessage(**message) for message in request["messages"]],
        max_tokens=request["max_tokens"],
        stop=request["stop"],
        sampling=sampling,
    )


def generate_output(text: str, last: llm_pb2.GenerateResponse) -> dict[str, Any]:
    """Output of a generate step from its whole text and its last message."""
    timing = last.timing
    return {
        "text": text,
        "finish_reason": _REASONS.get(last.finish_reason, "unknown"),
        "model": last.model,
        "usage": {"input_tokens": last.usage.input_tokens, "output_tokens": last.usage.output_tokens},
        "timing": {"queue_s": timing.queue_s, "model_s": timing.prefill_s + timing.decode_s, "total_s": timing.total_s},
    }


def _timing(timing: common_pb2.Timing) -> dict[str, float]:
    return {"queue_s": timing.queue_s, "model_s": timing.model_s, "total_s": timing.total_s}
