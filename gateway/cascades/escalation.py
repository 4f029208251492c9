"""`else: llm`: the language model answers what the small model was not sure about.

It gets the same state and the weak questions, one JSON object is asked for, and only an answer that fits the type is
taken. Such an answer is marked `"by": "llm"` and has no confidence.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gateway.cascades import definition as d

_NUMBER = re.compile(r"-?\d+(\.\d+)?\Z")


class Unreadable(ValueError):
    """The language model's answer is not what was asked for."""


def llm_request(step: d.Step, request: Mapping[str, Any]) -> dict[str, Any]:
    """A generate request that asks the questions of an extract or decide request."""
    items = request.get("fields") or request.get("questions") or []
    state = request["state"]
    text = state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)
    asked = "\n".join(f"- {_name(item)}: {_describe(item)}" for item in items)
    task = f"Answer with one JSON object with exactly these keys:\n{asked}\nUse null when the text does not say."
    return {
        "messages": [{"role": "user", "content": f"{text}\n\n{task}"}],
        "max_tokens": 64 + 24 * len(items),
        "temperature": 0.0,
        "seed": 0,
        "stop": [],
        "model": "",
        "for": step.name,
    }


def llm_answers(step: d.Step, text: str) -> dict[str, Any]:
    """The answers in a step's output form. Raises Unreadable."""
    items: Sequence[Mapping[str, Any]] = ()
    match step.body:
        case d.Extract(fields=fields):
            items = fields
        case d.Decide(questions=questions):
            items = questions
    found = _object(text)
    values = {_name(item): _typed(item, found.get(_name(item))) for item in items}
    answers = {name: {"value": value, "confidence": None, "by": "llm"} for name, value in values.items()}
    return {"values": values, "answers": answers}


def _name(item: Mapping[str, Any]) -> str:
    return str(item.get("name") or item.get("id"))


def _describe(item: Mapping[str, Any]) -> str:
    about = item.get("instructions") or _name(item)
    about = about if isinstance(about, str) else json.dumps(about, ensure_ascii=False)
    kinds = {
        "noul": "true or false",
        "boolean": "true or false",
        "number": "a number",
        "duration": "a number",
        "date": "YYYY-MM-DD",
        "money": '{"amount": "0.00", "currency": "USD"}',
        "score": f"a level from 0 to {len(item.get('levels', ())) - 1}",
    }
    if "options" in item:
        return f"{about} (one of: {', '.join(option['name'] for option in item['options'])})"
    return f"{about} ({kinds.get(item['type'], item['type'])})"


def _object(text: str) -> Mapping[str, Any]:
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1]) if start >= 0 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Unreadable("the language model did not answer with a JSON object")
    return found


def _typed(item: Mapping[str, Any], value: Any) -> Any:
    """The value when it fits the type; null stays null for a field, never for a question."""
    kind = item["type"]
    if value is None and "id" not in item:
        return None
    options = [option["name"] for option in item.get("options", ())]
    fits = {
        "noul": isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "choice": value in options,
        "score": _is_number(value) and 0 <= value < len(item.get("levels", ())),
        "number": _is_number(value),
        "duration": _is_number(value),
        "text": isinstance(value, str),
        "date": isinstance(value, str) and _is_date(value),
        "money": isinstance(value, dict) and bool(_NUMBER.match(str(value.get("amount")))),
    }
    if not fits.get(kind, False):
        raise Unreadable(f"the language model's answer to {_name(item)} is not a {kind}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
