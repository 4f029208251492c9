"""The body of a chat completion as a `GenerateRequest`."""

from dataclasses import dataclass
from typing import Final

from gateway.rest import chat_form
from gateway.rest.errors import Loc, Violations, shown
from gateway.rest.values import known, put_count, put_flag, put_number, put_string
from quartet.v1 import llm_pb2 as pb
from services.runtime.json_text import Json

_ROLES: Final = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_USED: Final = (
    "model", "messages", "stream", "stream_options", "stop", "max_tokens", "max_completion_tokens", "temperature",
    "top_p", "seed", "top_k", "repetition_penalty", "min_p", "frequency_penalty", "presence_penalty", *chat_form.KEYS,
)  # fmt: skip
# These ask for nothing that the answer would show.
_IGNORED: Final = ("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
                   "prompt_cache_retention", "parallel_tool_calls")  # fmt: skip
# Parameters that are taken only with the values that mean "off".
_OFF: Final[dict[str, tuple[Json, ...]]] = {
    "n": (None, 1),
    "logit_bias": (None, {}),
    "tools": (None, []),
    "tool_choice": (None, "none", "auto"),
    "functions": (None, []),
    "function_call": (None, "none", "auto"),
    "modalities": (None, ["text"]),
    "audio": (None,),
    "prediction": (None,),
    "web_search_options": (None,),
    "reasoning_effort": (None, "none"),
    "verbosity": (None,),
}


@dataclass(frozen=True, slots=True)
class Chat:
    """A request and how its answer is to be sent."""

    request: pb.GenerateRequest
    stream: bool
    include_usage: bool


@dataclass(slots=True)
class _Flags:
    stream: bool = False
    include_usage: bool = False


def to_chat(body: dict[str, Json]) -> Chat:
    """The body as a message.

    `model` may be left out: the default model answers.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong or not supported.
    """
    wrong, flags = Violations(), _Flags()
    request = pb.GenerateRequest()
    known(body, (*_USED, *_IGNORED, *_OFF), (), wrong)
    _check_off(body, wrong)
    put_string(request, "model", body.get("model"), (), wrong)
    _put_messages(request, body, wrong)
    _put_length(request, body, wrong)
    _put_stop(request, body.get("stop"), wrong)
    _put_sampling(request.sampling, body, wrong)
    chat_form.put_form(request, body, wrong)
    chat_form.put_logprobs(request, body, wrong)
    put_flag(flags, "stream", body.get("stream"), (), wrong)
    _put_stream_options(flags, body.get("stream_options"), wrong)
    wrong.check()
    return Chat(request, flags.stream, flags.include_usage)


def from_request(request: pb.GenerateRequest) -> dict[str, Json]:
    """The body that `to_chat` would turn into this message."""
    body: dict[str, Json] = {
        "model": request.model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
    }
    sampling = request.sampling
    if request.max_tokens:
        body["max_tokens"] = request.max_tokens
    if request.stop:
        body["stop"] = list(request.stop)
    for key in ("temperature", "top_k", "min_p", "frequency_penalty", "presence_penalty"):
        if value := getattr(sampling, key):
            body[key] = value
    optional = ("top_p", "seed", "repetition_penalty")
    body |= {key: getattr(sampling, key) for key in optional if sampling.HasField(key)}
    return body | chat_form.from_form(request)


def _check_off(body: dict[str, Json], wrong: Violations) -> None:
    for key, off in _OFF.items():
        value = body.get(key)
        # True equals 1 in Python; a flag is not a count.
        if not any(value == allowed and isinstance(value, bool) == isinstance(allowed, bool) for allowed in off):
            wrong.add((key,), "is not supported by this model", "not_supported")


def _put_messages(request: pb.GenerateRequest, body: dict[str, Json], wrong: Violations) -> None:
    messages = body.get("messages")
    if not isinstance(messages, list):
        wrong.add(("messages",), "must be an array of messages", "list_type" if "messages" in body else "missing")
        return
    for index, value in enumerate(messages):
        loc: Loc = ("messages", index)
        if not isinstance(value, dict):
            wrong.add(loc, f"must be an object, not {shown(value)}", "dict_type")
            continue
        turn = request.messages.add()
        role = value.get("role")
        if isinstance(role, str) and role in _ROLES:
            turn.role = _ROLES[role]
        else:
            wrong.add((*loc, "role"), f"must be one of {', '.join(_ROLES)}", "enum")
        for key in ("tool_calls", "function_call", "audio", "tool_call_id"):
            if value.get(key):
                wrong.add((*loc, key), "is not supported by this model", "not_supported")
        turn.content = _content(value.get("content"), (*loc, "content"), wrong)


def _content(value: Json, loc: Loc, wrong: Violations) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        wrong.add(loc, f"must be a string or an array of text parts, not {shown(value)}", "string_type")
        return ""
    texts: list[str] = []
    for index, part in enumerate(value):
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if isinstance(text, str):
            texts.append(text)
        else:
            kind = part.get("type") if isinstance(part, dict) else None
            other = isinstance(kind, str) and kind != "text"
            what = f"{str(kind)[:40]} parts are not supported by this model" if other else "must be a text part"
            wrong.add((*loc, index), what, "not_supported")
    return "".join(texts)


def _put_length(request: pb.GenerateRequest, body: dict[str, Json], wrong: Violations) -> None:
    # The newer name wins, as it does for OpenAI's own models.
    key = "max_completion_tokens" if body.get("max_completion_tokens") is not None else "max_tokens"
    value = body.get(key)
    if value == 0:
        wrong.add((key,), "must be at least 1", "greater_than")
    elif isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**32:
        request.max_tokens = value
    elif value is not None:
        wrong.add((key,), "must be a whole number, 1 or more", "int_type")


def _put_stop(request: pb.GenerateRequest, value: Json, wrong: Violations) -> None:
    if isinstance(value, str):
        request.stop.append(value)
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        request.stop.extend(value)
    elif value is not None:
        wrong.add(("stop",), "must be a string or an array of at most 4 strings", "string_type")


def _put_sampling(sampling: pb.Sampling, body: dict[str, Json], wrong: Violations) -> None:
    for key in ("temperature", "top_p", "repetition_penalty", "min_p", "frequency_penalty", "presence_penalty"):
        put_number(sampling, key, body.get(key), (), wrong)
    if sampling.temperature > 2:
        wrong.add(("temperature",), "must be between 0 and 2", "less_than_equal")
    put_count(sampling, "top_k", body.get("top_k"), (), wrong)
    seed = body.get("seed")
    if isinstance(seed, int) and not isinstance(seed, bool) and -(2**63) <= seed < 2**64:
        sampling.seed = seed % 2**64  # A negative seed is as good as any other.
    elif seed is not None:
        wrong.add(("seed",), "must be a whole number of at most 64 bits", "int_type")


def _put_stream_options(flags: _Flags, value: Json, wrong: Violations) -> None:
    if value is None:
        return
    if not isinstance(value, dict):
        wrong.add(("stream_options",), f"must be an object, not {shown(value)}", "dict_type")
        return
    known(value, ("include_usage", "include_obfuscation"), ("stream_options",), wrong)
    put_flag(flags, "include_usage", value.get("include_usage"), ("stream_options",), wrong)
