"""Clairic's field specifications as messages: which keys go with which type, and the extensions of this house."""

from typing import Final

from gateway.rest.errors import Loc, Violations, shown
from gateway.rest.values import known, put_count, put_flag, put_number, put_string
from quartet.v1 import classifier_pb2
from quartet.v1 import extractor_pb2 as pb
from services.runtime.json_text import Json, message

TYPES: Final = {
    "text": pb.FIELD_TYPE_TEXT,
    "number": pb.FIELD_TYPE_NUMBER,
    "date": pb.FIELD_TYPE_DATE,
    "time": pb.FIELD_TYPE_TIME,
    "datetime": pb.FIELD_TYPE_DATETIME,
    "duration": pb.FIELD_TYPE_DURATION,
    "list": pb.FIELD_TYPE_LIST,
    "boolean": pb.FIELD_TYPE_BOOLEAN,
    "choice": pb.FIELD_TYPE_CHOICE,
    "money": pb.FIELD_TYPE_MONEY,
    "records": pb.FIELD_TYPE_RECORDS,
}
NAMES: Final = {number: name for name, number in TYPES.items()}
NOT_YET: Final = ("estimate", "forecast")

_ALWAYS: Final = {"type", "instructions"}
_SINGLE: Final = {"null_threshold"}
_ROUNDED: Final = {"unit", "integer", "decimals"}
KEYS: Final = {
    "text": _ALWAYS | _SINGLE | {"unit"},
    "number": _ALWAYS | _SINGLE | _ROUNDED | {"compute"},
    "date": _ALWAYS | _SINGLE | {"compute"},
    "time": _ALWAYS | _SINGLE,
    "datetime": _ALWAYS | _SINGLE,
    "duration": _ALWAYS | _SINGLE | _ROUNDED | {"compute"},
    "list": _ALWAYS | _ROUNDED | {"items"},
    "boolean": _ALWAYS | _SINGLE,
    "choice": _ALWAYS | _SINGLE | {"options"},
    "money": _ALWAYS | _SINGLE | {"decimals", "compute"},
    "records": _ALWAYS | _SINGLE | {"fields"},
}
_STRINGS: Final = ("instructions", "unit")


def put_fields(target: Json, value: Json, loc: Loc, wrong: Violations) -> None:
    """Adds the fields of a map name -> spec to a repeated `Field`; notes everything that is wrong."""
    if not isinstance(value, dict):
        wrong.add(loc, f"must be an object of fields, not {shown(value)}", "dict_type")
        return
    for name, spec in value.items():
        _put_field(target.add(name=name), spec, (*loc, name), wrong)


def field_body(field: pb.Field) -> dict[str, Json]:
    """The spec that `put_fields` would turn into this message."""
    body: dict[str, Json] = {"type": NAMES[field.type]}
    for key in ("instructions", "unit", "decimals", "null_threshold"):
        if field.HasField(key):
            body[key] = getattr(field, key)
    if field.integer:
        body["integer"] = True
    if field.items:
        body["items"] = NAMES[field.items]
    if field.options:
        body["options"] = {option.name: option.description for option in field.options}
    if field.fields:
        body["fields"] = {column.name: field_body(column) for column in field.fields}
    if field.HasField("compute"):
        body["compute"] = {"op": field.compute.op, "of": list(field.compute.of)}
    return body


def _put_field(field: pb.Field, spec: Json, loc: Loc, wrong: Violations) -> None:
    if not isinstance(spec, dict):
        wrong.add(loc, f"must be an object, not {shown(spec)}", "dict_type")
        return
    kind = spec.get("type")
    if kind in NOT_YET:
        wrong.add((*loc, "type"), f"{kind} fields are not answered by this version", "not_supported")
    elif not isinstance(kind, str) or kind not in TYPES:
        what = "missing" if "type" not in spec else "enum"
        wrong.add((*loc, "type"), f"must be one of {', '.join(TYPES)}", what)
    else:
        field.type = TYPES[kind]
        _put_keys(field, spec, kind, loc, wrong)


def _put_keys(field: pb.Field, spec: dict[str, Json], kind: str, loc: Loc, wrong: Violations) -> None:
    for key, value in spec.items():
        at = (*loc, key)
        if key == "type":
            continue
        if key not in KEYS[kind]:
            taken = ", ".join(sorted(KEYS[kind]))
            wrong.add(at, f"is not taken by {kind} fields; they take {taken}", "extra_forbidden")
        elif key in _STRINGS:
            put_string(field, key, value, loc, wrong)
        elif key == "integer":
            put_flag(field, key, value, loc, wrong)
        elif key == "decimals":
            put_count(field, key, value, loc, wrong, span="0 to 6")
        elif key == "null_threshold":
            put_number(field, key, value, loc, wrong)
        elif key == "items":
            _put_items(field, value, at, wrong)
        elif key == "options":
            _put_options(field, value, at, wrong)
        elif key == "fields":
            put_fields(field.fields, value, at, wrong)
        else:
            _put_compute(field, value, at, wrong)
    for key in {"list": ("items",), "choice": ("options",), "records": ("fields",)}.get(kind, ()):
        if key not in spec:
            wrong.add((*loc, key), f"is required for {kind} fields", "missing")


def _put_items(field: pb.Field, value: Json, loc: Loc, wrong: Violations) -> None:
    if isinstance(value, str) and value in TYPES:
        field.items = TYPES[value]
    else:
        wrong.add(loc, "must be one of text, number, date", "enum")


def _put_options(field: pb.Field, value: Json, loc: Loc, wrong: Violations) -> None:
    if isinstance(value, list):
        for index, name in enumerate(value):
            if isinstance(name, str):
                field.options.append(classifier_pb2.Option(name=name))
            else:
                wrong.add((*loc, index), f"must be a string, not {shown(name)}", "string_type")
    elif isinstance(value, dict):
        for name, text in value.items():
            if text is None or isinstance(text, str | list | dict):
                field.options.append(classifier_pb2.Option(name=name, description=message(text)))
            else:
                wrong.add((*loc, name), f"must be a description or null, not {shown(text)}", "type_error")
    else:
        wrong.add(loc, "must be an array of names or an object name -> description", "type_error")


def _put_compute(field: pb.Field, value: Json, loc: Loc, wrong: Violations) -> None:
    if not isinstance(value, dict):
        wrong.add(loc, 'must be an object {"op", "of"}', "dict_type")
        return
    known(value, ("op", "of"), loc, wrong)
    if not isinstance(value.get("op"), str):
        wrong.add((*loc, "op"), "must be the name of an operation", "string_type")
        return
    names = value.get("of", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.add((*loc, "of"), "must be an array of field names", "list_type")
        return
    field.compute.op = value["op"]
    field.compute.of.extend(names)
