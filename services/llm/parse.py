"""From the message to a checked request. Nothing is cut: what is over a limit is refused with the counts."""

import math
from typing import Final

from quartet.v1 import llm_pb2
from services.llm.chat import ROLES, Turn
from services.llm.generation import Request
from services.llm.sampling import Sampling
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

DEFAULT_TOKENS: Final = 256
MAX_STOP: Final = 4
MAX_STOP_CHARACTERS: Final = 256


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
    wrong = []
    if not 0 <= sent.temperature <= 100:
        wrong.append(FieldViolation("sampling.temperature", "must be between 0 and 100", "out_of_range"))
    if not 0 < top_p <= 1:
        wrong.append(FieldViolation("sampling.top_p", "must be above 0 and at most 1", "out_of_range"))
    if not (penalty > 0 and math.isfinite(penalty)):
        wrong.append(FieldViolation("sampling.repetition_penalty", "must be above 0", "out_of_range"))
    if wrong:
        raise InvalidField(*wrong)
    return Sampling(
        temperature=sent.temperature, top_p=top_p, top_k=sent.top_k, seed=sent.seed, repetition_penalty=penalty
    )
