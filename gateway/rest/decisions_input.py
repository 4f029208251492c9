"""The `input` of OpenAI Decisions as a state: a string, or messages and tool calls in order.

One user message of nothing but text is the same state as that text alone. Parts that are not text or JSON are refused.
"""

from typing import Any, Final

from gateway.rest.errors import Loc, Violations, shown
from quartet.v1 import common_pb2
from services.runtime.json_text import Json, message

_ROLES: Final = ("user", "developer", "system", "assistant")
_TEXTS: Final = ("input_text", "output_text", "text")
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS: Final = {"function_call_output": "function_call", "custom_tool_call_output": "custom_tool_call"}


def put_input(state: common_pb2.State, body: dict[str, Json], wrong: Violations) -> None:
    """Sets the state; notes everything that is wrong with `input`."""
    value = body.get("input")
    if isinstance(value, str):
        state.text = value
    elif not isinstance(value, list):
        what = f"must be a string or an array of items, not {shown(value)}" if "input" in body else "is required"
        wrong.add(("input",), what, "type_error" if "input" in body else "missing")
    elif not value:
        wrong.add(("input",), "must not be empty", "too_short")
    else:
        _put_items(state, value, wrong)


def text_of(value: Json, loc: Loc, wrong: Violations) -> Json:
    """A string, or text and JSON parts: one part as it is, several as a list."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        wrong.add(loc, f"must be a string or an array of parts, not {shown(value)}", "type_error")
        return ""
    parts = [_part(part, (*loc, index), wrong) for index, part in enumerate(value)]
    if all(isinstance(part, str) for part in parts):
        return "\n".join(parts)
    return parts[0] if len(parts) == 1 else parts


def _put_items(state: common_pb2.State, items: list[Json], wrong: Violations) -> None:
    calls: set[tuple[str, Any]] = set()
    rows = [_item(item, ("input", index), calls, wrong) for index, item in enumerate(items)]
    only = rows[0].get("user") if len(rows) == 1 else None
    if isinstance(only, str):
        state.text = only
    else:
        state.json.CopyFrom(message(rows))


def _item(item: Json, loc: Loc, calls: set[tuple[str, Any]], wrong: Violations) -> dict[str, Json]:
    if not isinstance(item, dict):
        wrong.add(loc, f"must be an object, not {shown(item)}", "dict_type")
        return {}
    kind = item.get("type", "message")
    if kind == "message":
        return _message(item, loc, wrong)
    if kind in _CALLS:
        calls.add((kind, _call_id(item, loc, wrong)))
        return {f"call of {_string(item, 'name', loc, wrong)}": _string(item, _CALLS[kind], loc, wrong)}
    if kind in _OUTPUTS:
        if (_OUTPUTS[kind], _call_id(item, loc, wrong)) not in calls:
            wrong.add((*loc, "call_id"), "no call before it has this id", "value_error")
        return {"result": text_of(item.get("output"), (*loc, "output"), wrong)}
    wrong.add((*loc, "type"), f"must be one of {', '.join(('message', *_CALLS, *_OUTPUTS))}", "union_tag_invalid")
    return {}


def _message(item: dict[str, Json], loc: Loc, wrong: Violations) -> dict[str, Json]:
    role = item.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        wrong.add((*loc, "role"), f"must be one of {', '.join(_ROLES)}", "enum")
        return {}
    return {role: text_of(item.get("content"), (*loc, "content"), wrong)}


def _part(part: Json, loc: Loc, wrong: Violations) -> Json:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in _TEXTS:
        return _string(part, "text", loc, wrong)
    if kind == "refusal":
        return _string(part, "refusal", loc, wrong)
    if kind == "input_json":
        return _json(part, loc, wrong)
    if isinstance(kind, str):
        wrong.add(loc, f"{kind[:40]} parts are not read by this version", "not_supported")
    else:
        wrong.add(loc, "must be a part with a type", "type_error")
    return ""


def _json(part: dict[str, Json], loc: Loc, wrong: Violations) -> Json:
    value = part.get("data")
    if isinstance(value, dict | list):
        return value
    wrong.add((*loc, "data"), f"must be an object or an array, not {shown(value)}", "type_error")
    return ""


def _call_id(item: dict[str, Json], loc: Loc, wrong: Violations) -> str:
    return _string(item, "call_id", loc, wrong)


def _string(value: dict[str, Json], key: str, loc: Loc, wrong: Violations) -> str:
    found = value.get(key)
    if isinstance(found, str):
        return found
    what = f"must be a string, not {shown(found)}" if key in value else "is required"
    wrong.add((*loc, key), what, "string_type" if key in value else "missing")
    return ""
