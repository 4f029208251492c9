"""OpenAI chat completions: `POST /v1/chat/completions`, in one piece or as server-sent events.

What this model cannot do is refused with the name of the parameter, never ignored. `temperature` is 0 unless given: the
same request then has the same answer. `top_k`, `min_p`, `repetition_penalty` and `structured_outputs` are taken as
extensions.
"""

import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Final

import grpc
from starlette.responses import Response, StreamingResponse

from gateway.rest import chat_form, native
from gateway.rest.chat_request import Chat, to_chat
from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Failure, Loc, blaming, from_rpc
from quartet.v1 import llm_pb2 as pb
from services.runtime.json_text import Json, dump

_STATUS: Final = native.STATUS | {"INVALID_FIELD": 400, "INPUT_TOO_LONG": 400}
_TYPE: Final = {
    "CREDENTIAL_INVALID": "authentication_error",
    "QUEUE_FULL": "rate_limit_error",
    "INTERNAL": "server_error",
    "MODEL_FAILURE": "server_error",
    "NOT_IMPLEMENTED": "server_error",
    "SERVICE_UNAVAILABLE": "server_error",
    "MODEL_LOADING": "server_error",
    "DRAINING": "server_error",
    "DEADLINE_EXCEEDED": "server_error",
}
_CODE: Final = {
    "CREDENTIAL_INVALID": "invalid_api_key",
    "MODEL_NOT_FOUND": "model_not_found",
    "INPUT_TOO_LONG": "context_length_exceeded",
    "QUEUE_FULL": "rate_limit_exceeded",
}
_FINISH: Final = {pb.FINISH_REASON_STOP: "stop", pb.FINISH_REASON_LENGTH: "length"}

Pieces = AsyncGenerator[pb.GenerateResponse, None]


async def answer(body: dict[str, Json], context: Context) -> Response:
    """Answers one request; a stream begins only when its first piece is there, so that it can still fail properly."""
    chat = to_chat(body)
    pieces = context.clients.generate(chat.request, request_id=context.request_id)
    if not chat.stream:
        return JsonReply(await _complete(pieces))
    with blaming(to_loc):
        first = await anext(pieces)
    events = _events(pieces, first, chat)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def render(failure: Failure) -> JsonReply:
    """A failure in OpenAI's shape."""
    return JsonReply(error_body(failure), _STATUS.get(failure.reason, 500), headers=native.headers(failure))


def error_body(failure: Failure) -> Json:
    """`{"error": {message, type, param, code}}`; `param` is the first field that is wrong."""
    param = failure.violations[0].path or None if failure.violations else None
    return {
        "error": {
            "message": failure.message,
            "type": _TYPE.get(failure.reason, "invalid_request_error"),
            "param": param,
            "code": _CODE.get(failure.reason, failure.reason.lower()),
        }
    }


def to_loc(loc: Loc) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    return loc[1:] if loc[:1] == ("sampling",) and len(loc) > 1 else chat_form.to_loc(loc)


async def _complete(pieces: Pieces) -> Json:
    texts: list[str] = []
    tokens: list[pb.TokenLogprobs] = []
    last = pb.GenerateResponse()
    with blaming(to_loc):
        async with aclosing(pieces) as stream:
            async for last in stream:
                texts.append(last.text)
                tokens.extend(last.logprobs)
    message = {"role": "assistant", "content": "".join(texts), "refusal": None}
    finish = _FINISH.get(last.finish_reason, "stop")
    choice = {"index": 0, "message": message, "logprobs": chat_form.logprobs(tokens), "finish_reason": finish}
    return {**_head("chat.completion", last.model), "choices": [choice], "usage": _usage(last)}


async def _events(pieces: Pieces, first: pb.GenerateResponse, chat: Chat) -> AsyncIterator[str]:
    head = _head("chat.completion.chunk", first.model)
    empty = {"usage": None} if chat.include_usage else {}

    def event(delta: dict[str, Json], finish: str | None = None, tokens: Json = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": tokens, "finish_reason": finish}
        return _sse({**head, "choices": [choice], **empty})

    def written(piece: pb.GenerateResponse) -> str:
        shown = piece.text or piece.logprobs
        return event({"content": piece.text}, tokens=chat_form.logprobs(piece.logprobs)) if shown else ""

    yield event({"role": "assistant", "content": "", "refusal": None})
    last = first
    if text := written(first):
        yield text
    try:
        async with aclosing(pieces) as stream:
            async for last in stream:
                if text := written(last):
                    yield text
    except grpc.aio.AioRpcError as error:
        yield _sse(error_body(from_rpc(error)))
        return
    yield event({}, _FINISH.get(last.finish_reason, "stop"))
    if chat.include_usage:
        yield _sse({**head, "choices": [], "usage": _usage(last)})
    yield "data: [DONE]\n\n"


def _head(kind: str, model: str) -> dict[str, Json]:
    identity = f"chatcmpl-{uuid.uuid4().hex}"
    return {"id": identity, "object": kind, "created": int(time.time()), "model": model, "system_fingerprint": model}


def _usage(last: pb.GenerateResponse) -> Json:
    read, written = last.usage.input_tokens, last.usage.output_tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": last.usage.cached_input_tokens},
    }


def _sse(value: Json) -> str:
    return f"data: {dump(value)}\n\n"
