"""Between the messages of `quartet.v1` and the values of the model. Maps; decides nothing."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence

from quartet.v1 import common_pb2
from quartet.v1 import extractor_pb2 as pb
from services.extractor.answers import Answer, Computed
from services.extractor.fields import Choice, FieldSpec, Recipe
from services.extractor.model import Extraction, Query
from services.extractor.offsets import Offsets, Unit
from services.extractor.state import render
from services.runtime import json_text
from services.runtime.errors import FieldViolation, InvalidField

_TYPES = {
    pb.FIELD_TYPE_TEXT: "text", pb.FIELD_TYPE_NUMBER: "number", pb.FIELD_TYPE_DATE: "date", pb.FIELD_TYPE_TIME: "time",
    pb.FIELD_TYPE_DATETIME: "datetime", pb.FIELD_TYPE_DURATION: "duration", pb.FIELD_TYPE_LIST: "list",
    pb.FIELD_TYPE_BOOLEAN: "boolean", pb.FIELD_TYPE_CHOICE: "choice", pb.FIELD_TYPE_MONEY: "money",
        pb.FIELD_TYPE_RECORDS: "records",
}  # fmt: skip
_MESSAGE_TYPES = {name: number for number, name in _TYPES.items()}
_UNITS = {
    common_pb2.OFFSET_UNIT_UNSPECIFIED: Unit.CODE_POINT, common_pb2.OFFSET_UNIT_CODE_POINT: Unit.CODE_POINT,
    common_pb2.OFFSET_UNIT_UTF8_BYTE: Unit.UTF8_BYTE, common_pb2.OFFSET_UNIT_UTF16_UNIT: Unit.UTF16_UNIT,
}  # fmt: skip
_DEEPEST = 3


def query_of(message: pb.ExtractRequest) -> Query:
    """The query in a message; raises InvalidField for what no query can hold."""
    if message.offset_unit not in _UNITS:
        raise InvalidField(FieldViolation("offset_unit", f"unknown unit {message.offset_unit}"))
    return Query(
        text=_state(message.state),
        fields=tuple(_field(field, f"fields[{i}]", 1) for i, field in enumerate(message.fields)),
        reference_date=_date(message.reference_date) if message.HasField("reference_date") else None,
        locale=_locale(message.locale) if message.HasField("locale") else "",
        max_alternatives=message.max_alternatives,
    )


def _state(state: common_pb2.State) -> str:
    form = state.WhichOneof("value")
    if form is None:
        raise InvalidField(FieldViolation("state", "set text or json", "missing"))
    if form == "text":
        return state.text
    try:
        return render(json_text.read(state.json, "state.json"))
    except ValueError as error:
        raise InvalidField(FieldViolation("state.json", str(error))) from error


def _date(text: str) -> dt.date:
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError(text)
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise InvalidField(
            FieldViolation("reference_date", f"a calendar date as YYYY-MM-DD is needed, got {text[:40]!r}")
        ) from error


def _locale(tag: str) -> str:
    if not tag:
        raise InvalidField(FieldViolation("locale", "must not be empty when set"))
    return tag


def _field(message: pb.Field, path: str, depth: int) -> FieldSpec:
    path = f"fields.{message.name}" if message.name and depth == 1 else path
    if depth > _DEEPEST:
        raise InvalidField(FieldViolation(f"{path}.fields", "records do not nest"))
    return FieldSpec(
        name=message.name,
        type=_TYPES.get(message.type, ""),
        instructions=message.instructions,
        unit=message.unit,
        integer=message.integer,
        decimals=message.decimals if message.HasField("decimals") else None,
        items=_TYPES.get(message.items, "") if message.items else "",
        null_threshold=message.null_threshold if message.HasField("null_threshold") else None,
        options=tuple(
            Choice(o.name, _description(o.description, path) if o.HasField("description") else "")
            for o in message.options
        ),
        fields=tuple(_field(f, f"{path}.fields[{i}]", depth + 1) for i, f in enumerate(message.fields)),
        compute=Recipe(message.compute.op, tuple(message.compute.of)) if message.HasField("compute") else None,
    )


def _description(value: common_pb2.JsonValue, path: str) -> str:
    read = json_text.read(value, f"{path}.options")
    return "" if read is None else render(read)


def answers_of(extraction: Extraction, text: str, unit: common_pb2.OffsetUnit) -> Iterable[pb.FieldAnswer]:
    """Answers as messages, spans in the unit that the request asks for."""
    offsets = Offsets(text, _UNITS[unit])
    return [_answer(answer, text, offsets) for answer in extraction.answers]


def _answer(answer: Answer, text: str, offsets: Offsets) -> pb.FieldAnswer:
    return pb.FieldAnswer(
        name=answer.name,
        type=_MESSAGE_TYPES[answer.type],
        value=_json(answer.value),
        guess=_json(answer.guess),
        p_null=answer.p_null,
        confidence=answer.confidence,
        spans=[_span(span, offsets) for span in answer.spans],
        quotes=[text[start:end] for start, end in answer.spans],
        unit=answer.unit,
        reason=answer.reason,
        computed=_computed(answer.computed, offsets) if answer.computed else None,
        alternatives=[
            pb.Alternative(value=_json(a.value), span=_span(a.span, offsets), confidence=a.confidence)
            for a in answer.alternatives
        ],
        confidences=answer.confidences,
        records=[pb.Record(answers=_answers(row, text, offsets)) for row in answer.records],
    )


def _answers(row: Sequence[Answer], text: str, offsets: Offsets) -> list[pb.FieldAnswer]:
    return [_answer(answer, text, offsets) for answer in row]


def _computed(computed: Computed, offsets: Offsets) -> pb.Computation:
    operands = [
        pb.Operand(value=_json(o.value), span=_span(o.span, offsets) if o.span else None, sign=o.sign, field=o.field)
        for o in computed.operands
    ]
    return pb.Computation(op=computed.op, operands=operands, expression=computed.expression)


def _span(span: tuple[int, int], offsets: Offsets) -> common_pb2.Span:
    return common_pb2.Span(start=offsets(span[0]), end=offsets(span[1]))


def _json(text: str) -> common_pb2.JsonValue:
    return common_pb2.JsonValue(json=text.encode())
