"""The e-mails of the demo, written for it, with what is true about them."""

from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import yaml

FIELDS = ("order_number", "item", "price_paid", "repair_quote", "order_date", "delivery_date")


@dataclass(frozen=True, slots=True)
class Email:
    """An e-mail. `truth` holds what a careful reader finds in it; None for an e-mail of the user's."""

    name: str
    text: str
    received: str
    truth: dict[str, Any] | None


def shipped() -> list[Email]:
    """All shipped e-mails, in order."""
    folder = resources.files("gateway.demo") / "emails"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".yaml")), key=lambda item: item.name)
    return [_email(item.name.removesuffix(".yaml"), item.read_text(encoding="utf-8")) for item in files]


def _email(name: str, text: str) -> Email:
    parts = yaml.safe_load(text)
    return Email(name, parts["email"].strip(), parts["received"], parts["truth"])


def from_file(text: str, *, name: str, received: str) -> Email:
    """An e-mail of the user's; nothing is known about what is true in it."""
    return Email(name, text.strip(), received, None)


def again(email: Email, run: int) -> Email:
    """The letter for a run, counted from 0: the same about another order.

    A letter that comes twice word for word would be read from what the language model has kept, as no real letter is.
    One of the user's stays as it is: its order number is not known.
    """
    if email.truth is None or run == 0:
        return email
    number = str(email.truth["order_number"])
    other = number.translate({ord("0") + digit: ord("0") + (digit + run) % 10 for digit in range(10)})
    return replace(email, text=email.text.replace(number, other), truth={**email.truth, "order_number": other})
