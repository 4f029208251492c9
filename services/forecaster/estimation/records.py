"""Records checked, and split into those that state the target and those that are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from services.forecaster.cells import EMPTY, Cell, Kind, read_cell
from services.forecaster.dates import AmbiguousDates, iso_column, looks_like_date
from services.forecaster.estimation.limits import MAX_KEYS, MAX_QUERIES, MAX_RECORDS
from services.forecaster.stamps import Style, read
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

Cells = Mapping[str, Cell]

_EPOCH: Final = datetime(1970, 1, 1)
_DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class Target:
    """The stated values in the order of their records. `style` is how dates are written, None for numbers."""

    values: tuple[float, ...]
    style: Style | None = None

    def write(self, value: float) -> str:
        """A date target's value as a date; empty for numbers and for moments outside the calendar."""
        if self.style is None:
            return ""
        try:
            return self.style.write(_EPOCH + timedelta(days=value))
        except OverflowError:
            return ""


@dataclass(frozen=True, slots=True)
class Table:
    """Records that state the target, their targets, and the asked records. No `cells` hold the target.

    `indices` are those of the asked records in the request, when there were no queries; `skipped` counts records that
    neither state the target nor are asked.
    """

    stated: tuple[Cells, ...]
    target: Target
    asked: tuple[Cells, ...]
    indices: tuple[int, ...] | None
    skipped: int


def split(records: Sequence[Any], queries: Sequence[Any], target: str, *, source: str = "records") -> Table:
    """Check records, which are JSON values. `source` names them in errors.

    Raises InvalidField or InputTooLong.
    """
    if not target:
        raise InvalidField(FieldViolation("target", "is required", "missing"))
    _count("records", records, MAX_RECORDS, source)
    _count("queries", queries, MAX_QUERIES, "queries")
    read_records = [_flat(record, f"{source}[{i}]") for i, record in enumerate(records)]
    stated = [i for i, cells in enumerate(read_records) if cells.get(target, EMPTY).kind is not Kind.NOTHING]
    if not stated:
        raise InvalidField(
            FieldViolation(source, f"state {target[:64]!r} nowhere; at least one record must", "no_stated_target")
        )
    if queries:
        asked, indices = [_flat(q, f"queries[{i}]") for i, q in enumerate(queries)], None
        skipped = len(records) - len(stated)
    else:
        indices = tuple(i for i in range(len(records)) if i not in set(stated))
        asked, skipped = [read_records[i] for i in indices], 0
        _count("asked records", asked, MAX_QUERIES, source)
    if not asked:
        raise InvalidField(FieldViolation("queries", f"is empty and every record states {target[:64]!r}", "missing"))
    return Table(
        stated=tuple(_without(read_records[i], target) for i in stated),
        target=_target([read_records[i][target] for i in stated], [f"{source}[{i}].{target}" for i in stated]),
        asked=tuple(_without(cells, target) for cells in asked),
        indices=indices,
        skipped=skipped,
    )


def days(text: str) -> tuple[float, Style]:
    """Days since 1970 of an ISO date, by its wall clock, and its style."""
    stamp = read(text)
    return (stamp.local - _EPOCH).total_seconds() / _DAY_S, stamp.style


def _count(what: str, items: Sequence[Any], limit: int, path: str) -> None:
    if len(items) > limit:
        raise InputTooLong(what, limit=limit, actual=len(items), field=path)


def _flat(record: Any, path: str) -> dict[str, Cell]:
    """The cells of a record by dotted key; arrays are left out, they have no place in a table."""
    if not isinstance(record, dict):
        raise InvalidField(FieldViolation(path, "must be an object", "dict_type"))
    out: dict[str, Cell] = {}
    waiting: list[tuple[str, Any]] = list(record.items())
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{key}.{inner}", v) for inner, v in value.items()]
        elif not isinstance(value, list):
            out[key] = read_cell(value)
        if len(out) > MAX_KEYS:
            raise InputTooLong("keys of a record", limit=MAX_KEYS, actual=len(out) + len(waiting), field=path)
    return out


def _without(cells: dict[str, Cell], target: str) -> Cells:
    return {key: cell for key, cell in cells.items() if key != target}


def _target(cells: list[Cell], paths: list[str]) -> Target:
    """Numbers, truths as 0 and 1, or dates; all of one kind and one unit."""
    if all(cell.kind is Kind.TEXT and looks_like_date(cell.text) for cell in cells):
        return _dates(cells, paths)
    for cell, path in zip(cells, paths, strict=True):
        if cell.kind not in (Kind.NUMBER, Kind.TRUTH):
            what = f"{cell.text[:40]!r} is neither a number nor a date; names are decided, not estimated"
            raise InvalidField(FieldViolation(path, what, "number_type"))
        if cell.unit != cells[0].unit:
            what = f"{cell.text[:40]!r} has another unit than {cells[0].text[:40]!r}; state all in one unit"
            raise InvalidField(FieldViolation(path, what, "unit_mixed"))
        if abs(cell.number) > 1e100:
            raise InvalidField(FieldViolation(path, "is beyond 1e+100", "out_of_range"))
    return Target(tuple(cell.number for cell in cells))


def _dates(cells: list[Cell], paths: list[str]) -> Target:
    try:
        texts = iso_column([cell.text for cell in cells])
    except AmbiguousDates as error:
        raise InvalidField(FieldViolation(paths[0], str(error), "date_ambiguous")) from None
    found = []
    for text, cell, path in zip(texts, cells, paths, strict=True):
        if text is None:
            raise InvalidField(FieldViolation(path, f"{cell.text[:40]!r} is not a date like the others", "date_type"))
        found.append(days(text))
    return Target(tuple(day for day, _ in found), found[0][1])
