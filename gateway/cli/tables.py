"""Answers as tables for people."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table

console = Console(highlight=False)


def table(*columns: str, right: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> Table:
    """A plain table; `right` names columns of numbers, `whole` those that are never broken."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in right else "left"
        made.add_column(column, justify=justify, overflow="fold", no_wrap=column in whole)
    return made


def shown(value: Any) -> str:
    """A value in one short line."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping) and "amount" in value:
        return " ".join(str(part) for part in (value["amount"], value.get("currency")) if part)
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def footer(output: Mapping[str, Any]) -> None:
    """Model, time and size of a call."""
    usage, timing = output.get("usage", {}), output.get("timing", {})
    size = usage.get("input_points") or usage.get("input_tokens", 0)
    unit = "points" if usage.get("input_points") else "tokens read"
    console.print(f"{output['model']}, {timing.get('total_s', 0) * 1000:.0f} ms, {size} {unit}", style="dim")


def decided(output: Mapping[str, Any]) -> None:
    """Answers of the classifier."""
    made = table("question", "answer", "confidence", "probabilities", right=("confidence",))
    for name, answer in output["answers"].items():
        if "probability" in answer:
            made.add_row(name, shown(answer["value"]), "", f"yes {answer['probability']:.3f}")
            continue
        odds = answer["probabilities"]
        pairs = odds.items() if isinstance(odds, Mapping) else enumerate(odds)
        listed = "  ".join(f"{option} {p:.3f}" for option, p in pairs)
        made.add_row(name, shown(answer["value"]), f"{answer['confidence']:.3f}", listed)
    console.print(made)
    footer(output)


def extracted(output: Mapping[str, Any]) -> None:
    """Answers of the extractor."""
    made = table("field", "value", "p_null", "confidence", "evidence", right=("p_null", "confidence"))
    for name, answer in output["answers"].items():
        pairs = zip(answer["spans"], answer["quotes"], strict=False)
        evidence = ", ".join(f"{quote!r} [{span[0]}, {span[1]})" for span, quote in pairs)
        made.add_row(name, shown(answer["value"]), f"{answer['p_null']:.3f}", f"{answer['confidence']:.3f}", evidence)
    console.print(made)
    footer(output)


def forecasts(output: Mapping[str, Any]) -> None:
    """Forecasts, one row a step."""
    for name, answer in output["answers"].items():
        levels = list(answer["quantiles"])
        headers = [f"q{level}" for level in levels]
        made = table(
            "step",
            "mean",
            *headers,
            right=("step", "mean", *headers),
        )
        for step, mean in enumerate(answer["mean"]):
            made.add_row(str(step + 1), shown(mean), *(shown(answer["quantiles"][level][step]) for level in levels))
        console.print(made)
        notes = f"; {', '.join(answer['notes'])}" if answer["notes"] else ""
        console.print(f"{name}: season {answer['season'] or 'none'}{notes}", style="dim")
    footer(output)
