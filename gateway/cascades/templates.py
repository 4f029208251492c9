"""Text with `${expression}` inside. `$${` stands for a literal `${`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.cascades.expressions import Expression, ExpressionError, compile_expression


@dataclass(frozen=True, slots=True)
class Template:
    """Literal pieces and expressions in order."""

    text: str
    parts: tuple[str | Expression, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The expressions inside."""
        return tuple(part for part in self.parts if isinstance(part, Expression))

    def render(self, values: Mapping[str, Any]) -> str:
        """The text for `values`. Raises ExpressionError, also when an expression gives null."""
        return "".join(part if isinstance(part, str) else _show(part, values) for part in self.parts)


def compile_template(text: str) -> Template:
    """Compiles every expression inside. Raises ExpressionError."""
    parts: list[str | Expression] = []
    rest = text
    while "${" in rest:
        head, rest = rest.split("${", 1)
        if head.endswith("$"):
            parts.append(head[:-1] + "${")
            continue
        end = _closing_brace(rest)
        parts += [head, compile_expression(rest[:end])]
        rest = rest[end + 1 :]
    parts.append(rest)
    return Template(text, tuple(part for part in parts if part != ""))


def _closing_brace(text: str) -> int:
    depth, quote = 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "}" and depth == 0:
            return index
        depth += 0 if quote else (character == "{") - (character == "}")
    raise ExpressionError("has ${ without a closing brace")


def _show(expression: Expression, values: Mapping[str, Any]) -> str:
    value = expression.evaluate(values)
    if value is None:
        raise ExpressionError(f"nothing to write for: {expression.text}")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
