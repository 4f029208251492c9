"""Questions and fields from short forms on the command line, or from a YAML or JSON file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gateway.cascades.document import Plain, read_yaml
from gateway.cascades.reader import Problems, Reader
from gateway.cascades.schema_fields import read_fields, read_questions
from gateway.cli.output import fail
from gateway.cli.texts import read_file


def questions(file: Path | None, ask: Sequence[str], choose: Sequence[str], rate: Sequence[str]) -> list[Any]:
    """Questions of `--questions FILE`, then of `--ask`, `--choose` and `--rate`."""
    given: dict[str, Plain] = _from_file(file)
    for text in ask:
        given[_free_id(text, given)] = {"type": "noul", "instructions": text}
    for text, kind, key in [*((t, "choice", "options") for t in choose), *((t, "score", "levels") for t in rate)]:
        head, bar, tail = text.rpartition(":")
        parts: list[Plain] = [part.strip() for part in tail.split(",") if part.strip()]
        if not bar or not parts:
            fail(f"{text!r} is not 'QUESTION: first, second, ...'", reason="USAGE", code=2)
        given[_free_id(head, given)] = {"type": kind, "instructions": head.strip(), key: parts}
    if not given:
        fail("ask something: --ask, --choose, --rate or --questions FILE", reason="USAGE", code=2)
    return _checked(given, "questions", read_questions)


def fields(file: Path | None, short: Sequence[str]) -> list[Any]:
    """Fields of `--fields FILE`, then of `--field NAME:TYPE[:INSTRUCTIONS]`."""
    given: dict[str, Plain] = _from_file(file)
    for text in short:
        name, _, rest = text.partition(":")
        kind, _, instructions = rest.partition(":")
        kind = kind.strip() or "text"
        field: dict[str, Plain] = {"type": kind}
        if kind.startswith("list"):  # list of numbers: `codes:list-number`
            field = {"type": "list", "items": kind.partition("-")[2] or "text"}
        if instructions.strip():
            field["instructions"] = instructions.strip()
        given[name.strip()] = field
    if not given:
        fail("say what to look for: --field NAME:TYPE[:INSTRUCTIONS] or --fields FILE", reason="USAGE", code=2)
    return _checked(given, "fields", read_fields)


def _from_file(file: Path | None) -> dict[str, Plain]:
    if file is None:
        return {}
    value = read_yaml(read_file(file), at=file.name)
    if not isinstance(value, dict):
        fail(f"{file} must hold a mapping of names", reason="USAGE", code=2)
    return value


def _checked(
    given: dict[str, Plain], key: str, read: Callable[[Reader, str], Sequence[Mapping[str, Any]]]
) -> list[Any]:
    problems = Problems()
    found = read(Reader({key: given}, "", problems), key)
    problems.raise_any()
    return list(found)


def _free_id(text: str, taken: Mapping[str, Plain]) -> str:
    name = text.strip()
    while name in taken:
        name += "'"
    return name
