"""The demo from start to end: warm up, run both ways, collect. Showing is left to `report`."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from gateway.cli.targets import open_stub
from gateway.demo import llm_alone, small_models
from gateway.demo.answers import Side, judge
from gateway.demo.emails import Email, again
from gateway.demo.prices import Prices

TIMEOUT_S = 600.0
WARM_UP = Email("warm-up", "Order ZZ-1 cost 10.00 EUR. The repair costs 4.00 EUR. It is broken.", "2026-01-02", None)


@dataclass(frozen=True, slots=True)
class Pair:
    """One e-mail done both ways on the same machine by the same language model."""

    email: Email
    cascade: Side
    alone: Side


def play(
    email: Email, addresses: Mapping[str, str], *, runs: int, tell: Callable[[str], None] = lambda words: None
) -> list[Pair]:
    """Does the task `runs` times both ways, in turn. `addresses` names gateway and llm; `tell` hears of progress."""
    with ExitStack() as stack:
        gateway = stack.enter_context(open_stub("gateway", addresses["gateway"]))
        llm = stack.enter_context(open_stub("llm", addresses["llm"]))
        tell("warming up")
        small_models.run(gateway, WARM_UP, timeout_s=TIMEOUT_S)
        llm_alone.warm_up(llm, WARM_UP, timeout_s=TIMEOUT_S)
        pairs = []
        for number in range(runs):
            letter = again(email, number)
            tell(f"run {number + 1} of {runs}: the cascade")
            cascade = small_models.run(gateway, letter, timeout_s=TIMEOUT_S)
            tell(f"run {number + 1} of {runs}: the language model alone")
            pairs.append(Pair(letter, cascade, llm_alone.run(llm, letter, timeout_s=TIMEOUT_S)))
        return pairs


def typical(sides: list[Side]) -> Side:
    """The side whose time is the median one (the lower of two in the middle)."""
    return sorted(sides, key=lambda side: side.seconds)[(len(sides) - 1) // 2]


def as_json(pairs: list[Pair], prices: Prices) -> dict[str, Any]:
    """Everything that was measured, and the ratios of the medians."""
    cascades, alones = [pair.cascade for pair in pairs], [pair.alone for pair in pairs]
    return {
        "email": asdict(pairs[0].email),
        "runs": len(pairs),
        "prices": asdict(prices),
        "cascade": [_side(pair.cascade, pair.email, prices) for pair in pairs],
        "llm_alone": [_side(pair.alone, pair.email, prices) for pair in pairs],
        "ratios": ratios(typical(cascades), typical(alones), cascades, alones, prices),
    }


def _side(side: Side, email: Email, prices: Prices) -> dict[str, Any]:
    verdicts = [asdict(verdict) for verdict in judge(side, email.truth)]
    return {**asdict(side), "verdicts": verdicts, "cost_usd": prices.total(side)}


def ratios(
    cascade: Side, alone: Side, cascades: list[Side], alones: list[Side], prices: Prices
) -> dict[str, float | None]:
    """How many times more the language model alone takes; None where the cascade wrote nothing to compare."""
    if cascade.stopped:
        return {"time": None, "time_before_writing": None, "llm_tokens": None, "cost": None}
    time = median(side.seconds for side in alones) / median(side.seconds for side in cascades)
    return {
        "time": time,
        "time_before_writing": _before_writing(alones) / _before_writing(cascades),
        "llm_tokens": llm_tokens(alone) / max(1, llm_tokens(cascade)),
        "cost": prices.total(alone) / prices.total(cascade),
    }


def _before_writing(sides: list[Side]) -> float:
    """Median seconds of all steps but the writing one."""
    return median(sum(step.seconds for step in side.steps if step.name != "write") for side in sides)


def llm_tokens(side: Side) -> int:
    """Tokens that the language model read and wrote."""
    return sum(step.tokens_in + step.tokens_out for step in side.steps if step.by == "llm")
