"""Clef: System One with a stricter schema, 1 to 64 questions, the top probability as confidence and four decimals.

A state that is too long is refused here; it is never cut, as it is elsewhere.
"""

import re
from typing import Final

from gateway.rest import systemone
from gateway.rest.errors import Loc, Violations, shown
from gateway.rest.values import known
from quartet.v1 import classifier_pb2 as pb
from services.runtime.json_text import Json

DIGITS: Final = 4
MAX_QUESTIONS: Final = 64
_PREFIX: Final = "@cf/cloudflare/"
_KEYS: Final = ("model", "state", "questions", "images", "audio", "videos")
_QUESTION_KEYS: Final = ("type", "instructions", "criteria")
_MEDIA: Final = ("images", "audio", "videos")
_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_LEAST: Final = {"choice": (dict, "options"), "score": (list, "levels")}


def to_request(body: dict[str, Json], name: str) -> pb.DecideRequest:
    """The body as a message for the default model; `name` is the model of the path.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.DecideRequest()
    known(body, _KEYS, (), wrong)
    check_model(body, name, wrong)
    for key in _MEDIA:
        if body.get(key):
            wrong.add((key,), f"{key} is not read by this version; send text", "not_supported")
    systemone.fill(request, body, wrong)
    if isinstance(body.get("questions"), dict):
        _check_questions(body["questions"], wrong)
    wrong.check()
    return request


def check_model(body: dict[str, Json], name: str, wrong: Violations) -> None:
    """`model` may be left out; if given, it must be the one of the path."""
    model = body.get("model")
    if model is None:
        return
    if not isinstance(model, str):
        wrong.add(("model",), f"must be a string, not {shown(model)}", "string_type")
    elif model.strip().removeprefix(_PREFIX) != name:
        wrong.add(("model",), f"must be {name!r} or {_PREFIX + name!r}, as in the path")


def to_loc(loc: Loc, request: pb.DecideRequest) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    return systemone.to_loc(loc, request)


def to_body(response: pb.DecideResponse) -> dict[str, Json]:
    """The answers as JSON, in the order of the questions."""
    return systemone.to_body(response, digits=DIGITS, top=True)


def _check_questions(questions: dict[str, Json], wrong: Violations) -> None:
    if not questions:
        wrong.add(("questions",), "needs at least one question", "missing")
    if len(questions) > MAX_QUESTIONS:
        wrong.add(("questions",), f"{len(questions)} questions; at most {MAX_QUESTIONS} are answered", "too_long")
    for name, question in questions.items():
        loc = ("questions", name)
        if not _ID.fullmatch(name):
            wrong.add(loc, "an id is 1 to 100 letters, digits, '_', '.' or '-'", "string_pattern_mismatch")
        if isinstance(question, dict):
            _check_question(question, loc, wrong)


def _check_question(question: dict[str, Json], loc: Loc, wrong: Violations) -> None:
    known(question, _QUESTION_KEYS, loc, wrong)
    if question.get("instructions") is None:
        wrong.add((*loc, "instructions"), "is required", "missing")
    elif question["instructions"] == "":
        wrong.add((*loc, "instructions"), "must not be empty", "string_too_short")
    kind, parts = _LEAST.get(str(question.get("type")), (type(None), ""))
    criteria = question.get("criteria")
    if isinstance(criteria, kind) and criteria is not None and len(criteria) < 2:
        wrong.add((*loc, "criteria"), f"needs at least two {parts}", "too_short")
    if isinstance(criteria, dict) and kind is dict and "" in criteria:
        wrong.add((*loc, "criteria", ""), "an option needs a name", "string_too_short")
