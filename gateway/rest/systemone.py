"""TypeSafe System One: `POST /v1/systemone`.

Any failure of the body itself is 422 with `detail` as an array of `{type, loc, msg}`, `loc` beginning with "body";
every other failure has `detail` as an object `{error_type, message}`. Unknown keys are ignored, as that contract says.
"""

from collections.abc import Iterable

from gateway.rest import native
from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Failure, Loc, Violations, blaming, shown
from quartet.v1 import classifier_pb2 as pb
from quartet.v1 import common_pb2
from services.runtime.json_text import Json, message

DIGITS = 6
"""Decimals of every probability and confidence in an answer."""

_STATUS = native.STATUS | {
    "INVALID_FIELD": 422,
    "INVALID_JSON": 422,
    "MODEL_NOT_FOUND": 400,
    "INPUT_TOO_LONG": 400,
    "QUEUE_FULL": 529,
    "CLIENT_CANCELLED": 408,
}
_ERROR_TYPE = {
    "CREDENTIAL_INVALID": "authentication_error",
    "INPUT_TOO_LONG": "max_tokens_exceeded",
    "QUEUE_FULL": "overloaded_error",
    "SERVICE_UNAVAILABLE": "overloaded_error",
    "MODEL_LOADING": "overloaded_error",
    "DRAINING": "overloaded_error",
    "DEADLINE_EXCEEDED": "timeout",
    "CLIENT_CANCELLED": "timeout",
    "INTERNAL": "unknown",
    "MODEL_FAILURE": "unknown",
    "NOT_IMPLEMENTED": "unknown",
}


async def answer(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request."""
    request = to_request(body)
    with blaming(lambda loc: to_loc(loc, request)):
        response = await context.clients.decide(request, request_id=context.request_id)
    return JsonReply(to_body(response))


def render(failure: Failure) -> JsonReply:
    """A failure in the shapes of this contract."""
    status = _STATUS.get(failure.reason, 500)
    if failure.reason in ("INVALID_FIELD", "INVALID_JSON") and failure.violations:
        detail: Json = [{"type": v.kind, "loc": ["body", *v.loc], "msg": v.message} for v in failure.violations]
    else:
        detail = {"error_type": _ERROR_TYPE.get(failure.reason, "api_usage_error"), "message": failure.message}
    return JsonReply({"detail": detail}, status, headers=native.headers(failure))


def to_request(body: dict[str, Json]) -> pb.DecideRequest:
    """The body as a message; nothing is lost on the way.

    Only what the message cannot express is refused here: wrong JSON types. Counts and emptiness are the service's.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.DecideRequest(model=_model(body, wrong))
    if _has_assets(body):
        wrong.add(("assets",), "images are not answered by this version", "not_supported")
    fill(request, body, wrong)
    wrong.check()
    return request


def fill(request: pb.DecideRequest, body: dict[str, Json], wrong: Violations) -> None:
    """Sets state and questions; notes everything that is wrong with them."""
    _put_state(request.state, body, wrong)
    questions = body.get("questions")
    if "questions" not in body:
        wrong.add(("questions",), "Field required", "missing")
    elif not isinstance(questions, dict):
        wrong.add(("questions",), f"must be an object, not {shown(questions)}", "dict_type")
    else:
        for name, question in questions.items():
            _put_question(request.questions.add(id=name), question, ("questions", name), wrong)


def to_loc(loc: Loc, request: pb.DecideRequest) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    match loc:
        case ("questions", int(index), *rest) if index < len(request.questions):
            question = request.questions[index]
            return ("questions", question.id, *_inner(tuple(rest), question))
        case ("state", "json" | "text", *rest):
            return ("state", *rest)
    return loc


def to_body(response: pb.DecideResponse, *, digits: int = DIGITS, top: bool = False) -> dict[str, Json]:
    """The answers as JSON, in the order of the questions.

    Numbers have `digits` decimals. `top` gives the highest probability as the confidence, as some dialects define it.
    """
    return {
        "model": response.model,
        "answers": {answer.id: _answer(answer, digits, top) for answer in response.answers},
        "usage": {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens},
    }


def from_request(request: pb.DecideRequest) -> dict[str, Json]:
    """The body that `to_request` would turn into this message; the inverse that shows nothing is lost."""
    state: Json = request.state.text if request.state.WhichOneof("value") == "text" else request.state.json
    return {
        "model": request.model,
        "state": state,
        "questions": {question.id: _question(question) for question in request.questions},
    }


def _model(body: dict[str, Json], wrong: Violations) -> str:
    model = body.get("model")
    if "model" not in body:
        wrong.add(("model",), "Field required", "missing")
    elif not isinstance(model, str):
        wrong.add(("model",), f"must be a string, not {shown(model)}", "string_type")
    elif not model:
        wrong.add(("model",), "must not be empty", "string_too_short")
    else:
        return model
    return ""


def _has_assets(body: dict[str, Json]) -> bool:
    return body.get("assets") not in (None, {})


def _put_state(state: common_pb2.State, body: dict[str, Json], wrong: Violations) -> None:
    value = body.get("state")
    if "state" not in body:
        wrong.add(("state",), "Field required", "missing")
    elif isinstance(value, str):
        state.text = value
    elif isinstance(value, dict | list):
        state.json.CopyFrom(message(value))
    else:
        wrong.add(("state",), f"must be a string, an object or an array, not {shown(value)}", "type_error")


def _put_question(question: pb.Question, value: Json, loc: Loc, wrong: Violations) -> None:
    if not isinstance(value, dict):
        wrong.add(loc, f"must be an object, not {shown(value)}", "dict_type")
        return
    if value.get("instructions") is not None:
        _put_text(question.instructions, value["instructions"], (*loc, "instructions"), wrong)
    elif "instructions" in value:
        question.instructions.json = b"null"
    kind = value.get("type")
    if "type" not in value:
        wrong.add((*loc, "type"), "Field required", "missing")
    elif kind == "noul":
        _put_noul(question.noul, value.get("criteria"), (*loc, "criteria"), wrong)
    elif kind == "choice":
        _put_choice(question.choice, value, (*loc, "criteria"), wrong)
    elif kind == "score":
        _put_score(question.score, value, (*loc, "criteria"), wrong)
    else:
        wrong.add((*loc, "type"), "must be one of 'noul', 'choice', 'score'", "union_tag_invalid")


def _put_noul(spec: pb.NoulSpec, criteria: Json, loc: Loc, wrong: Violations) -> None:
    spec.SetInParent()
    if criteria is None:
        return
    if not isinstance(criteria, dict):
        wrong.add(loc, f"must be an object or null, not {shown(criteria)}", "dict_type")
        return
    for key, target in (("true", "when_true"), ("false", "when_false")):
        if key in criteria:
            _put_text(getattr(spec, target), criteria[key], (*loc, key), wrong, nullable=True)


def _put_choice(spec: pb.ChoiceSpec, question: dict[str, Json], loc: Loc, wrong: Violations) -> None:
    spec.SetInParent()
    criteria = question.get("criteria")
    if "criteria" not in question:
        wrong.add(loc, "Field required", "missing")
    elif not isinstance(criteria, dict):
        wrong.add(loc, f"must be an object of option names, not {shown(criteria)}", "dict_type")
    else:
        for name, description in criteria.items():
            _put_text(spec.options.add(name=name).description, description, (*loc, name), wrong, nullable=True)


def _put_score(spec: pb.ScoreSpec, question: dict[str, Json], loc: Loc, wrong: Violations) -> None:
    spec.SetInParent()
    criteria = question.get("criteria")
    if "criteria" not in question:
        wrong.add(loc, "Field required", "missing")
    elif not isinstance(criteria, list):
        wrong.add(loc, f"must be an array of levels, lowest first, not {shown(criteria)}", "list_type")
    else:
        for index, level in enumerate(criteria):
            _put_text(spec.levels.add(), level, (*loc, index), wrong)


def _put_text(
    target: common_pb2.JsonValue, value: Json, loc: Loc, wrong: Violations, *, nullable: bool = False
) -> None:
    if isinstance(value, str):
        target.text = value
    elif isinstance(value, dict | list) or (value is None and nullable):
        target.CopyFrom(message(value))
    else:
        wrong.add(loc, f"must be a string, an object or an array, not {shown(value)}", "type_error")


def _inner(rest: Loc, question: pb.Question) -> Iterable[str | int]:
    match rest:
        case ("choice", "options", int(index), *_) if index < len(question.choice.options):
            return ("criteria", question.choice.options[index].name)
        case ("score", "levels", int(index), *_):
            return ("criteria", index)
        case ("noul", ("when_true" | "when_false") as side, *_):
            return ("criteria", side.removeprefix("when_"))
        case ("choice" | "score" | "noul", *_):
            return ("criteria",)
        case ("id", *_):
            return ()
    return rest


def _answer(answer: pb.Answer, digits: int, top: bool) -> Json:
    if answer.HasField("noul"):
        return {"type": "noul", "noul": round(answer.noul.probability, digits)}
    if answer.HasField("choice"):
        choice = answer.choice
        probabilities = {p.name: round(p.probability, digits) for p in choice.probabilities}
        confidence = max(probabilities.values()) if top else round(choice.confidence, digits)
        return {
            "type": "choice",
            "choice": choice.choice,
            "probabilities": probabilities,
            "confidence": confidence,
        }
    score = answer.score
    probabilities = {str(index): round(p, digits) for index, p in enumerate(score.probabilities)}
    return {
        "type": "score",
        "score": round(score.score, digits),
        "legend": {str(index): level for index, level in enumerate(score.legend)},
        "probabilities": probabilities,
        "confidence": max(probabilities.values()) if top else round(score.confidence, digits),
    }


def _question(question: pb.Question) -> Json:
    body: dict[str, Json] = {"type": question.WhichOneof("spec")}
    if question.HasField("instructions"):
        body["instructions"] = question.instructions
    if question.HasField("choice"):
        body["criteria"] = {option.name: option.description for option in question.choice.options}
    elif question.HasField("score"):
        body["criteria"] = list(question.score.levels)
    else:
        sides = {"true": "when_true", "false": "when_false"}
        found = {key: getattr(question.noul, name) for key, name in sides.items() if question.noul.HasField(name)}
        if found:
            body["criteria"] = found
    return body
