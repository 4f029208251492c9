"""Series in text: a table with a header, dated lines among notes, JSON, or just numbers. What was read is kept."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.forecaster.cells import EMPTY, Cell, Kind, read_cell
from services.forecaster.dates import AmbiguousDates, iso_column, looks_like_date
from services.forecaster.tables import Row, TableError, read_rows, read_table
from services.runtime.json_text import Json, JsonError, load

_MOSTLY: Final = 0.6
_YEAR: Final = re.compile(r"(1[6-9]|20|21)\d\d")
_BULLET: Final = re.compile(r"^\s*(?:[-*•]\s+)?")
_AFTER_DATE: Final = re.compile(r"[\s,;|:=\-–]+")
_NUMBER: Final = re.compile(r"[+\-\u2212]?\s?[$€£¥]?\s?\d[\d,.']*%?")
_LONGEST_DATE: Final = 48
_NAME: Final = "series"


@dataclass(frozen=True, slots=True)
class Found:
    """One series; `timestamps` are ISO 8601 or empty, `lines` those the values stood on."""

    name: str
    values: tuple[float, ...]
    timestamps: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TextSeries:
    """All series of a text, and the lines that were not read."""

    series: tuple[Found, ...]
    skipped: tuple[int, ...] = ()


def read_series(text: str) -> TextSeries:
    """Find the series of a text. Raises TableError."""
    if not text.strip():
        raise TableError("is empty")
    try:
        if text.lstrip()[0] in "[{":
            return TextSeries(tuple(_json(text)))
        rows = read_rows(text)
        found = tuple(_columns(rows)) if rows else ()
        if found:
            return TextSeries(found, _skipped(text, {1 + _header(text), *(line for f in found for line in f.lines)}))
        one = _dated(text) or _bare(text)
    except AmbiguousDates as error:
        raise TableError(str(error)) from None
    if one is None:
        raise TableError("holds no series: expected a table with a header, lines with a date and a number, or numbers")
    return TextSeries((one,), _skipped(text, set(one.lines)))


def _header(text: str) -> int:
    return next(i for i, line in enumerate(text.splitlines()) if line.strip())


def _skipped(text: str, used: set[int]) -> tuple[int, ...]:
    lines = enumerate(text.splitlines(), start=1)
    return tuple(i for i, line in lines if line.strip(" \t|:+=-") and i not in used)


def _json(text: str) -> Iterator[Found]:
    try:
        value = load(text.encode())
    except JsonError:
        value = None
    if isinstance(value, dict) and len(value) > 1 and all(looks_like_date(key) for key in value):
        value = [list(item) for item in value.items()]
    if isinstance(value, list) and value and all(_is_scalar(v) for v in value):
        yield Found(_NAME, tuple(_json_number(v, i) for i, v in enumerate(value)), (), (0,) * len(value))
    elif isinstance(value, list) and value and all(isinstance(v, list) and len(v) == 2 for v in value):
        yield from _found([Row({"time": str(at), _NAME: v}) for at, v in value])
    else:
        yield from _found(read_table(text))


def _found(rows: Sequence[Row]) -> Iterator[Found]:
    found = tuple(_columns(rows))
    if not found:
        raise TableError("holds no column of numbers")
    return iter(found)


def _is_scalar(value: Json) -> bool:
    return not isinstance(value, dict | list | str | bool)


def _json_number(value: Json, index: int) -> float:
    cell = read_cell(value)
    if cell.kind not in (Kind.NUMBER, Kind.NOTHING):
        raise TableError(f"item {index} of the JSON array is not a number")
    return cell.number


def _columns(rows: Sequence[Row]) -> Iterator[Found]:
    """One series per column of numbers, dated by the first column of dates or years."""
    keys = list(dict.fromkeys(key for row in rows for key in row.cells))
    time = next((key for key in keys if _is_time([row.cells.get(key) for row in rows])), None)
    stamps: list[str | None] = [""] * len(rows)
    if time is not None:
        texts = [str(row.cells.get(time) or "") for row in rows]
        stamps = [t if _YEAR.fullmatch(t) else iso for t, iso in zip(texts, iso_column(texts), strict=True)]
    kept = [i for i, stamp in enumerate(stamps) if stamp is not None]
    for key in keys:
        cells = [_cell(rows[i].cells.get(key)) for i in kept]
        if key != time and _is_values(cells):
            yield _ordered(
                key,
                [c.number for c in cells],
                [stamps[i] or "" for i in kept] if time is not None else [],
                [rows[i].line for i in kept],
            )


def _cell(value: Any) -> Cell:
    return EMPTY if isinstance(value, dict | list) else read_cell(value)


def _is_time(values: Sequence[Any]) -> bool:
    texts = [str(v) for v in values if v is not None and str(v).strip()]
    dates = sum(looks_like_date(t) for t in texts)
    years = len(set(texts)) == len(texts) and all(_YEAR.fullmatch(t) for t in texts)
    return bool(texts) and (years or dates > _MOSTLY * len(texts))


def _is_values(cells: Sequence[Cell]) -> bool:
    """Numbers of one unit and signs for nothing; a column that holds anything else is none of values."""
    present = [c for c in cells if c.kind is not Kind.NOTHING]
    return bool(present) and all(c.kind is Kind.NUMBER for c in present) and len({c.unit for c in present}) == 1


def _ordered(name: str, values: Sequence[float], stamps: Sequence[str], lines: Sequence[int]) -> Found:
    """Newest-first histories are turned around."""
    step = -1 if len(stamps) > 1 and stamps[0] > stamps[-1] else 1
    return Found(name, tuple(values[::step]), tuple(stamps[::step]), tuple(lines[::step]))


def _dated(text: str) -> Found | None:
    """Lines that begin with a date and hold a number; the first number counts."""
    dates, values, lines = [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        split = _split_date(_BULLET.sub("", line))
        if split is None:
            continue
        date, rest = split
        match = _NUMBER.search(rest)
        cell = read_cell(match[0].rstrip(".,'")) if match else EMPTY
        nothing = not match and read_cell(rest.strip("|;, ")).kind is Kind.NOTHING
        if cell.kind is Kind.NUMBER or nothing:
            dates.append(date)
            values.append(cell.number)
            lines.append(number)
    if not any(math.isfinite(v) for v in values):
        return None
    stamps = [stamp or "" for stamp in iso_column(dates)]
    return _ordered(_NAME, values, stamps, lines)


def _split_date(line: str) -> tuple[str, str] | None:
    """The longest beginning that is a date, and the rest."""
    ends = [m.start() for m in _AFTER_DATE.finditer(line) if 4 < m.start() <= _LONGEST_DATE]
    for end in reversed([*ends, *([len(line)] if len(line) <= _LONGEST_DATE else [])]):
        if looks_like_date(line[:end].strip()):
            return line[:end].strip(), _AFTER_DATE.sub("", line[end:], count=1) if end < len(line) else ""
    return None


def _bare(text: str) -> Found | None:
    """Lines of nothing but numbers."""
    values: list[float] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        parts = [read_cell(part) for part in _parts(line)]
        if parts and all(c.kind is Kind.NUMBER or c.kind is Kind.NOTHING for c in parts):
            values += [c.number for c in parts]
            lines += [number] * len(parts)
    return Found(_NAME, tuple(values), (), tuple(lines)) if any(map(math.isfinite, values)) else None


def _parts(line: str) -> list[str]:
    """Cells of a line of numbers: a comma without a space parts them where there is no other mark."""
    line = line.strip().strip("[]()")
    spaced = [part for part in re.split(r"[;\t|]\s*|,?\s+", line) if part]
    return spaced if len(spaced) > 1 else [part for part in line.split(",") if part.strip()] if "," in line else spaced
