"""Tables in text: CSV and its relatives, pasted columns, JSON, and blocks of `key: value` lines."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.runtime.json_text import Json, JsonError, load

MAX_TEXT: Final = 4_000_000
"""Characters of a text."""

_DELIMITERS: Final = ("\t", ";", "|", ",")
_RULE: Final = re.compile(r"[\s|:+=-]+")
_WIDE: Final = re.compile(r"\s{2,}|\t")
_PAIR: Final = re.compile(r"\s*(?:[-*•]\s+)?(?P<key>[^:=\n]{1,64}?)\s*[:=]\s*(?P<value>.*?)\s*")


class TableError(ValueError):
    """The text holds no table; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record and the line of the text it began on, from 1; 0 where it was JSON."""

    cells: dict[str, Any]
    line: int = 0


def read_table(text: str) -> list[Row]:
    """The records of a text. Raises TableError."""
    stripped = text.strip()
    if not stripped:
        raise TableError("is empty")
    if stripped[0] in "[{":
        return list(_json(stripped))
    if rows := read_rows(text) or _pairs(text):
        return rows
    raise TableError("holds no table: expected a header with rows (CSV, tabs, pipes), JSON, or `key: value` lines")


def read_rows(text: str) -> list[Row]:
    """The rows under a header line, whatever stands between the cells; none where there is no header."""
    lines = [(i, line) for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
    for mark in _DELIMITERS:
        if rows := _delimited(lines, mark):
            return rows
    return _pasted(lines)


def _json(text: str) -> Iterator[Row]:
    value = _load_json(text)
    if isinstance(value, dict):
        lists = [v for v in value.values() if isinstance(v, list)]
        if len(value) == 1 and lists and all(isinstance(v, dict) for v in lists[0]):
            value = lists[0]
        elif lists and len(lists) == len(value) and len({len(v) for v in lists}) == 1:
            value = [dict(zip(value, row, strict=True)) for row in zip(*lists, strict=True)]
        else:
            value = [value]
    for i, item in enumerate(value):
        if not isinstance(item, dict):
            raise TableError(f"item {i} of the JSON array is not an object")
        yield Row(item)


def _load_json(text: str) -> Json:
    try:
        return load(text.encode())
    except JsonError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
            try:
                return [load(line.encode()) for line in lines]
            except JsonError:
                pass
        raise TableError(f"is not acceptable JSON: {error.message}") from None


def _delimited(lines: Sequence[tuple[int, str]], mark: str) -> list[Row]:
    kept = [(i, line) for i, line in lines if not (mark == "|" and _RULE.fullmatch(line))]
    return _with_header([(i, _cut(line, mark)) for i, line in kept])


def _cut(line: str, mark: str) -> list[str]:
    if mark == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])]
    except csv.Error:
        return [line]


def _pasted(lines: Sequence[tuple[int, str]]) -> list[Row]:
    return _with_header([(i, _WIDE.split(line.strip())) for i, line in lines])


def _with_header(cells: list[tuple[int, list[str]]]) -> list[Row]:
    """Rows under the first line, where that line has as many cells as at least two thirds of the others."""
    if len(cells) < 2:
        return []
    header = cells[0][1]
    named = all(header) and len(set(header)) == len(header) >= 2 and not any(_is_value(name) for name in header)
    fitting = [(i, row) for i, row in cells[1:] if len(row) == len(header)]
    if not named or 3 * len(fitting) < 2 * (len(cells) - 1):
        return []
    return [Row(dict(zip(header, row, strict=True)), i) for i, row in fitting]


def _is_value(name: str) -> bool:
    """Whether a cell of the first line is no column name: a figure other than a year, or a `key: value` pair."""
    if _PAIR.fullmatch(name):
        return True
    return bool(re.fullmatch(r"[\d.,\s%$€£+-]+", name)) and not re.fullmatch(r"(19|20)\d\d", name)


def _pairs(text: str) -> list[Row]:
    """Blocks of `key: value` lines with empty lines between, or one record a line with commas or semicolons between."""
    rows: list[Row] = []
    block: dict[str, Any] = {}
    began = 0
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        parts = [p for p in re.split(r"[;,]\s+(?=[^:=,;]{1,64}[:=])", line) if p.strip()]
        pairs = [m for m in (_PAIR.fullmatch(p) for p in parts) if m]
        repeated = any(m["key"] in block for m in pairs)
        if block and (not line.strip() or repeated):
            rows.append(Row(block, began))
            block = {}
        if pairs and not block:
            began = number
        block = block | {m["key"]: m["value"] for m in pairs}
    return rows
