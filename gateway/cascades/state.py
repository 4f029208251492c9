"""Values of the state machine: the state of a run, what happens to it, and what it wants done. All are plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from gateway.cascades.definition import Kind


class Status(StrEnum):
    """Where a step stands. A step that was not reached has no status."""

    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ending(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    REVIEW = "review"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run. `output` holds the result of a finished run, and what is known so far for a review."""

    ending: Ending
    output: Mapping[str, Any] = field(default_factory=dict)
    step: str = ""
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Everything about one run; `as_json` and `from_json` carry it between processes.

    `calls` counts the calls of each step (the number names a call), `failures` those in a row that may be retried,
    `usage` is [tokens read, tokens written, milliseconds] of each step over all its calls, `rejected` holds texts that
    did not pass a check, `asked_llm` names steps whose answer the language model gives.
    """

    input: Mapping[str, Any]
    outputs: Mapping[str, Any] = field(default_factory=dict)
    status: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    usage: Mapping[str, list[int]] = field(default_factory=dict)
    rejected: Mapping[str, list[Any]] = field(default_factory=dict)
    asked_llm: list[str] = field(default_factory=list)
    current: str = ""
    outcome: Outcome | None = None

    def as_json(self) -> dict[str, Any]:
        """The state as plain JSON."""
        return asdict(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "State":
        """The state that `as_json` gave."""
        outcome = value.get("outcome")
        ended = Outcome(**{**outcome, "ending": Ending(outcome["ending"])}) if outcome else None
        return State(**{**value, "outcome": ended})


@dataclass(frozen=True, slots=True)
class Begin:
    """The run starts."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call came back. `output` is in the form of `messages`."""

    step: str
    call: int
    output: Mapping[str, Any]
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Broke:
    """A call failed; `retryable` when the same call may succeed later."""

    step: str
    call: int
    reason: str
    message: str
    retryable: bool = False
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TimeUp:
    """A timer ran out."""

    timer: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """The caller wants no result any more."""


Event: TypeAlias = Begin | Answered | Broke | TimeUp | Cancel


@dataclass(frozen=True, slots=True)
class Call:
    """Send `request` to the service of `kind` after `delay_s`. `shown`: pass its text on as it is written.

    `<run>:<step>:<call>` identifies the call, for dedup.
    """

    step: str
    call: int
    kind: Kind
    request: Mapping[str, Any]
    deadline_s: float
    delay_s: float = 0.0
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Nobody waits for the step's call any more."""

    step: str


@dataclass(frozen=True, slots=True)
class Timer:
    """Send TimeUp after `seconds`."""

    timer: str
    seconds: float


class Happening(StrEnum):
    """What a report is about; the names are those of the wire's EventKind."""

    STARTED = "STEP_STARTED"
    FINISHED = "STEP_FINISHED"
    SKIPPED = "STEP_SKIPPED"
    FAILED = "STEP_FAILED"
    ESCALATED = "STEP_ESCALATED"
    TEXT = "TEXT"


@dataclass(frozen=True, slots=True)
class Report:
    """Something that a watcher of the run wants to know."""

    happening: Happening
    step: str
    output: Mapping[str, Any] | None = None
    text: str = ""
    reason: str = ""
    message: str = ""
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class End:
    """The run is over; no command follows."""

    outcome: Outcome


Command: TypeAlias = Call | Stop | Timer | Report | End
