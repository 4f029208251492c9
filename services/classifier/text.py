"""JSON values as the plain text that the model reads: document order, keys kept, nothing dropped."""

from typing import Any

MAX_DEPTH = 64
"""Containers inside containers that `render` follows; deeper values are refused by `depth` before rendering."""


def depth(value: Any) -> int:
    """Nesting of a JSON value: 0 for a scalar, 1 for a flat list or object. Iterative, so any depth is safe."""
    deepest, stack = 0, [(value, 0)]
    while stack:
        item, level = stack.pop()
        if isinstance(item, dict | list):
            deepest = max(deepest, level + 1)
            stack.extend((child, level + 1) for child in (item.values() if isinstance(item, dict) else item))
    return deepest


def render(value: Any, *, top: bool = True) -> str:
    """Text of a JSON value: objects as `key: value` lines (`; ` inside), lists by commas, rows by lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ("\n" if top else "; ").join(f"{key}: {render(item, top=False)}" for key, item in value.items())
    if isinstance(value, list):
        rows = bool(value) and all(isinstance(item, dict | list) for item in value)
        return ("\n" if rows else ", ").join(_cell(item) for item in value)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _cell(value: Any) -> str:
    return (
        " | ".join(render(item, top=False) for item in value) if isinstance(value, list) else render(value, top=False)
    )


def option_text(name: str, description: Any = None) -> str:
    """What the model reads for one option: its name, and its description when there is one."""
    told = "" if description is None else render(description, top=False)
    return f"{name}: {told}" if name and told else name or told
