"""Workers AI: `POST /client/v4/accounts/{account}/ai/run/@cf/cloudflare/{model}` for the models that are known there.

Every answer is an envelope `{result, success, errors, messages}`; an error is `{code, message}` with that vendor's
codes. `cf-ai-req-id` is on every answer to a request whose body could be read. The account is not looked at.
"""

from collections.abc import Callable
from typing import Final

from gateway.rest import clef, extraction, native
from gateway.rest.endpoint import Answer, Context, JsonReply
from gateway.rest.errors import Failure, Violations, blaming
from services.runtime.json_text import Json

PREFIX: Final = "@cf/cloudflare/"
RUN: Final = "/client/v4/accounts/{account}/ai/run/"
DECIDES: Final = ("clef", "clef-flash", "clef-omni")
EXTRACTS: Final = ("clairic",)

_STATUS: Final = native.STATUS | {
    "MODEL_NOT_FOUND": 400,
    "NOT_FOUND": 400,
    "DEADLINE_EXCEEDED": 408,
    "CLIENT_CANCELLED": 408,
}
_CODE: Final = {
    "CREDENTIAL_INVALID": 10000,
    "INVALID_JSON": 6003,
    "INVALID_ENCODING": 6003,
    "UNSUPPORTED_MEDIA_TYPE": 6003,
    "UNSUPPORTED_ENCODING": 6003,
    "NOT_FOUND": 7000,
    "MODEL_NOT_FOUND": 5007,
    "INPUT_TOO_LONG": 5021,
    "BODY_TOO_LARGE": 5021,
    "QUEUE_FULL": 3040,
    "SERVICE_UNAVAILABLE": 3040,
    "MODEL_LOADING": 3040,
    "DRAINING": 3040,
    "DEADLINE_EXCEEDED": 3007,
    "CLIENT_CANCELLED": 3008,
}
_OTHER: Final = 5000
_SCHEMA: Final = 5006
_REFUSED_DECISION: Final = 5012
_REFUSED_EXTRACTION: Final = 3030
# What a JSON schema can see: a wrong type, a missing key, a value that is not one of a list.
_SCHEMA_KINDS: Final = ("missing", "enum", "type_error", "union_tag_invalid")


def decide(name: str) -> Answer:
    """The answer of a decision model."""

    async def run(body: dict[str, Json], context: Context) -> Json:
        request = clef.to_request(body, name)
        with blaming(lambda loc: clef.to_loc(loc, request)):
            response = await context.clients.decide(request, request_id=context.request_id)
        return clef.to_body(response)

    return _enveloped(run)


def extract(name: str) -> Answer:
    """The answer of an extraction model."""

    async def run(body: dict[str, Json], context: Context) -> Json:
        wrong = Violations()
        clef.check_model(body, name, wrong)
        wrong.check()
        request = extraction.to_request(body)
        with blaming(extraction.to_loc):
            response = await context.clients.extract(request, request_id=context.request_id)
        return extraction.to_body(response)

    return _enveloped(run)


async def unknown(body: dict[str, Json], context: Context) -> JsonReply:
    """The answer of a model that is not here.

    Raises:
        Failure: NOT_FOUND, always.
    """
    raise Failure("NOT_FOUND", "No route for that URI: " + ", ".join(PREFIX + name for name in (*DECIDES, *EXTRACTS)))


def render_decision(failure: Failure) -> JsonReply:
    """A failure of a decision model."""
    return _render(failure, _REFUSED_DECISION)


def render_extraction(failure: Failure) -> JsonReply:
    """A failure of an extraction model."""
    return _render(failure, _REFUSED_EXTRACTION)


def _enveloped(run: Callable[[dict[str, Json], Context], Json]) -> Answer:
    async def answer(body: dict[str, Json], context: Context) -> JsonReply:
        headers = {"cf-ai-req-id": context.request_id}
        try:
            result = await run(body, context)
        except Failure as failure:
            failure.headers |= headers
            raise
        return JsonReply({"result": result, "success": True, "errors": [], "messages": []}, headers=headers)

    return answer


def _render(failure: Failure, refused: int) -> JsonReply:
    status, code = _STATUS.get(failure.reason, 500), _CODE.get(failure.reason, _OTHER)
    if failure.reason == "INVALID_FIELD":
        against_schema = any(v.kind in _SCHEMA_KINDS or v.kind.endswith("_type") for v in failure.violations)
        status, code = (400, _SCHEMA) if against_schema else (422, refused)
    errors = [{"code": code, "message": failure.message}]
    body: Json = {"result": None, "success": False, "errors": errors, "messages": []}
    return JsonReply(body, status, headers=native.headers(failure))
