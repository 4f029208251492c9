"""The errors of Quartet.

QuartetError
├── InvalidField            INVALID_ARGUMENT     INVALID_FIELD
├── InputTooLong            INVALID_ARGUMENT     INPUT_TOO_LONG
├── ModelNotFound           NOT_FOUND            MODEL_NOT_FOUND
├── CascadeNotFound         NOT_FOUND            CASCADE_NOT_FOUND
├── ModelLoading            UNAVAILABLE          MODEL_LOADING
├── Draining                UNAVAILABLE          DRAINING
├── ServiceUnavailable      UNAVAILABLE          SERVICE_UNAVAILABLE
├── QueueFull               RESOURCE_EXHAUSTED   QUEUE_FULL
├── DeadlineExceeded        DEADLINE_EXCEEDED    DEADLINE_EXCEEDED
├── Cancelled               CANCELLED            CLIENT_CANCELLED
├── CredentialInvalid       UNAUTHENTICATED      CREDENTIAL_INVALID
├── StepFailed              ABORTED              STEP_FAILED
└── ModelFailure            INTERNAL             MODEL_FAILURE

They are mapped to gRPC in `interceptors` and to HTTP by each dialect of the gateway, nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

DOMAIN = "quartet"


class Code(IntEnum):
    """Canonical status codes, with the numbers of gRPC."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One thing that is wrong with a request."""

    path: str
    """Path of the field, for example `questions.urgent.criteria`."""
    description: str
    """What is wrong, for people."""
    kind: str = "value_error"
    """Short machine name of the rule, for example `missing` or `too_long`."""


class QuartetError(Exception):
    """Base of every error that a caller may see."""

    code: ClassVar[Code] = Code.INTERNAL
    reason: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        metadata: dict[str, str] | None = None,
        fields: tuple[FieldViolation, ...] = (),
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.metadata = metadata or {}
        self.fields = fields
        self.retry_after_s = retry_after_s


class InvalidField(QuartetError):
    """A field of the request is missing, of the wrong type or out of range."""

    code = Code.INVALID_ARGUMENT
    reason = "INVALID_FIELD"

    def __init__(self, *violations: FieldViolation) -> None:
        message = "; ".join(f"{v.path}: {v.description}" for v in violations) or "invalid request"
        super().__init__(message, fields=violations)


class InputTooLong(QuartetError):
    """The input is over a stated limit. Nothing is ever cut."""

    code = Code.INVALID_ARGUMENT
    reason = "INPUT_TOO_LONG"

    def __init__(self, what: str, *, limit: int, actual: int, field: str = "") -> None:
        self.limit, self.actual = limit, actual
        message = f"{what}: {actual} is over the limit of {limit}"
        violations = (FieldViolation(field, message, "too_long"),) if field else ()
        super().__init__(message, metadata={"limit": str(limit), "actual": str(actual)}, fields=violations)


class ModelNotFound(QuartetError):
    """No model has this id or alias."""

    code = Code.NOT_FOUND
    reason = "MODEL_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"model {name!r} is not known here",
            metadata={"model": name},
            fields=(FieldViolation("model", f"unknown model {name!r}", "not_found"),),
        )


class CascadeNotFound(QuartetError):
    """No cascade has this name."""

    code = Code.NOT_FOUND
    reason = "CASCADE_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(f"cascade {name!r} is not known here", metadata={"cascade": name})


class ModelLoading(QuartetError):
    """The service is up but its model is not loaded yet."""

    code = Code.UNAVAILABLE
    reason = "MODEL_LOADING"

    def __init__(self) -> None:
        super().__init__("the model is still loading", retry_after_s=1.0)


class Draining(QuartetError):
    """The service is shutting down and takes no new work."""

    code = Code.UNAVAILABLE
    reason = "DRAINING"

    def __init__(self) -> None:
        super().__init__("the service is shutting down", retry_after_s=1.0)


class ServiceUnavailable(QuartetError):
    """A service that this call needs cannot be reached."""

    code = Code.UNAVAILABLE
    reason = "SERVICE_UNAVAILABLE"

    def __init__(self, service: str) -> None:
        super().__init__(f"the {service} service cannot be reached", metadata={"service": service}, retry_after_s=1.0)


class QueueFull(QuartetError):
    """The service holds as many requests as it may."""

    code = Code.RESOURCE_EXHAUSTED
    reason = "QUEUE_FULL"

    def __init__(self, capacity: int) -> None:
        super().__init__(
            f"the queue is full ({capacity} requests)", metadata={"capacity": str(capacity)}, retry_after_s=0.5
        )


class DeadlineExceeded(QuartetError):
    """The deadline passed before the work was done."""

    code = Code.DEADLINE_EXCEEDED
    reason = "DEADLINE_EXCEEDED"

    def __init__(self) -> None:
        super().__init__("the deadline passed before the answer was ready")


class Cancelled(QuartetError):
    """The client went away."""

    code = Code.CANCELLED
    reason = "CLIENT_CANCELLED"

    def __init__(self) -> None:
        super().__init__("the client cancelled the call")


class CredentialInvalid(QuartetError):
    """No key, or a key that is not known."""

    code = Code.UNAUTHENTICATED
    reason = "CREDENTIAL_INVALID"


class StepFailed(QuartetError):
    """A step of a cascade failed and nothing caught it."""

    code = Code.ABORTED
    reason = "STEP_FAILED"


class ModelFailure(QuartetError):
    """The model run failed; the log has the details under the request id."""

    code = Code.INTERNAL
    reason = "MODEL_FAILURE"

    def __init__(self) -> None:
        super().__init__("the model run failed")
