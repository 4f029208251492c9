"""From the message to a checked request. Nothing is cut: what is over a limit is refused with the counts."""

import math
from collections.abc import Sequence
from typing import Final

from quartet.v1 import llm_pb2
from services.llm.chat import ROLES, Turn
from services.llm.constraint import Constraint
from services.llm.generation import Request
from services.llm.sampling import Sampling
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

DEFAULT_TOKENS: Final = 256
MAX_STOP: Final = 4
MAX_STOP_CHARACTERS: Final = 256
MAX_LOGPROBS: Final = 20
MAX_SCHEMA_CHARACTERS: Final = 65_536
MAX_REGEX_CHARACTERS: Final = 4096
MAX_OPTIONS: Final = 256
MAX_OPTION_CHARACTERS: Final = 1024


def parse(request: llm_pb2.GenerateRequest, limits: dict[str, int]) -> Request:
    """A checked request; `limits` are the model card's. Raises InvalidField or InputTooLong, naming the field."""
    context = limits["context_tokens"]
    if request.max_tokens > context:
        raise InvalidField(
            FieldViolation("max_tokens", f"must be at most {context}, is {request.max_tokens}", "out_of_range")
        )
    return Request(
        turns=_turns(request, limits),
        max_tokens=request.max_tokens or min(DEFAULT_TOKENS, context),
        stop=_stop(request),
        sampling=_sampling(request.sampling),
        constraint=_constraint(request.constraint) if request.HasField("constraint") else None,
        logprobs=_logprobs(request),
    )


def _turns(request: llm_pb2.GenerateRequest, limits: dict[str, int]) -> tuple[Turn, ...]:
    messages = request.messages
    if not messages:
        raise InvalidField(FieldViolation("messages", "is empty", "too_short"))
    if len(messages) > limits["messages"]:
        raise InputTooLong("messages", limit=limits["messages"], actual=len(messages), field="messages")
    characters = sum(len(message.content) for message in messages)
    if characters > limits["characters"]:
        raise InputTooLong(
            "characters of all messages", limit=limits["characters"], actual=characters, field="messages"
        )
    wrong = [
        FieldViolation(f"messages[{i}].role", f"must be one of {', '.join(ROLES)}, is {message.role[:64]!r}", "enum")
        for i, message in enumerate(messages)
        if message.role not in ROLES
    ]
    if wrong:
        raise InvalidField(*wrong)
    return tuple(Turn(message.role, message.content) for message in messages)


def _stop(request: llm_pb2.GenerateRequest) -> tuple[str, ...]:
    if len(request.stop) > MAX_STOP:
        raise InputTooLong("stop strings", limit=MAX_STOP, actual=len(request.stop), field="stop")
    for i, text in enumerate(request.stop):
        if not text:
            raise InvalidField(FieldViolation(f"stop[{i}]", "is empty", "too_short"))
        if len(text) > MAX_STOP_CHARACTERS:
            raise InputTooLong(
                "characters of a stop string", limit=MAX_STOP_CHARACTERS, actual=len(text), field=f"stop[{i}]"
            )
    return tuple(request.stop)


def _sampling(sent: llm_pb2.Sampling) -> Sampling:
    top_p = sent.top_p if sent.HasField("top_p") else 1.0
    penalty = sent.repetition_penalty if sent.HasField("repetition_penalty") else 1.0
    checks = (
        ("temperature", 0 <= sent.temperature <= 100, "between 0 and 100"),
        ("top_p", 0 < top_p <= 1, "above 0 and at most 1"),
        ("min_p", 0 <= sent.min_p <= 1, "between 0 and 1"),
        ("repetition_penalty", penalty > 0 and math.isfinite(penalty), "above 0"),
        ("frequency_penalty", -2 <= sent.frequency_penalty <= 2, "between -2 and 2"),
        ("presence_penalty", -2 <= sent.presence_penalty <= 2, "between -2 and 2"),
    )
    wrong = [
        FieldViolation(f"sampling.{name}", f"must be {span}", "out_of_range")
        for name, right, span in checks
        if not right
    ]
    if wrong:
        raise InvalidField(*wrong)
    return Sampling(
        temperature=sent.temperature,
        top_p=top_p,
        top_k=sent.top_k,
        min_p=sent.min_p,
        seed=sent.seed,
        repetition_penalty=penalty,
        frequency_penalty=sent.frequency_penalty,
        presence_penalty=sent.presence_penalty,
    )


def _logprobs(request: llm_pb2.GenerateRequest) -> int | None:
    if request.logprobs > MAX_LOGPROBS:
        raise InputTooLong("likeliest tokens to tell", limit=MAX_LOGPROBS, actual=request.logprobs, field="logprobs")
    return request.logprobs if request.HasField("logprobs") else None


def _constraint(sent: llm_pb2.Constraint) -> Constraint:
    kind = sent.WhichOneof("form")
    if kind is None:
        raise InvalidField(FieldViolation("constraint", "has no form", "missing"))
    if kind == "choice":
        return Constraint.choice(_options(sent.choice.options))
    text: str = getattr(sent, kind)
    limit = MAX_SCHEMA_CHARACTERS if kind == "json_schema" else MAX_REGEX_CHARACTERS
    if len(text) > limit:
        raise InputTooLong("characters of the constraint", limit=limit, actual=len(text), field=f"constraint.{kind}")
    return Constraint.json_schema(text) if kind == "json_schema" else Constraint.regex(text)


def _options(options: Sequence[str]) -> Sequence[str]:
    field = "constraint.choice.options"
    if not options:
        raise InvalidField(FieldViolation(field, "is empty", "too_short"))
    if len(options) > MAX_OPTIONS:
        raise InputTooLong("options", limit=MAX_OPTIONS, actual=len(options), field=field)
    for i, option in enumerate(options):
        if not option:
            raise InvalidField(FieldViolation(f"{field}[{i}]", "is empty", "too_short"))
        if len(option) > MAX_OPTION_CHARACTERS:
            raise InputTooLong(
                "characters of an option", limit=MAX_OPTION_CHARACTERS, actual=len(option), field=f"{field}[{i}]"
            )
    return options
