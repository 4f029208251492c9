"""The state machine of cascades: (state, event) -> (state, commands). It does no work, reads no clock, keeps nothing.

A driver carries out the commands and sends back what happened. Events about a call that is no longer current (it was
retried, cancelled or answered before) change nothing, so a driver may deliver an event twice.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gateway.cascades import definition as d
from gateway.cascades.escalation import Unreadable, llm_answers, llm_request
from gateway.cascades.expressions import Expression, ExpressionError
from gateway.cascades.gates import weak_answers
from gateway.cascades.grounding import missing, unsupported
from gateway.cascades.requests import build_request
from gateway.cascades.state import (
    Answered,
    Begin,
    Broke,
    Call,
    Cancel,
    Command,
    End,
    Ending,
    Event,
    Happening,
    Outcome,
    Report,
    State,
    Status,
    Stop,
    Timer,
    TimeUp,
)

RUN_TIMER = "run"
BACKOFF_S = 0.2
"""Before the first retry; doubled for each further one."""


def advance(cascade: d.Cascade, state: State, event: Event) -> tuple[State, list[Command]]:
    """One step of the machine. `state` is not changed."""
    if state.outcome is not None:
        return state, []
    turn = _Turn(cascade, state)
    turn.take(event)
    return turn.result()


class StepError(Exception):
    """A step cannot go on."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class _Turn:
    """A working copy of the state and the commands so far."""

    def __init__(self, cascade: d.Cascade, state: State) -> None:
        self._cascade = cascade
        self._input = state.input
        self._outputs = dict(state.outputs)
        self._status = dict(state.status)
        self._calls = dict(state.calls)
        self._failures = dict(state.failures)
        self._usage = copy.deepcopy(dict(state.usage))
        self._rejected = copy.deepcopy(dict(state.rejected))
        self._asked_llm = list(state.asked_llm)
        self._current = state.current
        self._outcome: Outcome | None = None
        self._commands: list[Command] = []

    def result(self) -> tuple[State, list[Command]]:
        """The new state and what to do."""
        state = State(
            input=self._input,
            outputs=self._outputs,
            status=self._status,
            calls=self._calls,
            failures=self._failures,
            usage=self._usage,
            rejected=self._rejected,
            asked_llm=self._asked_llm,
            current=self._current,
            outcome=self._outcome,
        )
        return state, self._commands

    def take(self, event: Event) -> None:
        """Carries out one event."""
        match event:
            case Begin():
                self._commands.append(Timer(RUN_TIMER, self._cascade.budget.seconds))
                self._go(self._cascade.steps[0].name)
            case Answered():
                if self._is_current(event.step, event.call):
                    self._answered(self._cascade.step(event.step), event)
            case Broke():
                if self._is_current(event.step, event.call):
                    self._broke(self._cascade.step(event.step), event)
            case TimeUp(timer=timer):
                self._time_up(timer)
            case Cancel():
                self._end(Outcome(Ending.CANCELLED, reason="CLIENT_CANCELLED", message="the run was cancelled"))

    def _is_current(self, step: str, call: int) -> bool:
        return self._status.get(step) == Status.RUNNING and self._calls.get(step) == call

    # Control: from step to step.

    def _go(self, name: str) -> None:
        if self._outcome is not None:
            return
        self._current = name
        if name == d.END:
            self._finish()
            return
        self._launch(self._cascade.step(name))

    def _launch(self, step: d.Step) -> None:
        try:
            if step.when is not None and not self._truth(step.when):
                self._status[step.name] = Status.SKIPPED
                self._report(Happening.SKIPPED, step)
                self._settled(step)
                return
            self._status[step.name] = Status.RUNNING
            self._report(Happening.STARTED, step)
            self._start(step)
        except StepError as error:
            self._fail(step, error)

    def _start(self, step: d.Step) -> None:
        match step.body:
            case d.Rule(values=values):
                self._passed(step, self._rule(values), elapsed_s=0.0)
            case d.Parallel(steps=branches, timeout_s=timeout_s):
                self._commands.append(Timer(_group_timer(step.name), timeout_s))
                for branch in branches:
                    if self._status.get(step.name) == Status.RUNNING and self._outcome is None:
                        self._launch(branch)
            case _:
                self._call(step, step.kind, self._request(step))

    def _settled(self, step: d.Step) -> None:
        """The step needs nothing more; control goes on after it, or to the join of its group."""
        group = self._group_of(step)
        if group is not None:
            self._join(group)
        else:
            self._go(self._cascade.follows[step.name])

    def _group_of(self, step: d.Step) -> d.Step | None:
        top = self._cascade.step(self._current)
        if isinstance(top.body, d.Parallel) and any(branch.name == step.name for branch in top.body.steps):
            return top
        return None

    def _join(self, group: d.Step) -> None:
        assert isinstance(group.body, d.Parallel)
        if self._status.get(group.name) != Status.RUNNING or self._outcome is not None:
            return
        names = [branch.name for branch in group.body.steps]
        done = [name for name in names if self._status.get(name) in (Status.DONE, Status.SKIPPED)]
        open_ = [name for name in names if self._status.get(name, Status.RUNNING) == Status.RUNNING]
        if group.body.join is d.Join.ANY and any(self._status.get(name) == Status.DONE for name in names):
            self._close_group(group, open_)
        elif not open_ and (done or group.on_error is d.OnError.CONTINUE or group.body.join is d.Join.ALL):
            self._close_group(group, [])
        elif not open_:
            self._fail(group, StepError("STEP_FAILED", "every branch failed"))

    def _close_group(self, group: d.Step, unfinished: Sequence[str]) -> None:
        assert isinstance(group.body, d.Parallel)
        for name in unfinished:
            self._stop(name)
        names = [branch.name for branch in group.body.steps]
        finished = [name for name in names if self._status.get(name) == Status.DONE]
        output = {"finished": finished, "missing": [name for name in names if name not in finished]}
        self._done(group, output, elapsed_s=0.0)
        self._go(self._cascade.follows[group.name])

    # Calls and their answers.

    def _request(self, step: d.Step) -> dict[str, Any]:
        try:
            return build_request(step, self._values())
        except ExpressionError as error:
            raise StepError("EXPRESSION_FAILED", str(error)) from None

    def _call(self, step: d.Step, kind: d.Kind, request: Mapping[str, Any], *, delay_s: float = 0.0) -> None:
        number = self._calls.get(step.name, 0) + 1
        self._calls[step.name] = number
        shown = isinstance(step.body, d.Generate) and step.body.check is None
        self._commands.append(Call(step.name, number, kind, request, step.deadline_s, delay_s, shown))

    def _answered(self, step: d.Step, event: Answered) -> None:
        self._failures.pop(step.name, None)
        self._count(step.name, event)
        if self._over_budget():
            return
        try:
            if step.name in self._asked_llm:
                self._passed(step, llm_answers(step, str(event.output.get("text", ""))), elapsed_s=event.elapsed_s)
            elif isinstance(step.body, d.Generate) and step.body.check is not None:
                self._checked(step, step.body, event)
            else:
                self._passed(step, event.output, elapsed_s=event.elapsed_s)
        except Unreadable as error:
            self._fail(step, StepError("LLM_ANSWER_UNREADABLE", str(error)))
        except StepError as error:
            self._fail(step, error)

    def _count(self, name: str, event: Answered) -> None:
        usage = event.output.get("usage", {})
        total = self._usage.setdefault(name, [0, 0, 0])
        total[0] += int(usage.get("input_tokens", 0))
        total[1] += int(usage.get("output_tokens", 0))
        total[2] += round(event.elapsed_s * 1000)

    def _over_budget(self) -> bool:
        tokens = sum(read + written for read, written, _ in self._usage.values())
        limit = self._cascade.budget.tokens
        if not limit or tokens <= limit:
            return False
        message = f"{tokens} tokens were read and written, the budget is {limit}"
        self._end(Outcome(Ending.FAILED, reason="BUDGET_EXCEEDED", message=message))
        return True

    def _checked(self, step: d.Step, body: d.Generate, event: Answered) -> None:
        assert body.check is not None
        text = str(event.output.get("text", "")).strip()
        wrong = self._wrong(body.check, text)
        rejected = self._rejected.setdefault(step.name, [])
        if wrong:
            rejected.append({"text": text, "problems": wrong})
            if len(rejected) < body.check.attempts:
                again = {
                    "seed": body.seed + len(rejected),
                    "temperature": body.check.temperature,
                }
                self._call(step, step.kind, {**self._request(step), **again})
                return
            text = self._render(body.check)
        output = {**event.output, "text": text, "fallback": bool(wrong), "rejected": rejected}
        self._report(Happening.TEXT, step, text=text)
        self._passed(step, output, elapsed_s=event.elapsed_s)

    def _wrong(self, check: d.Check, text: str) -> list[str]:
        facts = self._evaluate(check.numbers_from)
        wanted = [str(self._evaluate(expression)) for expression in check.contains]
        found = [f"{item} is not in the facts" for item in unsupported(text, facts)]
        return found + [f"{item} is missing" for item in missing(text, wanted)] if text else ["no text"]

    def _render(self, check: d.Check) -> str:
        try:
            return check.fallback.render(self._values())
        except ExpressionError as error:
            raise StepError("EXPRESSION_FAILED", str(error)) from None

    def _passed(self, step: d.Step, output: Mapping[str, Any], *, elapsed_s: float) -> None:
        """An answer is there; the gate decides where it leads."""
        usage = self._usage.get(step.name)
        if usage is not None:
            counted = {"input_tokens": usage[0], "output_tokens": usage[1]}
            output = {**output, "usage": {**output.get("usage", {}), **counted}}
            elapsed_s = usage[2] / 1000 if self._calls.get(step.name, 0) > 1 else elapsed_s
        weak = self._weak(step, output)
        if not weak:
            self._done(step, output, elapsed_s=elapsed_s)
            self._settled(step)
            return
        assert step.gate is not None
        message = "; ".join(weak)
        if step.gate.otherwise == d.LLM:
            self._ask_llm(step, message)
            return
        self._done(step, output, elapsed_s=elapsed_s)
        self._report(Happening.ESCALATED, step, message=f"{message}: goes to {step.gate.otherwise}")
        if step.gate.otherwise == d.REVIEW:
            self._review(step, "GATE_CLOSED", message)
        else:
            self._go(step.gate.otherwise)

    def _weak(self, step: d.Step, output: Mapping[str, Any]) -> list[str]:
        if step.gate is None:
            return []
        by_llm = step.name in self._asked_llm
        weak = [] if by_llm else weak_answers(output, step.gate)
        if step.gate.require is not None:
            values = {**self._values(), "steps": {**self._outputs, step.name: output}}
            if not self._truth(step.gate.require, values):
                weak.append(f"not true: {step.gate.require.text}")
        if weak and by_llm:
            raise StepError("GATE_CLOSED", "; ".join(weak))
        return weak

    def _ask_llm(self, step: d.Step, message: str) -> None:
        self._report(Happening.ESCALATED, step, message=f"{message}: goes to llm")
        self._asked_llm.append(step.name)
        self._call(step, d.Kind.GENERATE, llm_request(step, self._request(step)))

    def _done(self, step: d.Step, output: Mapping[str, Any], *, elapsed_s: float) -> None:
        self._status[step.name] = Status.DONE
        self._outputs[step.name] = dict(output)
        self._report(Happening.FINISHED, step, output=output, elapsed_s=elapsed_s)

    # What goes wrong.

    def _broke(self, step: d.Step, event: Broke) -> None:
        failures = self._failures.get(step.name, 0) + 1
        if event.retryable and failures <= step.retries:
            self._failures[step.name] = failures
            request, kind = self._again(step)
            self._call(step, kind, request, delay_s=BACKOFF_S * 2 ** (failures - 1))
            return
        self._fail(step, StepError(event.reason, event.message), elapsed_s=event.elapsed_s)

    def _again(self, step: d.Step) -> tuple[dict[str, Any], d.Kind]:
        request = self._request(step)
        if step.name in self._asked_llm:
            return llm_request(step, request), d.Kind.GENERATE
        rejected = len(self._rejected.get(step.name, ()))
        if rejected and isinstance(step.body, d.Generate) and step.body.check:
            request |= {"seed": step.body.seed + rejected, "temperature": step.body.check.temperature}
        return request, step.kind

    def _fail(self, step: d.Step, error: StepError, *, elapsed_s: float = 0.0) -> None:
        self._status[step.name] = Status.FAILED
        self._report(Happening.FAILED, step, reason=error.reason, message=error.message, elapsed_s=elapsed_s)
        group = self._group_of(step)
        tolerated = group is not None and isinstance(group.body, d.Parallel) and group.body.join is d.Join.ANY
        if step.on_error is d.OnError.REVIEW:
            self._review(step, error.reason, error.message)
        elif step.on_error is d.OnError.CONTINUE or tolerated:
            self._settled(step)
        else:
            self._end(Outcome(Ending.FAILED, step=step.name, reason=error.reason, message=error.message))

    def _time_up(self, timer: str) -> None:
        if timer == RUN_TIMER:
            message = f"the run took longer than its budget of {self._cascade.budget.seconds:g} s"
            self._end(Outcome(Ending.FAILED, reason="BUDGET_EXCEEDED", message=message))
            return
        group = self._cascade.step(timer.removeprefix(_group_timer("")))
        if not isinstance(group.body, d.Parallel) or self._status.get(group.name) != Status.RUNNING:
            return
        unfinished = [b.name for b in group.body.steps if self._status.get(b.name) == Status.RUNNING]
        if group.body.partial:
            self._close_group(group, unfinished)
            return
        for name in unfinished:
            self._stop(name)
        late = f"not finished within {group.body.timeout_s:g} s: {', '.join(unfinished)}"
        self._fail(group, StepError("DEADLINE_EXCEEDED", late))

    def _stop(self, name: str) -> None:
        if self._status.get(name) == Status.RUNNING:
            self._status[name] = Status.CANCELLED
            self._commands.append(Stop(name))

    def _review(self, step: d.Step, reason: str, message: str) -> None:
        self._end(Outcome(Ending.REVIEW, {"steps": self._outputs}, step.name, reason, message))

    def _finish(self) -> None:
        output: dict[str, Any] = {}
        for key, expression in self._cascade.output.items():
            try:
                output[key] = self._evaluate(expression)
            except StepError as error:
                self._end(Outcome(Ending.FAILED, reason=error.reason, message=f"output.{key}: {error.message}"))
                return
        self._end(Outcome(Ending.FINISHED, output if self._cascade.output else {"steps": self._outputs}))

    def _end(self, outcome: Outcome) -> None:
        if self._outcome is not None:
            return
        for name in [name for name, status in self._status.items() if status == Status.RUNNING]:
            if name in self._calls:
                self._stop(name)
        self._outcome = replace(outcome, output=dict(outcome.output))
        self._commands.append(End(self._outcome))

    # Expressions.

    def _values(self) -> dict[str, Any]:
        return {"input": self._input, "steps": self._outputs}

    def _evaluate(self, expression: Expression, values: Mapping[str, Any] | None = None) -> Any:
        try:
            return expression.evaluate(values or self._values())
        except ExpressionError as error:
            raise StepError("EXPRESSION_FAILED", str(error)) from None

    def _truth(self, expression: Expression, values: Mapping[str, Any] | None = None) -> bool:
        value = self._evaluate(expression, values)
        if not isinstance(value, bool):
            raise StepError("EXPRESSION_FAILED", f"is neither true nor false: {expression.text}")
        return value

    def _rule(self, values: Mapping[str, Expression]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, expression in values.items():
            made[name] = self._evaluate(expression, {**self._values(), "this": made})
        return made

    def _report(self, happening: Happening, step: d.Step, **details: Any) -> None:
        if self._outcome is None:
            self._commands.append(Report(happening, step.name, **details))


def _group_timer(name: str) -> str:
    return f"group:{name}"
