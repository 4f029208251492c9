"""Checks the input of a run against what the cascade declares."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gateway.cascades.definition import Cascade, InputField
from services.runtime.errors import FieldViolation, InvalidField
from services.runtime.json_text import JsonError, load

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
}


def read_input(raw: bytes, *, at: str = "input") -> dict[str, Any]:
    """A JSON object in UTF-8; empty bytes are an empty object. Raises InvalidField."""
    try:
        value = load(raw) if raw.strip() else {}
    except JsonError as error:
        raise InvalidField(FieldViolation(at, error.message, error.kind)) from None
    if not isinstance(value, dict):
        raise InvalidField(FieldViolation(at, "must be a JSON object", "dict_type"))
    return dict(plain(value))


def check_input(cascade: Cascade, value: Mapping[str, Any], *, at: str = "input") -> dict[str, Any]:
    """The input with every declared key (null when optional and absent). Raises InvalidField with all violations.

    A cascade that declares nothing takes any object.
    """
    if not cascade.input:
        return dict(value)
    violations = []
    declared = {field.name for field in cascade.input}
    for name in value:
        if name not in declared:
            known = ", ".join(sorted(declared))
            message = f"is not declared; declared are {known}"
            violations.append(FieldViolation(f"{at}.{name}", message, "extra_forbidden"))
    for field in cascade.input:
        problem = _problem(field, value.get(field.name))
        if problem:
            violations.append(FieldViolation(f"{at}.{field.name}", *problem))
    if violations:
        raise InvalidField(*violations)
    return {field.name: value.get(field.name) for field in cascade.input}


def _problem(field: InputField, value: Any) -> tuple[str, str] | None:
    if value is None:
        return ("is missing", "missing") if field.required else None
    types = _TYPES.get(field.type)
    if types and (not isinstance(value, types) or (isinstance(value, bool) and field.type != "boolean")):
        return f"must be a {field.type}", f"{field.type}_type"
    if isinstance(value, str) and len(value) > field.max_length:
        return f"has {len(value)} characters, at most {field.max_length} are taken", "too_long"
    if isinstance(value, str) and field.required and not value.strip():
        return "is empty", "too_short"
    return None


def plain(value: Any) -> Any:
    """Expressions compute with doubles; exact arithmetic starts from strings by `decimal(x)`."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
