"""What a caller may ask for, checked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from services.extractor.values import DURATION_UNITS, rounded
from services.runtime.errors import FieldViolation, InvalidField

TYPES = ("text", "number", "date", "time", "datetime", "duration", "list", "boolean", "choice", "money", "records")
ITEM_TYPES = ("text", "number", "date")
OPERATIONS = {
    "sum": (1, None), "difference": (2, None), "product": (1, None), "ratio": (2, 2), "percent": (2, 2), "count": (1,
    None),
    "min": (1, None), "max": (1, None), "average": (1, None), "date_add": (2, 2), "date_difference": (2, 2),
}  # fmt: skip
MAX_FIELDS = 256
MAX_OPTIONS = 64
MAX_INSTRUCTIONS = 2000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_COMPUTED_TYPES = ("number", "money", "duration", "date")
_ROUNDED_TYPES = ("number", "money", "duration", "list")
_UNIT_TYPES = ("text", "number", "duration", "list", "money")
_THRESHOLD_TYPES = ("text", "number", "date", "time", "datetime", "duration", "boolean", "choice", "money")


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a choice field."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """`op` over the fields named in `of`, in order."""

    op: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One value to read. `items` is the item type of a list, `fields` are the columns of records."""

    name: str
    type: str
    instructions: str = ""
    unit: str = ""
    integer: bool = False
    decimals: int | None = None
    items: str = ""
    null_threshold: float | None = None
    options: tuple[Choice, ...] = ()
    fields: "tuple[FieldSpec, ...]" = ()
    compute: Recipe | None = None

    @property
    def threshold(self) -> float:
        """The value is null when p_null is above this."""
        return 0.5 if self.null_threshold is None else self.null_threshold

    @property
    def places(self) -> int | None:
        """Digits after the decimal point to round to."""
        return 0 if self.integer else self.decimals

    @property
    def duration_unit(self) -> str:
        """Unit of a duration answer."""
        return self.unit or "seconds"

    @property
    def sought(self) -> str:
        """Type of the values that are looked for in the text: the item type of a list."""
        return (self.items or "text") if self.type == "list" else self.type


def check(fields: Sequence[FieldSpec], *, path: str = "fields") -> None:
    """Checks a request's fields.

    Raises: InvalidField naming every wrong place, such as `fields.total.decimals`.
    """
    found = list(_violations(fields, path, nested=False))
    if found:
        raise InvalidField(*found)


def _violations(fields: Sequence[FieldSpec], path: str, *, nested: bool) -> list[FieldViolation]:
    wrong: list[FieldViolation] = []
    if not fields:
        return [FieldViolation(path, "at least one field is needed")]
    if len(fields) > MAX_FIELDS:
        return [FieldViolation(path, f"at most {MAX_FIELDS} fields are allowed, got {len(fields)}")]
    seen: set[str] = set()
    for index, field in enumerate(fields):
        if not _NAME.fullmatch(field.name):
            description = "a letter or underscore, then letters, digits, '_', '.' or '-', at most 64 characters"
            wrong.append(FieldViolation(f"{path}[{index}].name", f"{description}; got {field.name[:80]!r}"))
            continue
        if field.name in seen:
            wrong.append(FieldViolation(f"{path}.{field.name}", "the name is used twice"))
        seen.add(field.name)
        wrong += _of_field(field, f"{path}.{field.name}", nested=nested)
        wrong += _of_recipe(field, fields, f"{path}.{field.name}.compute")
    return wrong


def _of_field(field: FieldSpec, path: str, *, nested: bool) -> list[FieldViolation]:
    kind = field.type
    if kind not in TYPES:
        return [FieldViolation(f"{path}.type", f"one of {', '.join(TYPES)}")]
    wrong: list[FieldViolation] = []

    def need(holds: bool, key: str, description: str) -> None:
        if not holds:
            wrong.append(FieldViolation(f"{path}.{key}", description))

    need(not (nested and kind in ("records", "list")), "type", "a column of records has a single value")
    need(len(field.instructions) <= MAX_INSTRUCTIONS, "instructions", f"at most {MAX_INSTRUCTIONS} characters")
    need(field.items in ITEM_TYPES if kind == "list" else not field.items, "items",
         f"one of {', '.join(ITEM_TYPES)}" if kind == "list" else "allowed on lists only")  # fmt: skip
    need(field.decimals is None or 0 <= field.decimals <= 6, "decimals", "0 to 6")
    need(
        field.decimals is None or kind in _ROUNDED_TYPES,
        "decimals",
        "allowed on numbers, money, durations and lists only",
    )
    need(not field.integer or kind in _ROUNDED_TYPES, "integer", "allowed on numbers, money, durations and lists only")
    need(not (field.integer and field.decimals), "decimals", "contradicts integer")
    need(not field.unit or kind in _UNIT_TYPES, "unit", "allowed on text, numbers, money, durations and lists only")
    need(
        kind != "duration" or not field.unit or field.unit in DURATION_UNITS,
        "unit",
        f"one of {', '.join(DURATION_UNITS)}",
    )
    if field.null_threshold is not None:
        need(kind in _THRESHOLD_TYPES, "null_threshold", "lists and records take no threshold")
        need(0 < field.null_threshold <= 1, "null_threshold", "above 0 and at most 1")
    wrong += _of_options(field, path)
    if kind == "records":
        wrong += _violations(field.fields, f"{path}.fields", nested=True)
    elif field.fields:
        wrong.append(FieldViolation(f"{path}.fields", "allowed on records only"))
    return wrong


def _of_options(field: FieldSpec, path: str) -> list[FieldViolation]:
    names = [option.name for option in field.options]
    if field.type != "choice":
        return [FieldViolation(f"{path}.options", "allowed on choices only")] if names else []
    if not 2 <= len(names) <= MAX_OPTIONS:
        return [FieldViolation(f"{path}.options", f"2 to {MAX_OPTIONS} options are needed, got {len(names)}")]
    if len(set(names)) != len(names) or not all(names):
        return [FieldViolation(f"{path}.options", "option names must be non-empty and different")]
    return []


def _of_recipe(field: FieldSpec, fields: Sequence[FieldSpec], path: str) -> list[FieldViolation]:
    recipe = field.compute
    if recipe is None:
        return []
    if recipe.op not in OPERATIONS:
        return [FieldViolation(f"{path}.op", f"one of {', '.join(OPERATIONS)}")]
    if field.type not in _COMPUTED_TYPES:
        return [FieldViolation(f"{path}.op", f"only {', '.join(_COMPUTED_TYPES)} fields can be computed")]
    least, most = OPERATIONS[recipe.op]
    if len(recipe.of) < least or (most is not None and len(recipe.of) > most):
        return [
            FieldViolation(f"{path}.of", f"{recipe.op} takes {least if most == least else f'at least {least}'} fields")
        ]
    known = {other.name: other for other in fields}
    for index, name in enumerate(recipe.of):
        if name not in known or name == field.name:
            return [FieldViolation(f"{path}.of[{index}]", f"no other field is named {name[:80]!r}")]
        if known[name].compute is not None and _reaches(known[name], field.name, known, set()):
            return [FieldViolation(f"{path}.of[{index}]", "recipes must not depend on each other in a circle")]
    return []


def _reaches(start: FieldSpec, goal: str, known: dict[str, FieldSpec], seen: set[str]) -> bool:
    if start.name in seen or start.compute is None:
        return False
    seen.add(start.name)
    return any(n == goal or (n in known and _reaches(known[n], goal, known, seen)) for n in start.compute.of)


def rounding(field: FieldSpec, value: Decimal) -> Decimal:
    """The value rounded as the field asks."""
    return rounded(value, field.places)
