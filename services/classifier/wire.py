"""Between the messages of `quartet.v1` and the values of the model. Maps; decides nothing."""

from collections.abc import Iterable, Sequence
from typing import Any

from quartet.v1 import classifier_pb2 as pb
from quartet.v1 import common_pb2
from services.classifier.values import Answer, Choice, Decision, Noul, Option, Question, Request, Score
from services.runtime import json_text
from services.runtime.errors import FieldViolation, InvalidField


def request_of(message: pb.DecideRequest) -> Request:
    """The request in a message; raises InvalidField for JSON that is not acceptable and for a oneof that is not set."""
    questions = [_question(question, f"questions[{index}]") for index, question in enumerate(message.questions)]
    return Request(_state(message.state), tuple(questions))


def _state(state: common_pb2.State) -> Any:
    form = state.WhichOneof("value")
    if form is None:
        raise InvalidField(FieldViolation("state", "set text or json", "missing"))
    return state.text if form == "text" else json_text.read(state.json, "state.json")


def _question(question: pb.Question, path: str) -> Question:
    kind = question.WhichOneof("spec")
    if kind is None:
        raise InvalidField(FieldViolation(path, "set one of noul, choice, score", "missing"))
    asked = json_text.read(question.instructions, f"{path}.instructions") if question.HasField("instructions") else None
    return Question(question.id, kind, _options(question, f"{path}.{kind}"), asked)


def _options(question: pb.Question, path: str) -> tuple[Option, ...]:
    if question.HasField("noul"):
        return _noul(question.noul, path)
    return _choice(question.choice, path) if question.HasField("choice") else _score(question.score, path)


def _noul(spec: pb.NoulSpec, path: str) -> tuple[Option, ...]:
    told = {
        name: json_text.read(getattr(spec, name), f"{path}.{name}") if spec.HasField(name) else None
        for name in ("when_false", "when_true")
    }
    return (Option("no", told["when_false"]), Option("yes", told["when_true"]))


def _choice(spec: pb.ChoiceSpec, path: str) -> tuple[Option, ...]:
    return tuple(
        Option(
            option.name,
            json_text.read(option.description, f"{path}.options[{index}].description")
            if option.HasField("description")
            else None,
        )
        for index, option in enumerate(spec.options)
    )


def _score(spec: pb.ScoreSpec, path: str) -> tuple[Option, ...]:
    return tuple(
        Option("", json_text.read(level, f"{path}.levels[{index}]")) for index, level in enumerate(spec.levels)
    )


def answers_of(decision: Decision, asked: Sequence[pb.Question]) -> Iterable[pb.Answer]:
    """The answers as messages; a score takes its legend from the question as sent."""
    return (_answer(answer, question) for answer, question in zip(decision.answers, asked, strict=True))


def _answer(answer: Answer, question: pb.Question) -> pb.Answer:
    match answer:
        case Noul():
            return pb.Answer(id=answer.id, noul=pb.NoulAnswer(probability=answer.probability))
        case Choice():
            pairs = [pb.OptionProbability(name=name, probability=value) for name, value in answer.probabilities]
            value = pb.ChoiceAnswer(choice=answer.choice, probabilities=pairs, confidence=answer.confidence)
            return pb.Answer(id=answer.id, choice=value)
        case Score():
            scored = pb.ScoreAnswer(
                score=answer.score,
                probabilities=answer.probabilities,
                confidence=answer.confidence,
                legend=[_as_json(level) for level in question.score.levels],
            )
            return pb.Answer(id=answer.id, score=scored)


def _as_json(value: common_pb2.JsonValue) -> common_pb2.JsonValue:
    return json_text.message(value.text) if value.HasField("text") else value
