"""Quartet's own error body, used where no other vendor's contract rules.

{"error": {"reason": "INVALID_FIELD", "message": "...", "fields": [{"path", "message", "kind"}], "metadata": {}}}
"""

from gateway.rest.endpoint import JsonReply
from gateway.rest.errors import Failure, retry_header
from services.runtime.json_text import Json

STATUS = {
    "INVALID_FIELD": 422,
    "INVALID_JSON": 400,
    "INVALID_ENCODING": 400,
    "CREDENTIAL_INVALID": 401,
    "MODEL_NOT_FOUND": 404,
    "NOT_FOUND": 404,
    "INPUT_TOO_LONG": 413,
    "BODY_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "UNSUPPORTED_ENCODING": 415,
    "QUEUE_FULL": 429,
    "CLIENT_CANCELLED": 499,
    "INTERNAL": 500,
    "MODEL_FAILURE": 500,
    "NOT_IMPLEMENTED": 501,
    "SERVICE_UNAVAILABLE": 503,
    "MODEL_LOADING": 503,
    "DRAINING": 503,
    "DEADLINE_EXCEEDED": 504,
}


def render(failure: Failure) -> JsonReply:
    """A failure in Quartet's own shape."""
    error: dict[str, Json] = {"reason": failure.reason, "message": failure.message}
    if failure.violations:
        error["fields"] = [{"path": v.path, "message": v.message, "kind": v.kind} for v in failure.violations]
    if failure.metadata:
        error["metadata"] = failure.metadata
    return JsonReply({"error": error}, STATUS.get(failure.reason, 500), headers=headers(failure))


def headers(failure: Failure) -> dict[str, str]:
    """Headers that go with a failure in any dialect."""
    found = failure.headers | retry_header(failure)
    if failure.reason == "CREDENTIAL_INVALID":
        found["www-authenticate"] = "Bearer"
    if failure.reason == "UNSUPPORTED_ENCODING":
        found["accept-encoding"] = "gzip, zstd"
    return found
