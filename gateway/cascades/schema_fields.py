"""Checks the fields of an extract step and the questions of a decide step, so that a wrong one is refused at upload.

The services check again; here only what can be known without a model: names, types, and keys that go together.
"""

import re
from collections.abc import Mapping
from typing import Any

from gateway.cascades.document import Plain
from gateway.cascades.reader import Problems, Reader

FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}\Z")
FIELD_TYPES = frozenset(
    {"text", "number", "date", "time", "datetime", "duration", "list", "boolean", "choice", "money", "records"}
)
ITEM_TYPES = frozenset({"text", "number", "date"})
QUESTION_TYPES = frozenset({"noul", "choice", "score"})


def read_fields(reader: Reader, key: str) -> tuple[Mapping[str, Any], ...]:
    """The fields under `key`, each with its name, in order."""
    fields = [_field(name, value, path, reader.problems) for name, value, path in reader.items(key)]
    if not fields:
        reader.problems.add(reader.at(key), "needs at least one field")
    return tuple(fields)


def _field(name: str, value: Plain, path: str, problems: Problems) -> Mapping[str, Any]:
    if not FIELD_NAME.match(name):
        problems.add(path, "a field name is a letter or _, then letters, digits, _ . -, at most 64 characters")
    reader = Reader(value, path, problems)
    field: dict[str, Any] = {"name": name, "type": reader.one_of("type", FIELD_TYPES)}
    _put(field, "instructions", reader.text("instructions"))
    _put(field, "unit", reader.text("unit"))
    _put(field, "integer", reader.flag("integer"))
    _put(field, "decimals", reader.whole("decimals", low=0, high=6))
    _put(field, "null_threshold", reader.number("null_threshold", low=0.000001, high=1))
    if field["type"] == "list":
        field["items"] = reader.one_of("items", ITEM_TYPES)
    if field["type"] == "choice":
        field["options"] = _options(reader)
    if field["type"] == "records":
        field["fields"] = list(read_fields(reader, "fields"))
    if "null_threshold" in field and field["type"] == "list":
        problems.add(reader.at("null_threshold"), "is not taken by a list")
    reader.finish()
    return field


def read_questions(reader: Reader, key: str) -> tuple[Mapping[str, Any], ...]:
    """The questions under `key`, each with its id, in order."""
    questions = [_question(name, value, path, reader.problems) for name, value, path in reader.items(key)]
    if not questions:
        reader.problems.add(reader.at(key), "needs at least one question")
    return tuple(questions)


def _question(name: str, value: Plain, path: str, problems: Problems) -> Mapping[str, Any]:
    reader = Reader(value, path, problems)
    kind = reader.one_of("type", QUESTION_TYPES)
    question: dict[str, Any] = {"id": name, "type": kind}
    _put(question, "instructions", reader.raw("instructions"))
    if kind == "noul":
        _put(question, "when_true", reader.raw("when_true"))
        _put(question, "when_false", reader.raw("when_false"))
    if kind == "choice":
        question["options"] = _options(reader)
    if kind == "score":
        levels = reader.raw("levels")
        if not isinstance(levels, list) or not 1 <= len(levels) <= 10:
            problems.add(reader.at("levels"), "needs 1 to 10 levels, lowest first")
        question["levels"] = levels if isinstance(levels, list) else []
    reader.finish()
    return question


def _options(reader: Reader) -> list[dict[str, Any]]:
    """Options as a list of names, or a mapping of name to description."""
    raw = reader.raw("options")
    if isinstance(raw, dict) and raw:
        return [{"name": name, "description": description} for name, description in raw.items()]
    if not isinstance(raw, list) or not raw or not all(isinstance(item, str) for item in raw):
        reader.problems.add(reader.at("options"), "needs a list of names or a mapping of names to descriptions")
        return []
    if len(set(map(str, raw))) != len(raw):
        reader.problems.add(reader.at("options"), "has the same name twice")
    return [{"name": str(item), "description": None} for item in raw]


def _put(target: dict[str, Any], key: str, value: Any) -> None:
    if value is not None and value != "" and value is not False:
        target[key] = value
