"""Small cascades for the tests of the state machine."""

from collections.abc import Callable, Mapping
from typing import Any

from gateway.cascades.definition import Cascade
from gateway.cascades.engine import advance
from gateway.cascades.parse import parse_cascade
from gateway.cascades.state import Answered, Begin, Broke, Call, Command, End, Event, Outcome, Report, State

EXTRACT = """
    kind: extract
    state: input.text
    fields: {price: {type: number}, city: {type: text}}
"""
DECIDE = """
    kind: decide
    state: input.text
    questions: {kind: {type: choice, options: [a, b]}, urgent: {type: noul}}
"""


def cascade(steps: str, *, head: str = "", output: str = "") -> Cascade:
    """A cascade named t with the given steps."""
    return parse_cascade(f"cascade: t\n{head}\nsteps:\n{steps}\n{output}")


def extracted(price: float | None = 10, city: str | None = "Rome", confidence: float = 0.9) -> dict[str, Any]:
    """Output of an extract step."""
    values = {"price": price, "city": city}
    answers = {name: {"value": v, "p_null": 0.0, "confidence": confidence} for name, v in values.items()}
    return {"values": values, "answers": answers, "usage": {"input_tokens": 5, "output_tokens": 0}}


def decided(kind: str = "a", confidence: float = 0.9, urgent: float = 0.95) -> dict[str, Any]:
    """Output of a decide step."""
    answers = {"kind": {"value": kind, "confidence": confidence}, "urgent": {"value": True, "probability": urgent}}
    return {"values": {"kind": kind, "urgent": urgent >= 0.5}, "answers": answers}


def written(text: str, tokens: int = 3) -> dict[str, Any]:
    """Output of a generate step."""
    return {"text": text, "finish_reason": "stop", "usage": {"input_tokens": 7, "output_tokens": tokens}}


Reply = Callable[[Call], Mapping[str, Any] | Broke]


def drive(made: Cascade, given: Mapping[str, Any], reply: Reply) -> tuple[Outcome, list[Command]]:
    """Runs to the end; `reply` answers each call, in the order in which they were made."""
    state, commands = advance(made, State(input=given), Begin())
    seen = list(commands)
    waiting = [command for command in commands if isinstance(command, Call)]
    while state.outcome is None:
        call = waiting.pop(0)
        answer = reply(call)
        event: Event = answer if isinstance(answer, Broke) else Answered(call.step, call.call, answer)
        state, commands = advance(made, State.from_json(state.as_json()), event)
        seen += commands
        waiting += [command for command in commands if isinstance(command, Call)]
    assert isinstance(seen[-1], End)
    return state.outcome, seen


def story(commands: list[Command]) -> list[str]:
    """The reports as short words."""
    return [f"{item.happening.lower()} {item.step}" for item in commands if isinstance(item, Report)]
