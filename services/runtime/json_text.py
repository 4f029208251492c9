"""JSON in and out without loss: key order, every digit of a number and every code point survive.

`json` alone is not enough at an edge. It keeps the last of two equal keys, reads NaN, turns `1e400` into infinity and
`130.00` into `130.0`. Here numbers with a point or exponent are `Decimal`, which prints as it was written.
"""

import json
import math
import re
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NoReturn

from quartet.v1 import common_pb2
from services.runtime.errors import FieldViolation, InvalidField

Json = Any
"""None, bool, int, Decimal or float, str, list or dict with str keys."""

MAX_DEPTH = 128
MAX_NODES = 1_000_000

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DROPPED = re.compile(r'[^\[\]{}",]+')


class JsonError(ValueError):
    """A text that is not acceptable JSON. `loc` is the path of the value that is wrong, empty for the whole text."""

    def __init__(self, message: str, *, kind: str = "json_invalid", loc: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.loc = loc


class _Repeated(dict[str, Json]):
    """An object that had the key `name` twice; found again after parsing to name its path."""

    name: str


def load(data: bytes, *, max_depth: int = MAX_DEPTH, max_nodes: int = MAX_NODES) -> Json:
    """Parses UTF-8 JSON strictly.

    Raises:
        JsonError: invalid UTF-8 or JSON, a repeated key, NaN or Infinity, a number beyond double range or of more
            digits than Python converts, half a surrogate pair, more than `max_depth` levels or `max_nodes` values.
    """
    text = _decode(data)
    _check_size(text, max_depth, max_nodes)
    repeated: list[_Repeated] = []

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(items)
        if len(value) == len(items):
            return value
        marked = _Repeated(value)
        marked.name = _first_repeated(items)
        repeated.append(marked)
        return marked

    try:
        value = json.loads(
            text, object_pairs_hook=pairs, parse_constant=_constant, parse_float=_decimal, parse_int=_integer
        )
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise JsonError(f"nested more than {max_depth} levels deep", kind="too_deep") from None
    if repeated:
        marked = repeated[0]
        raise JsonError(
            f"key {marked.name!r} stands twice in one object", kind="duplicate_key", loc=_path(value, marked)
        )
    if _SURROGATE.search(text):
        _check_surrogates(value)
    return value


def dump(value: Json) -> str:
    """Compact JSON of a value.

    Floats that are not finite become null. A `JsonValue` message is written as the bytes it holds.
    """
    out: list[str] = []
    _write(value, out.append)
    return "".join(out)


def message(value: Json) -> common_pb2.JsonValue:
    """The value as a `JsonValue`."""
    return common_pb2.JsonValue(json=dump(value).encode())


def read(value: common_pb2.JsonValue, path: str) -> Json:
    """The value inside a `JsonValue`; raises InvalidField with `path` for anything that is not acceptable JSON."""
    if value.HasField("text"):
        return value.text
    try:
        return load(value.json)
    except JsonError as error:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in error.loc)
        raise InvalidField(FieldViolation(path + where, error.message, error.kind)) from None


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError(f"not valid UTF-8 at byte {error.start}") from None


def _check_size(text: str, max_depth: int, max_nodes: int) -> None:
    # Counting is cheap and settles nearly every request; only then are strings told apart from structure.
    openers = text.count("[") + text.count("{")
    if openers <= max_depth and openers + text.count(",") <= max_nodes:
        return
    outside = "".join(_DROPPED.sub("", _ESCAPE.sub("", text)).split('"')[::2])
    if outside.count("[") + outside.count("{") + outside.count(",") > max_nodes:
        raise JsonError(f"more than {max_nodes} values", kind="too_large")
    depth = 0
    for mark in outside.replace(",", ""):
        depth += 1 if mark in "[{" else -1
        if depth > max_depth:
            raise JsonError(f"nested more than {max_depth} levels deep", kind="too_deep")


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not a JSON number")


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except ArithmeticError:
        value = Decimal("NaN")
    if value.is_nan() or math.isinf(float(text)):
        raise JsonError(f"the number {text[:40]} is out of range", kind="number_range")
    return value


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise JsonError(f"a number of {len(text)} digits is out of range", kind="number_range") from None


def _first_repeated(items: list[tuple[str, Json]]) -> str:
    seen: set[str] = set()
    for key, _ in items:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key stands twice")


def _path(value: Json, wanted: Json) -> tuple[str | int, ...]:
    stack: list[tuple[Json, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        here, loc = stack.pop()
        if here is wanted:
            return loc
        items = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        stack += [(child, (*loc, key)) for key, child in items]
    return ()


def _check_surrogates(value: Json) -> None:
    try:
        dump(value).encode()
    except UnicodeEncodeError:
        raise JsonError("half of a surrogate pair is not a character", kind="string_unicode") from None


def _write(value: Json, put: Any) -> None:
    if isinstance(value, str):
        put(encode_basestring(value))
    elif value is None:
        put("null")
    elif isinstance(value, bool):
        put("true" if value else "false")
    elif isinstance(value, float):
        put(repr(value) if math.isfinite(value) else "null")
    elif isinstance(value, int | Decimal):
        put(str(value))
    elif isinstance(value, dict):
        _write_object(value, put)
    elif isinstance(value, list | tuple):
        _write_array(value, put)
    elif isinstance(value, common_pb2.JsonValue):
        put(encode_basestring(value.text) if value.HasField("text") else value.json.decode() or "null")
    else:
        raise TypeError(f"{type(value).__name__} has no JSON form")


def _write_object(value: dict[str, Json], put: Any) -> None:
    mark = "{"
    for key, child in value.items():
        put(mark)
        put(encode_basestring(key))
        put(":")
        _write(child, put)
        mark = ","
    put("}" if value else "{}")


def _write_array(value: Any, put: Any) -> None:
    mark = "["
    for child in value:
        put(mark)
        _write(child, put)
        mark = ","
    put("]" if value else "[]")
