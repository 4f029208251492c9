"""Refuses what cannot be decided, with the path of the field."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from services.classifier.text import MAX_DEPTH, depth
from services.classifier.values import Question, Request
from services.runtime.errors import FieldViolation, InvalidField


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may hold. Tokens are the model's."""

    questions: int = 400
    options: int = 255
    levels: int = 10
    characters: int = 1_000_000
    """Of the state and all questions, checked before anything is tokenised."""
    state_and_question_tokens: int = 32_768
    """Of the state and the longest single question."""
    request_tokens: int = 65_536
    """Of the state and all questions."""
    question_tokens: int = 2_048
    """Of one question's instructions and its longest option."""
    depth: int = MAX_DEPTH
    """Containers inside containers in one JSON value."""

    def as_dict(self) -> dict[str, int]:
        """For a model card."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


def check(request: Request, limits: Limits) -> None:
    """Raise InvalidField naming everything that is wrong with the form of a request."""
    violations = [*_state(request.state, limits), *_questions(request.questions, limits)]
    if violations:
        raise InvalidField(*violations)


def _state(state: Any, limits: Limits) -> Iterator[FieldViolation]:
    if not isinstance(state, str | dict | list):
        yield FieldViolation("state", "must be text, an object or an array", "type_error")
    yield from _value(state, "state", limits)


def _questions(questions: tuple[Question, ...], limits: Limits) -> Iterator[FieldViolation]:
    if not questions:
        yield FieldViolation("questions", "must hold at least one question", "missing")
    if len(questions) > limits.questions:
        yield FieldViolation(
            "questions", f"{len(questions)} questions, at most {limits.questions} are taken", "too_long"
        )
        return
    seen: set[str] = set()
    for index, question in enumerate(questions):
        path = f"questions[{index}]"
        if not question.id:
            yield FieldViolation(f"{path}.id", "must not be empty", "missing")
        elif question.id in seen:
            yield FieldViolation(f"{path}.id", f"{question.id!r} is used twice", "duplicate")
        seen.add(question.id)
        yield from _question(question, path, limits)


def _question(question: Question, path: str, limits: Limits) -> Iterator[FieldViolation]:
    asked = question.instructions
    if asked is not None and not isinstance(asked, str | dict | list):
        yield FieldViolation(f"{path}.instructions", "must be text, an object or an array", "type_error")
    yield from _value(asked, f"{path}.instructions", limits)
    forms = {"noul": _noul, "choice": _choice, "score": _score}
    yield from forms[question.kind](question, f"{path}.{question.kind}", limits)


def _noul(question: Question, path: str, limits: Limits) -> Iterator[FieldViolation]:
    told = [option.description for option in question.options]
    if question.instructions in (None, "") and told == [None, None]:
        yield FieldViolation(path, "needs instructions or a described outcome", "missing")
    for name, value in zip(("when_false", "when_true"), told, strict=True):
        yield from _description(value, f"{path}.{name}", limits)


def _choice(question: Question, path: str, limits: Limits) -> Iterator[FieldViolation]:
    count, path, seen = len(question.options), f"{path}.options", set[str]()
    if not 1 <= count <= limits.options:
        yield FieldViolation(
            path, f"{count} options, 1 to {limits.options} are taken", "too_long" if count else "missing"
        )
        return
    for index, option in enumerate(question.options):
        if not option.name:
            yield FieldViolation(f"{path}[{index}].name", "must not be empty", "missing")
        elif option.name in seen:
            yield FieldViolation(f"{path}[{index}].name", f"{option.name!r} is used twice", "duplicate")
        seen.add(option.name)
        yield from _description(option.description, f"{path}[{index}].description", limits)


def _score(question: Question, path: str, limits: Limits) -> Iterator[FieldViolation]:
    count, path = len(question.options), f"{path}.levels"
    if not 1 <= count <= limits.levels:
        yield FieldViolation(
            path, f"{count} levels, 1 to {limits.levels} are taken", "too_long" if count else "missing"
        )
        return
    for index, option in enumerate(question.options):
        if option.description is None:
            yield FieldViolation(f"{path}[{index}]", "must not be null", "missing")
        yield from _description(option.description, f"{path}[{index}]", limits)


def _description(value: Any, path: str, limits: Limits) -> Iterator[FieldViolation]:
    if value is not None and not isinstance(value, str | dict | list):
        yield FieldViolation(path, "must be text, an object or an array", "type_error")
    yield from _value(value, path, limits)


def _value(value: Any, path: str, limits: Limits) -> Iterator[FieldViolation]:
    if depth(value) > limits.depth:
        yield FieldViolation(path, f"nested more than {limits.depth} deep", "too_deep")
