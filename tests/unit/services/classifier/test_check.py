"""What is refused, and where it says the fault is."""

from typing import Any

import pytest

from services.classifier.check import Limits, check
from services.classifier.values import Option, Question, Request, choice, noul, score
from services.runtime.errors import InvalidField

LIMITS = Limits()
TWICE = Request("x", (Question("a", "choice", (Option("b"), Option("b"))),))
FINE = noul("a", "Is it?")


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "request_",
    [
        Request("", (FINE,)),
        Request({}, (FINE,)),
        Request([], (FINE,)),
        Request("x", (noul("a", when_true="it is red"),)),
        Request("x", (choice("a", ["one"]), score("b", ["only"]), choice("c", [str(n) for n in range(255)]))),
        Request("x", tuple(noul(str(n), "Is it?") for n in range(400))),
        Request("x", (choice("a", ["constructor", "__proto__", "0", "true", "null", " a", "a", "A"]),)),
        Request(deep(64), (FINE,)),
    ],
)
def test_accepted(request_: Request) -> None:
    check(request_, LIMITS)


@pytest.mark.parametrize(
    ("request_", "path", "kind"),
    [
        (Request(None, (FINE,)), "state", "type_error"),
        (Request(3, (FINE,)), "state", "type_error"),
        (Request(True, (FINE,)), "state", "type_error"),
        (Request(deep(65), (FINE,)), "state", "too_deep"),
        (Request("x", ()), "questions", "missing"),
        (Request("x", tuple(noul(str(n), "Is it?") for n in range(401))), "questions", "too_long"),
        (Request("x", (FINE, FINE)), "questions[1].id", "duplicate"),
        (Request("x", (noul("", "Is it?"),)), "questions[0].id", "missing"),
        (Request("x", (noul("a"),)), "questions[0].noul", "missing"),
        (Request("x", (noul("a", 5),)), "questions[0].instructions", "type_error"),
        (Request("x", (noul("a", "?", when_true=1),)), "questions[0].noul.when_true", "type_error"),
        (Request("x", (choice("a", {}),)), "questions[0].choice.options", "missing"),
        (Request("x", (choice("a", [str(n) for n in range(256)]),)), "questions[0].choice.options", "too_long"),
        (Request("x", (choice("a", ["b", ""]),)), "questions[0].choice.options[1].name", "missing"),
        (TWICE, "questions[0].choice.options[1].name", "duplicate"),
        (Request("x", (choice("a", {"b": deep(70)}),)), "questions[0].choice.options[0].description", "too_deep"),
        (Request("x", (score("a", []),)), "questions[0].score.levels", "missing"),
        (Request("x", (score("a", ["x"] * 11),)), "questions[0].score.levels", "too_long"),
        (Request("x", (score("a", ["low", None]),)), "questions[0].score.levels[1]", "missing"),
        (Request("x", (score("a", ["low", 3]),)), "questions[0].score.levels[1]", "type_error"),
    ],
)  # fmt: skip
def test_refused_with_the_path(request_: Request, path: str, kind: str) -> None:
    with pytest.raises(InvalidField) as caught:
        check(request_, LIMITS)
    assert (path, kind) in [(violation.path, violation.kind) for violation in caught.value.fields]


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(InvalidField) as caught:
        check(Request(1, (noul("a"), score("b", []))), LIMITS)
    assert len(caught.value.fields) == 3
