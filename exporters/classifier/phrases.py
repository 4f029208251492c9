"""The wording of made decisions, and short ways to put one together."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exporters.classifier.data import Item, one_hot

PHRASES: dict[str, Any] = json.loads(Path(__file__).with_name("phrases.json").read_text(encoding="utf-8"))

Options = Sequence[tuple[str, str | None]]


def noul(asked: str, yes: bool) -> Item:
    """A yes/no item."""
    return Item("noul", asked, (("no", None), ("yes", None)), one_hot(2, int(yes)))


def choice(asked: str, options: Options, answer: str) -> Item:
    """A choice item, by the name of its answer."""
    return Item("choice", asked, tuple(options), one_hot(len(options), [name for name, _ in options].index(answer)))


def named(rng: random.Random, *names: str) -> list[tuple[str, str | None]]:
    """Options without descriptions, in random order."""
    return [(name, None) for name in rng.sample(names, len(names))]


def amounts(rng: random.Random, *values: float) -> list[str]:
    """Amounts of money as one person writes them."""
    form = rng.choice(("${:,.2f}", "{:.2f} EUR", "€{:.2f}", "{:,.2f} dollars", "{:,.2f} USD", "£{:.2f}"))
    return [form.format(value) for value in values]
