"""What goes into a decision and what comes out, as plain values."""

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["noul", "choice", "score"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question: a name, a description as a JSON value, or both."""

    name: str = ""
    description: Any = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    `options` of a choice are its options; of a score its levels, lowest first, as descriptions without names; of a
    noul always two: what makes it no, what makes it yes, each described or not. `noul`, `choice`, `score` make one.
    """

    id: str
    kind: Kind
    options: tuple[Option, ...]
    instructions: Any = None


def noul(id: str, instructions: Any = None, *, when_false: Any = None, when_true: Any = None) -> Question:
    """A yes/no question."""
    return Question(id, "noul", (Option("no", when_false), Option("yes", when_true)), instructions)


def choice(id: str, options: dict[str, Any] | list[str], instructions: Any = None) -> Question:
    """A question with one right option; a dict gives each option its description or None."""
    pairs = options.items() if isinstance(options, dict) else ((name, None) for name in options)
    return Question(id, "choice", tuple(Option(name, told) for name, told in pairs), instructions)


def score(id: str, levels: list[Any], instructions: Any = None) -> Question:
    """A question for a level on a scale, lowest first."""
    return Question(id, "score", tuple(Option("", level) for level in levels), instructions)


@dataclass(frozen=True, slots=True)
class Request:
    """A state (text or a JSON object or array) and questions about it."""

    state: Any
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Noul:
    """Answer to a yes/no question: the probability of yes."""

    id: str
    probability: float


@dataclass(frozen=True, slots=True)
class Choice:
    """Answer to a choice: the most probable option, all probabilities in request order, confidence."""

    id: str
    choice: str
    probabilities: tuple[tuple[str, float], ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Score:
    """Answer to a score: the expected level, the probability of each level, confidence."""

    id: str
    score: float
    probabilities: tuple[float, ...]
    confidence: float


Answer = Noul | Choice | Score


@dataclass(frozen=True, slots=True)
class Decision:
    """Answers in request order, and the tokens of the state and all questions."""

    answers: tuple[Answer, ...]
    input_tokens: int
