"""What a cascade is: named steps, their inputs, conditions and gates. Values only; `parse` makes and checks them.

Control goes through the top-level steps in order. A step that some gate names as its `else` is off that line: it runs
only when a gate sends the run there, and then control goes on after the gated step. `next` overrides where control
goes. The possible paths never form a circle, so each step runs at most once in a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from gateway.cascades.expressions import Expression
from gateway.cascades.templates import Template

END = "end"
REVIEW = "review"
LLM = "llm"


class Kind(StrEnum):
    """What a step does."""

    EXTRACT = "extract"
    DECIDE = "decide"
    FORECAST = "forecast"
    GENERATE = "generate"
    RULE = "rule"
    PARALLEL = "parallel"


class OnError(StrEnum):
    """What a failed step does to the run."""

    FAIL = "fail"
    CONTINUE = "continue"
    REVIEW = "review"


class Join(StrEnum):
    """When a parallel group is done."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class InputField:
    """One key of the input: its JSON type, whether it must be there, and its largest length in characters."""

    name: str
    type: str
    required: bool
    max_length: int


@dataclass(frozen=True, slots=True)
class Extract:
    """`state` gives the text; `fields` are those of the extraction request, as JSON, in order."""

    state: Expression
    fields: tuple[Mapping[str, Any], ...]
    reference_date: Expression | None
    locale: str
    model: str


@dataclass(frozen=True, slots=True)
class Decide:
    """`state` gives text or JSON; `questions` are those of the decision request, as JSON, in order."""

    state: Expression
    questions: tuple[Mapping[str, Any], ...]
    model: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """`series` gives a list of numbers, or a list of {id, values}."""

    series: Expression
    horizon: int
    quantiles: tuple[float, ...]
    non_negative: bool
    model: str


@dataclass(frozen=True, slots=True)
class Check:
    """What a written text must keep to, and what happens when it does not.

    Every number and date of the text must stand in the values of `numbers_from`; every text of `contains` must stand in
    the text. It is written again, at most `attempts` times in all, with another seed and `temperature`; then `fallback`
    is used.
    """

    numbers_from: Expression
    contains: tuple[Expression, ...]
    attempts: int
    temperature: float
    fallback: Template


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation."""

    role: str
    content: Template


@dataclass(frozen=True, slots=True)
class Generate:
    """The one step that writes. With a check, text is shown only when it has passed."""

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float
    seed: int
    stop: tuple[str, ...]
    model: str
    check: Check | None


@dataclass(frozen=True, slots=True)
class Rule:
    """Named expressions, evaluated in order; later ones read earlier ones as `this.<name>`."""

    values: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class Parallel:
    """Steps that run at the same time, and when they count as done.

    After `timeout_s` unfinished branches are cancelled; with `partial` the run goes on without them, else it fails.
    """

    steps: tuple["Step", ...]
    join: Join
    timeout_s: float
    partial: bool


Body: TypeAlias = Extract | Decide | Forecast | Generate | Rule | Parallel


@dataclass(frozen=True, slots=True)
class Gate:
    """When an answer is good enough to go on, and where control goes when it is not.

    `min_confidence` holds for each answer of `of` (all when empty); `require` must be true. `otherwise` is a step,
    `llm` (the language model answers the same questions) or `review` (a person does).
    """

    min_confidence: float
    of: tuple[str, ...]
    require: Expression | None
    otherwise: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `deadline_s` holds for each attempt; `retries` more attempts follow when a service is unavailable."""

    name: str
    kind: Kind
    body: Body
    when: Expression | None
    gate: Gate | None
    next: str
    on_error: OnError
    deadline_s: float
    retries: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Largest cost of one run: seconds, and tokens read and written by all models together (0: unlimited)."""

    seconds: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Cascade:
    """A checked cascade. `follows` gives the step that control reaches after each top-level step (or `end`)."""

    name: str
    version: int
    description: str
    input: tuple[InputField, ...]
    steps: tuple[Step, ...]
    output: Mapping[str, Expression]
    budget: Budget
    follows: Mapping[str, str]

    def step(self, name: str) -> Step:
        """The step of this name, also inside a parallel group."""
        for step in self.steps:
            if step.name == name:
                return step
            if isinstance(step.body, Parallel):
                for branch in step.body.steps:
                    if branch.name == name:
                        return branch
        raise KeyError(name)
