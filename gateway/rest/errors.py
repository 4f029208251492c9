"""What can go wrong with a request, before any dialect decides how to say it.

Everything that fails raises `Failure`: body parsing and validation directly, the services through `from_rpc`. A
dialect turns a failure into a response in exactly one function of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from services.runtime.json_text import Json

Loc = tuple[str | int, ...]

_BY_CODE = {
    grpc.StatusCode.INVALID_ARGUMENT: "INVALID_FIELD",
    grpc.StatusCode.UNAUTHENTICATED: "CREDENTIAL_INVALID",
    grpc.StatusCode.NOT_FOUND: "MODEL_NOT_FOUND",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "QUEUE_FULL",
    grpc.StatusCode.UNAVAILABLE: "SERVICE_UNAVAILABLE",
    grpc.StatusCode.DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
    grpc.StatusCode.CANCELLED: "CLIENT_CANCELLED",
    grpc.StatusCode.UNIMPLEMENTED: "NOT_IMPLEMENTED",
}
_SEGMENT = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing wrong with the body.

    `loc` is the path of JSON keys and indices from the root of the body; `kind` is a short machine-readable name
    (`missing`, `string_type`, `value_error` and so on).
    """

    loc: Loc
    message: str
    kind: str = "value_error"

    @property
    def path(self) -> str:
        """The path as one string, for example `questions.refund.criteria` or `series[0].values[3]`."""
        return dotted(self.loc)


class Failure(Exception):
    """A request that cannot be answered.

    `reason` is one of the UPPER_SNAKE reasons of the README's table. `violations` is filled when parts of the body are
    to blame. `retry_after_s` is set when the same request may succeed later. `headers` go out with the answer.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        violations: Sequence[Violation] = (),
        retry_after_s: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.violations = tuple(violations)
        self.retry_after_s = retry_after_s
        self.metadata = dict(metadata or {})
        self.headers: dict[str, str] = {}


class Violations:
    """Collects everything that is wrong with a body, so that a caller sees all of it at once."""

    def __init__(self) -> None:
        self._found: list[Violation] = []

    def add(self, loc: Loc, message: str, kind: str = "value_error") -> None:
        """Notes one violation."""
        self._found.append(Violation(loc, message, kind))

    def check(self) -> None:
        """Raises `Failure` with reason INVALID_FIELD when anything was noted."""
        if self._found:
            raise invalid(self._found)


def invalid(violations: Sequence[Violation]) -> Failure:
    """A failure that blames fields of the body."""
    message = "; ".join(f"{v.path}: {v.message}" if v.loc else v.message for v in violations[:10])
    if len(violations) > 10:
        message += f"; and {len(violations) - 10} more"
    return Failure("INVALID_FIELD", message, violations=violations)


def internal() -> Failure:
    """The failure shown for a fault of ours; says nothing about the inside."""
    return Failure("INTERNAL", "The gateway failed while it answered this request.")


def dotted(loc: Loc) -> str:
    """`("a", 0, "b")` as `a[0].b`."""
    out = ""
    for part in loc:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def segments(path: str) -> Loc:
    """A service's field path `a[0].b` as `("a", 0, "b")`."""
    return tuple(int(index) if index else name for name, index in _SEGMENT.findall(path))


def from_rpc(error: grpc.aio.AioRpcError) -> Failure:
    """Reads ErrorInfo, BadRequest and RetryInfo of a failed call.

    A call that never reached a service (connection refused, name not found) has no details: it becomes
    SERVICE_UNAVAILABLE. Text of an error that carries no ErrorInfo is not passed on, since nobody vouches for it.
    """
    info: Any = None
    violations: list[Violation] = []
    retry_after_s: float | None = None
    for detail in _details(error):
        if isinstance(detail, error_details_pb2.ErrorInfo):
            info = detail
        elif isinstance(detail, error_details_pb2.BadRequest):
            violations += [_violation(item) for item in detail.field_violations]
        elif isinstance(detail, error_details_pb2.RetryInfo):
            retry_after_s = detail.retry_delay.ToTimedelta().total_seconds()
    if info is None:
        return _without_details(error)
    return Failure(
        info.reason,
        error.details() or info.reason,
        violations=violations,
        retry_after_s=retry_after_s,
        metadata=dict(info.metadata),
    )


@contextmanager
def blaming(to_loc: Callable[[Loc], Loc]) -> Iterator[None]:
    """Turns a failed call inside into a `Failure` whose paths are those of the caller's body."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        failure = from_rpc(error)
        violations = [Violation(to_loc(v.loc), v.message, v.kind) for v in failure.violations]
        if failure.reason == "INVALID_FIELD" and violations:
            raise invalid(violations) from error
        failure.violations = tuple(violations)
        raise failure from error


def _details(error: Any) -> list[Any]:
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # The trailer contradicts the status; then it says nothing of use.
        return []
    found = []
    for packed in status.details if status is not None else ():
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
            if packed.Is(kind.DESCRIPTOR):
                message = kind()
                packed.Unpack(message)
                found.append(message)
    return found


def _violation(item: Any) -> Violation:
    return Violation(segments(item.field), item.description, item.reason.lower() or "value_error")


def _without_details(error: grpc.aio.AioRpcError) -> Failure:
    reason = _BY_CODE.get(error.code(), "INTERNAL")
    if reason == "SERVICE_UNAVAILABLE":
        return Failure(reason, "The service behind this route does not answer right now.", retry_after_s=1.0)
    if reason == "QUEUE_FULL":  # Only the transport sends this code without details: a message over its limit.
        return Failure("BODY_TOO_LARGE", "The request is larger than the service accepts.")
    return Failure(reason, f"The service answered {error.code().name} without saying why.")


def retry_header(failure: Failure) -> dict[str, str]:
    """`Retry-After` in whole seconds, at least 1, when the failure is temporary."""
    if failure.retry_after_s is None:
        return {}
    return {"retry-after": str(max(1, round(failure.retry_after_s)))}


def shown(value: Json) -> str:
    """The JSON type of a value, for messages."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")
