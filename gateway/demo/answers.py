"""What each side answered, what it took, and whether it is right."""

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from gateway.cascades.grounding import missing, unsupported
from gateway.demo.emails import FIELDS

MONEY = frozenset({"price_paid", "repair_quote"})
SHARE = Decimal("0.60")
TO_A_PERSON = "goes to a person"


@dataclass(frozen=True, slots=True)
class StepTaken:
    """One step: who did it, its wall time in seconds, and tokens read and written."""

    name: str
    by: str
    seconds: float
    tokens_in: int = 0
    tokens_out: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """Everything that one way of doing the task gave. `values` are FIELDS and `action`; absent ones are None."""

    steps: tuple[StepTaken, ...]
    values: dict[str, Any]
    reply: str
    seconds: float
    fallback: bool = False
    rejected: tuple[dict[str, Any], ...] = ()
    stopped: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer beside the truth; `right` is None when the truth is not known."""

    name: str
    truth: str
    answer: str
    right: bool | None


def judge(side: Side, truth: dict[str, Any] | None) -> list[Verdict]:
    """All answers of a side: the fields, the decision, and the reply.

    What was left to a person is neither right nor wrong.
    """
    found = []
    left = side.stopped.startswith(TO_A_PERSON)
    for name in (*FIELDS, "action"):
        true = None if truth is None else truth[name]
        answer = side.values.get(name)
        if left and name == "action":
            found.append(Verdict(name, _shown(true), TO_A_PERSON, None))
            continue
        right = None if truth is None else _same(name, answer, true)
        found.append(Verdict(name, _shown(true), _shown(answer), right))
    if left:
        return [*found, Verdict("reply", "", TO_A_PERSON, None)]
    problems = reply_problems(side.reply, truth)
    answer = "; ".join(problems) if problems else ("true and complete" if truth is not None else "not checked")
    if side.fallback:
        answer = f"template sentence; {answer}"
    found.append(Verdict("reply", "", answer, None if truth is None else not problems))
    return found


def reply_problems(reply: str, truth: dict[str, Any] | None) -> list[str]:
    """What is wrong with a reply, by the truth and not by what the side itself believed."""
    if truth is None:
        return []
    if not reply:
        return ["no reply"]
    limit = (Decimal(str(truth["price_paid"])) * SHARE).quantize(Decimal("0.01"))
    found = [f"says {item}" for item in unsupported(reply, {**truth, "limit": str(limit)})]
    found += [f"does not name {item}" for item in missing(reply, [truth["order_number"], truth["item"]])]
    promised = {word for word in ("repair", "replace") if re.search(rf"\b(will|can|shall|would) {word}\b", reply, re.I)}
    if promised != {truth["action"]}:
        found.append(
            f"does not promise to {truth['action']}"
            if not promised
            else f"promises to {' and '.join(sorted(promised))}"
        )
    return found


def amount(value: Any) -> Decimal | None:
    """`{"amount": "96.00"}`, `96`, `"96.00 EUR"` or `"$1,200.00"` as a number."""
    if isinstance(value, dict):
        value = value.get("amount")
    if value is None or isinstance(value, bool):
        return None
    match = re.search(r"-?\d[\d,]*(?:\.\d+)?", str(value))
    try:
        return Decimal(match[0].replace(",", "")) if match else None
    except InvalidOperation:
        return None


def _same(name: str, answer: Any, true: Any) -> bool:
    if answer is None:
        return False
    if name in MONEY:
        return amount(answer) == Decimal(str(true))
    return _plain(answer) == _plain(true)


def _plain(value: Any) -> str:
    words = re.sub(r"[^\w/-]+", " ", str(value).casefold()).split()
    while words and words[0] in ("a", "an", "the", "my", "your"):
        words.pop(0)
    return " ".join(words)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):
        return " ".join(str(part) for part in (value.get("amount"), value.get("currency")) if part)
    return f"{value:.2f}" if isinstance(value, float) else str(value)
