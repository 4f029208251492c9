"""The text of a request's state: plain text as it is, structured input as lines in document order."""

from typing import Any

MAX_DEPTH = 32


def render(value: Any) -> str:
    """One line per leaf, `path: value`; list items are numbered from 1.

    Raises: ValueError when containers are nested deeper than MAX_DEPTH.
    """
    if not isinstance(value, dict | list):
        return _leaf(value)
    lines: list[str] = []
    _lines(value, "", lines, 0)
    return "\n".join(lines)


def _lines(value: Any, path: str, lines: list[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"containers are nested deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        for key, inner in value.items():
            _lines(inner, f"{path}.{key}" if path else str(key), lines, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value, 1):
            _lines(inner, f"{path} {index}".strip(), lines, depth + 1)
    else:
        lines.append(f"{path}: {_leaf(value)}")


def _leaf(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
