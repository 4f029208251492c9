"""Failed calls, read from the details that services send."""

import grpc
import pytest

from gateway.rest import native
from gateway.rest.errors import Failure, blaming, dotted, from_rpc, segments
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField, ModelNotFound, QuartetError, QueueFull
from services.runtime.interceptors import grpc_code
from services.runtime.wire_errors import trailing


def failed(error: QuartetError) -> grpc.aio.AioRpcError:
    metadata = grpc.aio.Metadata(*trailing(error))
    return grpc.aio.AioRpcError(grpc_code(error.code), grpc.aio.Metadata(), metadata, error.message)


def bare(code: grpc.StatusCode, details: str = "") -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)


def test_reason_fields_and_counts_arrive() -> None:
    failure = from_rpc(failed(InputTooLong("tokens", limit=10, actual=12, field="state")))
    assert (failure.reason, failure.metadata) == ("INPUT_TOO_LONG", {"limit": "10", "actual": "12"})
    assert [(v.loc, v.kind) for v in failure.violations] == [(("state",), "too_long")]


def test_a_full_queue_says_when_to_come_back() -> None:
    failure = from_rpc(failed(QueueFull(4)))
    assert failure.retry_after_s == 0.5
    assert native.render(failure).headers["retry-after"] == "1"


def test_a_service_that_is_away_is_temporary_and_shows_nothing_of_the_transport() -> None:
    failure = from_rpc(bare(grpc.StatusCode.UNAVAILABLE, "failed to connect to ipv4:10.0.0.7:50051"))
    assert failure.reason == "SERVICE_UNAVAILABLE" and failure.retry_after_s
    assert "10.0.0.7" not in failure.message


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNKNOWN, "INTERNAL"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "BODY_TOO_LARGE"),
        (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED"),
    ],
)
def test_errors_without_details_keep_their_text_inside(code: grpc.StatusCode, reason: str) -> None:
    failure = from_rpc(bare(code, "Traceback (most recent call last)"))
    assert failure.reason == reason and "Traceback" not in failure.message


def test_fields_are_told_in_the_callers_terms() -> None:
    with pytest.raises(Failure) as caught, blaming(lambda loc: ("there", *loc)):
        raise failed(InvalidField(FieldViolation("a[2].b", "is wrong")))
    assert caught.value.message == "there.a[2].b: is wrong"
    assert caught.value.violations[0].loc == ("there", "a", 2, "b")


def test_messages_without_paths_are_kept() -> None:
    with pytest.raises(Failure) as caught, blaming(lambda loc: loc):
        raise failed(ModelNotFound("nobody"))
    assert caught.value.reason == "MODEL_NOT_FOUND" and "nobody" in caught.value.message


def test_paths_are_read_and_written() -> None:
    assert segments("questions[0].choice.options[12]") == ("questions", 0, "choice", "options", 12)
    assert dotted(("questions", "a", 0, "b")) == "questions.a[0].b"
