"""OpenRouter's paths: System One, Decisions (alpha) and Extractions (alpha).

Bodies are those of System One and Clairic inside OpenRouter's envelope. What speaks of routing and book-keeping
(`provider`, `session_id`, `trace`, `user`) is taken and has no effect. Errors are `{"error": {code, message,
metadata}}`, where `code` is the HTTP status and `metadata` has the reason and the fields that are wrong.
"""

import re
from typing import Final

from gateway.rest import extraction, native, systemone
from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Failure, Violations, blaming
from services.runtime.json_text import Json

PROVIDER: Final = "quartet"
_ENVELOPE: Final = ("provider", "session_id", "trace", "user", "assets")
_STATUS: Final = native.STATUS | {"INVALID_FIELD": 400, "QUEUE_FULL": 529, "CLIENT_CANCELLED": 408}
_VENDOR: Final = re.compile(r"~?[a-z0-9-]+/")
# Names there leave the last part of a version out.
_SHORT: Final = {"jev-1.13": "jev-1.13.0", "jev-1.14": "jev-1.14.0"}


async def decide(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one System One request."""
    wrong = Violations()
    _refuse_pictures(body, wrong)
    wrong.check()
    request = systemone.to_request(body)
    request.model = model_name(request.model)
    with blaming(lambda loc: systemone.to_loc(loc, request)):
        response = await context.clients.decide(request, request_id=context.request_id)
    return JsonReply(_head(context) | systemone.to_body(response))


async def extract(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one extraction request."""
    wrong = Violations()
    if body.get("assets"):
        wrong.add(("assets",), "images are not read by this version", "not_supported")
    wrong.check()
    request = extraction.to_request({key: value for key, value in body.items() if key not in _ENVELOPE})
    request.model = model_name(request.model)
    with blaming(extraction.to_loc):
        response = await context.clients.extract(request, request_id=context.request_id)
    return JsonReply(_head(context) | extraction.to_body(response))


def model_name(name: str) -> str:
    """Our name of a model there: `~typesafe/jev-latest` is `jev-latest`, `typesafe/jev-1.14` is `jev-1.14.0`."""
    bare = _VENDOR.sub("", name, count=1) if _VENDOR.match(name) else name
    return _SHORT.get(bare, bare)


def render(failure: Failure) -> JsonReply:
    """A failure in OpenRouter's shape."""
    status = _STATUS.get(failure.reason, 500)
    metadata: dict[str, Json] = {"reason": failure.reason}
    if failure.violations:
        metadata["fields"] = [{"path": v.path, "message": v.message, "kind": v.kind} for v in failure.violations]
    error = {"code": status, "message": failure.message, "metadata": metadata}
    return JsonReply({"error": error}, status, headers=native.headers(failure))


def _head(context: Context) -> dict[str, Json]:
    return {"id": f"gen-{context.request_id}", "provider": PROVIDER}


def _refuse_pictures(body: dict[str, Json], wrong: Violations) -> None:
    # Such a part is an image to that contract; as text it would be answered wrongly without a word.
    state = body.get("state")
    for index, part in enumerate(state if isinstance(state, list) else ()):
        if isinstance(part, dict) and part.get("type") == "image_url":
            wrong.add(("state", index), "images are not read by this version", "not_supported")
