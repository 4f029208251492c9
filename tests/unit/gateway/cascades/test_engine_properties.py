"""Whatever arrives, in whatever order and however often, a run ends once and calls nothing twice."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.cascades.engine import advance
from gateway.cascades.state import Answered, Begin, Broke, Call, End, Event, State, Stop, Timer, TimeUp
from tests.unit.gateway.cascades.cases import DECIDE, EXTRACT, cascade, decided, extracted, written

MADE = cascade(
    f"""
  read:{EXTRACT}    gate: {{min_confidence: 0.5, else: spare}}
    retries: 1
  both:
    kind: parallel
    timeout: 5s
    partial: true
    steps:
      left:{DECIDE.replace("    ", "        ")}        gate: {{min_confidence: 0.5, else: llm}}
      right:{EXTRACT.replace("    ", "        ")}        on_error: continue
  spare: {{kind: rule, set: {{a: steps.read.values.city}}}}
  sum: {{kind: rule, set: {{n: "has(steps.left) ? 1 : 0"}}}}
  reply:
    kind: generate
    when: steps.sum.n == 1
    messages: [{{role: user, content: hello}}]
    check: {{numbers_from: input, attempts: 2, fallback: none}}
""",
    head="budget: {tokens: 60}",
    output="output: {n: steps.sum.n}",
)
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "read": [extracted(), extracted(confidence=0.1)],
    "left": [decided(), decided(confidence=0.1), written('{"kind": "b", "urgent": true}'), written("?")],
    "right": [extracted(), extracted(city=None)],
    "reply": [written("fine"), written("It costs 7.", tokens=30)],
}


def an_event(draw: Any, calls: list[Call], timers: list[str]) -> Event:
    """Any call that was ever made may be answered or broken at any time, also twice; any timer may run out."""
    call = draw(st.sampled_from(calls))
    kind = draw(st.sampled_from(["answer"] * 6 + ["broke", "retry", "time"]))
    if kind == "answer":
        return Answered(call.step, call.call, draw(st.sampled_from(ANSWERS[call.step])), 0.01)
    if kind == "time":
        return TimeUp(draw(st.sampled_from(timers)))
    return Broke(call.step, call.call, "MODEL_FAILURE", "x", retryable=kind == "retry")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_run_ends_once_and_no_call_is_made_twice(data: st.DataObject) -> None:
    state, commands = advance(MADE, State(input={"text": "a letter"}), Begin())
    seen = list(commands)
    for _ in range(200):
        if state.outcome is not None:
            break
        calls = [command for command in seen if isinstance(command, Call)]
        timers = [command.timer for command in seen if isinstance(command, Timer)]
        event = an_event(data.draw, calls, timers)
        carried = State.from_json(json.loads(json.dumps(state.as_json())))
        assert carried == state
        before = state.as_json()
        state, commands = advance(MADE, carried, event)
        assert json.loads(json.dumps(before)) == json.loads(json.dumps(carried.as_json())), "the old state was changed"
        seen += commands
    calls = [command for command in seen if isinstance(command, Call)]
    names = [(call.step, call.call) for call in calls]
    assert len(set(names)) == len(names)
    assert {command.step for command in seen if isinstance(command, Stop)} <= {call.step for call in calls}
    ends = [index for index, command in enumerate(seen) if isinstance(command, End)]
    if state.outcome is not None:
        assert ends == [len(seen) - 1]
        assert advance(MADE, state, Begin()) == (state, [])
    else:
        assert ends == []


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_same_events_give_the_same_commands(data: st.DataObject) -> None:
    first = second = State(input={"text": "a letter"})
    event: Event = Begin()
    seen: list[Any] = []
    for _ in range(30):
        first, commands = advance(MADE, first, event)
        second, again = advance(MADE, second, event)
        assert (first, commands) == (second, again)
        seen += commands
        calls = [command for command in seen if isinstance(command, Call)]
        event = an_event(data.draw, calls, [command.timer for command in seen if isinstance(command, Timer)])
