import pytest

from gateway.cascades.engine import advance
from gateway.cascades.state import Answered, Begin, Broke, Call, Cancel, Ending, State, Stop, Timer, TimeUp
from tests.unit.gateway.cascades.cases import DECIDE, EXTRACT, cascade, decided, drive, extracted, story, written

INPUT = {"text": "a letter"}


def calls(commands: list[object]) -> list[Call]:
    return [command for command in commands if isinstance(command, Call)]


def test_steps_run_in_order_and_the_output_is_computed() -> None:
    made = cascade(
        f"  facts:{EXTRACT}  twice: {{kind: rule, set: {{a: steps.facts.values.price * 2, b: this.a + 1}}}}",
        output="output: {n: steps.twice.b, city: steps.facts.values.city}",
    )
    outcome, commands = drive(made, INPUT, lambda call: extracted())
    assert outcome.ending is Ending.FINISHED
    assert outcome.output == {"n": 21, "city": "Rome"}
    assert story(commands) == [
        "step_started facts",
        "step_finished facts",
        "step_started twice",
        "step_finished twice",
    ]
    assert calls(commands)[0].request["state"] == "a letter"


def test_without_output_all_steps_are_the_output() -> None:
    outcome, _ = drive(cascade("  one: {kind: rule, set: {a: 1}}"), {}, lambda call: {})
    assert outcome.output == {"steps": {"one": {"a": 1}}}


def test_when_skips_and_must_be_true_or_false() -> None:
    made = cascade(f"  one:{EXTRACT}    when: input.text == ''\n  two: {{kind: rule, set: {{a: has(steps.one)}}}}")
    outcome, commands = drive(made, INPUT, lambda call: extracted())
    assert outcome.output == {"steps": {"two": {"a": False}}}
    assert "step_skipped one" in story(commands)
    outcome, _ = drive(cascade("  one: {kind: rule, set: {a: 1}, when: input.text}"), INPUT, lambda call: {})
    assert (outcome.ending, outcome.reason, outcome.step) == (Ending.FAILED, "EXPRESSION_FAILED", "one")


@pytest.mark.parametrize(
    ("gate", "answer", "closed"),
    [
        ("{min_confidence: 0.5, else: review}", extracted(confidence=0.6), False),
        ("{min_confidence: 0.5, else: review}", extracted(confidence=0.4), True),
        ("{min_confidence: 0.5, else: review}", extracted(city=None), True),
        ("{min_confidence: 0.5, of: [price], else: review}", extracted(city=None), False),
        ("{require: steps.one.values.price > 5, else: review}", extracted(price=4), True),
        ("{require: steps.one.values.price > 5, else: review}", extracted(price=6), False),
    ],
)
def test_gates_send_weak_answers_to_review(gate: str, answer: dict[str, object], closed: bool) -> None:
    outcome, _ = drive(cascade(f"  one:{EXTRACT}    gate: {gate}"), INPUT, lambda call: answer)
    assert (outcome.ending is Ending.REVIEW) == closed
    assert outcome.output["steps"]["one"]["values"] == answer["values"]


def test_yes_no_confidence_is_that_of_two_options() -> None:
    made = cascade(f"  one:{DECIDE}    gate: {{min_confidence: 0.5, of: [urgent], else: review}}")
    assert drive(made, INPUT, lambda call: decided(urgent=0.8))[0].ending is Ending.FINISHED
    assert drive(made, INPUT, lambda call: decided(urgent=0.7))[0].ending is Ending.REVIEW
    assert drive(made, INPUT, lambda call: decided(urgent=0.2))[0].ending is Ending.FINISHED


def test_a_gate_can_send_the_run_to_another_step_and_back() -> None:
    made = cascade(
        f"  one:{EXTRACT}    gate: {{min_confidence: 0.5, else: spare}}\n"
        "  two: {kind: rule, set: {x: 'has(steps.spare) ? steps.spare.a : 0'}}\n"
        "  spare: {kind: rule, set: {a: 7}}",
        output="output: {x: steps.two.x}",
    )
    outcome, commands = drive(made, INPUT, lambda call: extracted(confidence=0.1))
    assert outcome.output == {"x": 7}
    assert "step_escalated one" in story(commands)
    assert drive(made, INPUT, lambda call: extracted())[0].output == {"x": 0}


def test_a_gate_can_ask_the_language_model() -> None:
    made = cascade(
        f"  one:{DECIDE}    gate: {{min_confidence: 0.5, else: llm}}", output="output: {k: steps.one.values}"
    )

    def reply(call: Call) -> dict[str, object]:
        return decided(confidence=0.1) if call.call == 1 else written('Sure: {"kind": "b", "urgent": false}')

    outcome, commands = drive(made, INPUT, reply)
    assert outcome.output == {"k": {"kind": "b", "urgent": False}}
    assert "one of: a, b" in calls(commands)[1].request["messages"][0]["content"]


@pytest.mark.parametrize("text", ["no idea", '{"kind": "c", "urgent": true}', '{"kind": "a", "urgent": "yes"}', "[1]"])
def test_an_unreadable_answer_of_the_language_model_fails_the_step(text: str) -> None:
    made = cascade(f"  one:{DECIDE}    gate: {{min_confidence: 0.5, else: llm}}")
    outcome, _ = drive(made, INPUT, lambda call: decided(confidence=0.1) if call.call == 1 else written(text))
    assert (outcome.ending, outcome.reason) == (Ending.FAILED, "LLM_ANSWER_UNREADABLE")


def test_retries_with_growing_delay_and_then_fails() -> None:
    made = cascade(f"  one:{EXTRACT}    retries: 2")
    outcome, commands = drive(
        made, INPUT, lambda call: Broke(call.step, call.call, "SERVICE_UNAVAILABLE", "gone", retryable=True)
    )
    assert [call.delay_s for call in calls(commands)] == [0.0, 0.2, 0.4]
    assert (outcome.ending, outcome.reason) == (Ending.FAILED, "SERVICE_UNAVAILABLE")


def test_a_refusal_is_not_tried_again() -> None:
    outcome, commands = drive(
        cascade(f"  one:{EXTRACT}"), INPUT, lambda call: Broke(call.step, call.call, "INPUT_TOO_LONG", "too long")
    )
    assert len(calls(commands)) == 1
    assert outcome.reason == "INPUT_TOO_LONG"


@pytest.mark.parametrize(("on_error", "ending"), [("continue", Ending.FINISHED), ("review", Ending.REVIEW)])
def test_a_failure_can_be_allowed(on_error: str, ending: Ending) -> None:
    made = cascade(f"  one:{EXTRACT}    on_error: {on_error}\n  two: {{kind: rule, set: {{a: has(steps.one)}}}}")
    outcome, _ = drive(made, INPUT, lambda call: Broke(call.step, call.call, "MODEL_FAILURE", "x"))
    assert outcome.ending is ending


GROUP = f"""
  both:
    kind: parallel
    timeout: 5s
    JOIN
    steps:
      one:{EXTRACT.replace("    ", "        ")}
      two:{DECIDE.replace("    ", "        ")}
"""


def test_a_group_runs_at_once_and_joins() -> None:
    made = cascade(GROUP.replace("JOIN", "join: all"))
    state, commands = advance(made, State(input=INPUT), Begin())
    assert [call.step for call in calls(commands)] == ["one", "two"]
    assert Timer("group:both", 5.0) in commands
    state, commands = advance(made, state, Answered("two", 1, decided()))
    assert state.outcome is None
    state, _ = advance(made, state, Answered("one", 1, extracted()))
    assert state.outcome is not None
    assert state.outcome.output["steps"]["both"] == {"finished": ["one", "two"], "missing": []}


def test_any_takes_the_first_and_stops_the_rest() -> None:
    made = cascade(GROUP.replace("JOIN", "join: any"))
    state, _ = advance(made, State(input=INPUT), Begin())
    state, _ = advance(made, state, Broke("one", 1, "MODEL_FAILURE", "x"))
    assert state.outcome is None
    state, _ = advance(made, state, Answered("two", 1, decided()))
    assert state.outcome is not None
    assert state.outcome.output["steps"]["both"]["finished"] == ["two"]
    state, _ = advance(made, State(input=INPUT), Begin())
    state, commands = advance(made, state, Answered("two", 1, decided()))
    assert Stop("one") in commands


@pytest.mark.parametrize(("join", "ending"), [("partial: true", Ending.FINISHED), ("join: all", Ending.FAILED)])
def test_a_late_group_goes_on_or_fails(join: str, ending: Ending) -> None:
    made = cascade(GROUP.replace("JOIN", join))
    state, _ = advance(made, State(input=INPUT), Begin())
    state, _ = advance(made, state, Answered("two", 1, decided()))
    state, commands = advance(made, state, TimeUp("group:both"))
    assert Stop("one") in commands
    assert state.outcome is not None
    assert state.outcome.ending is ending


CHECKED = """
  reply:
    kind: generate
    messages: [{role: user, content: "write about ${input.order}"}]
    check:
      numbers_from: input
      contains: [input.order]
      attempts: 3
      temperature: 0.5
      fallback: "About ${input.order}."
"""


def test_a_wrong_text_is_written_again_with_another_seed() -> None:
    texts = ["It costs 99.", "Order 41 is fine."]
    outcome, commands = drive(cascade(CHECKED), {"order": "41"}, lambda call: written(texts[call.call - 1]))
    reply = outcome.output["steps"]["reply"]
    assert reply["text"] == "Order 41 is fine."
    assert reply["fallback"] is False
    assert reply["rejected"][0]["problems"] == ["99 is not in the facts", "41 is missing"]
    assert [(c.request["seed"], c.request["temperature"]) for c in calls(commands)] == [(0, 0.0), (1, 0.5)]
    assert reply["usage"] == {"input_tokens": 14, "output_tokens": 6}


def test_after_the_last_attempt_the_fallback_is_marked() -> None:
    outcome, commands = drive(cascade(CHECKED), {"order": "41"}, lambda call: written("It costs 99."))
    reply = outcome.output["steps"]["reply"]
    assert (reply["text"], reply["fallback"], len(reply["rejected"])) == ("About 41.", True, 3)
    assert len(calls(commands)) == 3


def test_budgets_end_a_run() -> None:
    made = cascade(f"  one:{EXTRACT}  two:{EXTRACT}", head="budget: {tokens: 9, time: 3s}")
    outcome, _ = drive(made, INPUT, lambda call: extracted())
    assert (outcome.ending, outcome.reason) == (Ending.FAILED, "BUDGET_EXCEEDED")
    state, commands = advance(made, State(input=INPUT), Begin())
    assert Timer("run", 3.0) in commands
    state, commands = advance(made, state, TimeUp("run"))
    assert Stop("one") in commands
    assert state.outcome is not None
    assert state.outcome.reason == "BUDGET_EXCEEDED"


def test_cancel_stops_what_runs() -> None:
    made = cascade(f"  one:{EXTRACT}")
    state, _ = advance(made, State(input=INPUT), Begin())
    state, commands = advance(made, state, Cancel())
    assert Stop("one") in commands
    assert state.outcome is not None
    assert state.outcome.ending is Ending.CANCELLED


def test_stale_and_doubled_events_change_nothing() -> None:
    made = cascade(f"  one:{EXTRACT}  two:{DECIDE}")
    state, _ = advance(made, State(input=INPUT), Begin())
    assert advance(made, state, Answered("one", 7, extracted())) == (state, [])
    state, _ = advance(made, state, Answered("one", 1, extracted()))
    assert advance(made, state, Answered("one", 1, extracted(price=99))) == (state, [])
    assert advance(made, state, TimeUp("group:one")) == (state, [])


def test_requests_that_cannot_be_built_fail_their_step() -> None:
    outcome, _ = drive(cascade(f"  one:{EXTRACT}"), {"text": 7}, lambda call: {})
    assert (outcome.step, outcome.reason) == ("one", "EXPRESSION_FAILED")
    series = cascade("  one: {kind: forecast, series: input.values, horizon: 3}")
    assert drive(series, {"values": [1, "x"]}, lambda call: {})[0].reason == "EXPRESSION_FAILED"
