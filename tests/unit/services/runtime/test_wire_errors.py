"""Every error has a code, an UPPER_SNAKE reason, ErrorInfo, and where it applies BadRequest and RetryInfo."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from google.rpc import error_details_pb2

from services.runtime import errors
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField, QuartetError, QueueFull
from services.runtime.wire_errors import to_status

README = (Path(__file__).resolve().parents[4] / "README.md").read_text(encoding="utf-8")


def subclasses(base: type[QuartetError]) -> list[type[QuartetError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, base)]


@pytest.mark.parametrize("kind", subclasses(QuartetError), ids=lambda k: k.__name__)
def test_reasons_are_well_formed_and_in_the_readme(kind: type[QuartetError]) -> None:
    assert re.fullmatch(r"[A-Z][A-Z_]{2,62}", kind.reason)
    assert kind.__doc__
    assert kind.reason == "INTERNAL" or f"`{kind.reason}`" in README


def unpack(error: QuartetError) -> tuple[int, dict[str, object]]:
    status = to_status(error)
    found: dict[str, object] = {}
    for detail in status.details:
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
            message = kind()
            if detail.Unpack(message):
                found[kind.__name__] = message
    return status.code, found


def test_bad_input_names_the_field() -> None:
    code, details = unpack(InvalidField(FieldViolation("questions[2].criteria", "must be an object", "missing")))
    assert code == 3
    violation = details["BadRequest"].field_violations[0]  # type: ignore[attr-defined]
    assert (violation.field, violation.reason) == ("questions[2].criteria", "MISSING")
    assert "RetryInfo" not in details


def test_too_long_says_both_counts() -> None:
    error = InputTooLong("state tokens", limit=10, actual=12, field="state")
    _, details = unpack(error)
    assert "12" in error.message
    assert "10" in error.message
    assert dict(details["ErrorInfo"].metadata) == {"limit": "10", "actual": "12"}  # type: ignore[attr-defined]


def test_overload_says_when_to_come_back() -> None:
    code, details = unpack(QueueFull(5))
    assert code == 8
    assert details["RetryInfo"].retry_delay.ToMilliseconds() == 500  # type: ignore[attr-defined]
    assert details["ErrorInfo"].domain == "quartet"  # type: ignore[attr-defined]
