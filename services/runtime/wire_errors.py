"""Errors on the wire: google.rpc.Status with ErrorInfo always, BadRequest and RetryInfo where they apply."""

from __future__ import annotations

from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from services.runtime.errors import DOMAIN, QuartetError

DETAILS_KEY = "grpc-status-details-bin"


def to_status(error: QuartetError) -> status_pb2.Status:
    """The error as a google.rpc.Status."""
    status = status_pb2.Status(code=int(error.code), message=error.message)
    details = [error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)]
    packed = [_pack(d) for d in details]
    if error.fields:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=v.path, description=v.description, reason=v.kind.upper())
            for v in error.fields
        ]
        packed.append(_pack(error_details_pb2.BadRequest(field_violations=violations)))
    if error.retry_after_s is not None:
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(int(error.retry_after_s * 1e9))
        packed.append(_pack(error_details_pb2.RetryInfo(retry_delay=delay)))
    status.details.extend(packed)
    return status


def trailing(error: QuartetError) -> tuple[tuple[str, bytes], ...]:
    """Trailing metadata that carries the details of an error."""
    return ((DETAILS_KEY, to_status(error).SerializeToString()),)


def _pack(
    message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.RetryInfo,
) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
