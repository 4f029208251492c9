"""Clairic extraction: `POST /v1/extraction`, with the bare response and the extensions of this house.

Keys that neither the contract nor an extension knows are refused by name: a mistyped key that is ignored would change
answers without a word. Keys that begin with `x_` are ignored.
"""

from typing import Any, Final

from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Loc, Violations, blaming, shown
from gateway.rest.fields import NAMES, field_body, put_fields
from gateway.rest.values import known, put_count, put_flag, put_string
from quartet.v1 import common_pb2
from quartet.v1 import extractor_pb2 as pb
from services.runtime.json_text import Json

UNITS: Final = {
    "code_point": common_pb2.OFFSET_UNIT_CODE_POINT,
    "utf8_byte": common_pb2.OFFSET_UNIT_UTF8_BYTE,
    "utf16_unit": common_pb2.OFFSET_UNIT_UTF16_UNIT,
}
_KEYS: Final = ("model", "state", "fields", "images", "reference_date", "options", "locale", "offset_unit")
_OPTIONS: Final = ("include_quantiles", "return_state_text", "max_alternatives")
_PREFIX: Final = "@cf/cloudflare/"


async def answer(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request."""
    return JsonReply(await _answered(body, context))


async def answer_named(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request as gateways of the path `/v1/extractions` do, which name the kind of the object."""
    return JsonReply({"object": "extraction"} | await _answered(body, context))


async def _answered(body: dict[str, Json], context: Context) -> dict[str, Json]:
    request = to_request(body)
    with blaming(to_loc):
        response = await context.clients.extract(request, request_id=context.request_id)
    return to_body(response)


def to_request(body: dict[str, Json]) -> pb.ExtractRequest:
    """The body as a message.

    `model` may be left out: the default model answers. Limits, names and ranges are the service's to check.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.ExtractRequest()
    known(body, _KEYS, (), wrong)
    for key in ("model", "reference_date", "locale"):
        put_string(request, key, body.get(key), (), wrong)
    request.model = request.model.removeprefix(_PREFIX)
    if body.get("images"):
        wrong.add(("images",), "images are not read by this version", "not_supported")
    _put_state(request, body, wrong)
    _put_unit(request, body.get("offset_unit"), wrong)
    _put_options(request, body.get("options"), wrong)
    if "fields" in body:
        put_fields(request.fields, body["fields"], ("fields",), wrong)
    else:
        wrong.add(("fields",), "is required", "missing")
    wrong.check()
    return request


def to_loc(loc: Loc) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    match loc:
        case ("state", *_):
            return ("state",)
        case ("max_alternatives" | "return_state_text", *_):
            return ("options", *loc)
    return loc


def from_request(request: pb.ExtractRequest) -> dict[str, Json]:
    """The body that `to_request` would turn into this message."""
    body: dict[str, Json] = {"model": request.model, "state": request.state.text}
    body["fields"] = {field.name: field_body(field) for field in request.fields}
    for key in ("reference_date", "locale"):
        if request.HasField(key):
            body[key] = getattr(request, key)
    unit = {number: name for name, number in UNITS.items()}.get(request.offset_unit)
    if unit:
        body["offset_unit"] = unit
    options: dict[str, Json] = {}
    if request.max_alternatives:
        options["max_alternatives"] = request.max_alternatives
    if request.return_state_text:
        options["return_state_text"] = True
    return {**body, "options": options} if options else body


def to_body(response: pb.ExtractResponse) -> dict[str, Json]:
    """The answers as JSON: Clairic's keys by type, then the extension keys."""
    usage = response.usage
    body: dict[str, Json] = {
        "model": response.model,
        "answers": {answer.name: answer_body(answer) for answer in response.answers},
        "truncated": False,
    }
    if response.HasField("state_text"):
        body["state_text"] = response.state_text
    body["usage"] = {
        "state_tokens": usage.state_tokens,
        "image_tokens": 0,
        "schema_tokens": usage.schema_tokens,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "passes": usage.passes,
    }
    return body


def answer_body(answer: pb.FieldAnswer) -> dict[str, Json]:
    """One answer. Clairic's keys come first, exactly those that its type has."""
    kind = NAMES.get(answer.type, "text")
    spans = [[span.start, span.end] for span in answer.spans]
    body: dict[str, Json] = {"type": kind}
    if kind == "list":
        body["value"] = answer.value
        if answer.confidences:
            body["confidences"] = list(answer.confidences)
        body["confidence"] = answer.confidence
    elif kind == "records":
        body["value"] = [{cell.name: answer_body(cell) for cell in row.answers} for row in answer.records]
        body["p_null"] = answer.p_null
        body["confidence"] = answer.confidence
    else:
        body |= {"value": answer.value, "guess": answer.guess, "p_null": answer.p_null, "confidence": answer.confidence}
    if kind == "text":
        body["span"] = spans[0] if spans else None
    if kind == "duration":
        body["unit"] = answer.unit
    return body | _extensions(answer, spans, kind)


def _extensions(answer: pb.FieldAnswer, spans: list[list[int]], kind: str) -> dict[str, Json]:
    found: dict[str, Json] = {"spans": spans}
    if kind in ("list", "records"):
        found["quotes"] = list(answer.quotes)
    else:
        found["quote"] = answer.quotes[0] if answer.quotes else None
    found["reason"] = answer.reason
    found["computed"] = _computed(answer.computed) if answer.HasField("computed") else None
    if answer.alternatives:
        found["alternatives"] = [
            {"value": other.value, "span": _span(other), "confidence": other.confidence}
            for other in answer.alternatives
        ]
    return found


def _computed(computed: pb.Computation) -> Json:
    operands = []
    for operand in computed.operands:
        shown_operand: dict[str, Json] = {"value": operand.value, "span": _span(operand), "sign": operand.sign}
        if operand.field:
            shown_operand["field"] = operand.field
        operands.append(shown_operand)
    return {"op": computed.op, "operands": operands, "expression": computed.expression}


def _span(holder: Any) -> list[int] | None:
    return [holder.span.start, holder.span.end] if holder.HasField("span") else None


def _put_state(request: pb.ExtractRequest, body: dict[str, Json], wrong: Violations) -> None:
    state = body.get("state")
    if isinstance(state, str):
        request.state.text = state
    elif "state" in body:
        wrong.add(("state",), f"must be a string, not {shown(state)}", "string_type")
    else:
        wrong.add(("state",), "is required", "missing")


def _put_unit(request: pb.ExtractRequest, value: Json, wrong: Violations) -> None:
    if value is None:
        return
    if isinstance(value, str) and value in UNITS:
        request.offset_unit = UNITS[value]
    else:
        wrong.add(("offset_unit",), f"must be one of {', '.join(UNITS)}", "enum")


def _put_options(request: pb.ExtractRequest, value: Json, wrong: Violations) -> None:
    if value is None:
        return
    if not isinstance(value, dict):
        wrong.add(("options",), f"must be an object, not {shown(value)}", "dict_type")
        return
    loc = ("options",)
    known(value, _OPTIONS, loc, wrong)
    put_count(request, "max_alternatives", value.get("max_alternatives"), loc, wrong, span="0 to 10")
    put_flag(request, "return_state_text", value.get("return_state_text"), loc, wrong)
    # Only estimates and forecasts have quantiles; the key is taken so that a client may always send it.
    if not isinstance(value.get("include_quantiles", False), bool):
        wrong.add((*loc, "include_quantiles"), "must be true or false", "bool_type")
