"""Moves single JSON values into message fields, noting the ones of a wrong type. Null means "not given"."""

from collections.abc import Collection
from typing import Any, Final, TypeGuard

from gateway.rest.errors import Loc, Violations, shown
from services.runtime.json_text import Json

_MAX_UINT32: Final = 2**32 - 1


def known(value: dict[str, Json], keys: Collection[str], loc: Loc, wrong: Violations) -> None:
    """Notes every key that is not one of `keys` and does not begin with `x_`."""
    for key in value:
        if key not in keys and not key.startswith("x_"):
            wrong.add((*loc, key), f"is not known here; known are {', '.join(keys)}", "extra_forbidden")


def is_count(value: Json) -> TypeGuard[int]:
    """A whole number that an unsigned 32-bit field holds."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_UINT32


def is_number(value: Json) -> bool:
    """A number that is a finite double."""
    if isinstance(value, int) and abs(value) >= 2**1023:
        return False
    return not isinstance(value, bool | str | list | dict | None)


def items(value: Json, loc: Loc, wrong: Violations) -> list[Json]:
    """The items of an array; none for null."""
    if isinstance(value, list):
        return value
    if value is not None:
        wrong.add(loc, f"must be an array, not {shown(value)}", "list_type")
    return []


def put_string(target: Any, key: str, value: Json, loc: Loc, wrong: Violations) -> None:
    """Sets a string field."""
    if isinstance(value, str):
        setattr(target, key, value)
    elif value is not None:
        wrong.add((*loc, key), f"must be a string, not {shown(value)}", "string_type")


def put_flag(target: Any, key: str, value: Json, loc: Loc, wrong: Violations) -> None:
    """Sets a boolean field."""
    if isinstance(value, bool):
        setattr(target, key, value)
    elif value is not None:
        wrong.add((*loc, key), f"must be true or false, not {shown(value)}", "bool_type")


def put_count(target: Any, key: str, value: Json, loc: Loc, wrong: Violations, *, span: str = "0 or more") -> None:
    """Sets an unsigned field; `span` is the range to name in the message."""
    if is_count(value):
        setattr(target, key, value)
    elif value is not None:
        wrong.add((*loc, key), f"must be a whole number, {span}", "int_type")


def put_number(target: Any, key: str, value: Json, loc: Loc, wrong: Violations) -> None:
    """Sets a double field."""
    if value is None:
        return
    if is_number(value):
        setattr(target, key, float(value))
    else:
        wrong.add((*loc, key), f"must be a number, not {shown(value)}", "float_type")
