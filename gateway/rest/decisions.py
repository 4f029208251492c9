"""OpenAI Decisions: `POST /v1/decisions`, where questions, options and levels are arrays.

Boolean values stay booleans and differ from the strings `"true"` and `"false"`. No question is ever declined, so there
are no refusals. Probabilities and confidence are those of System One.
"""

from typing import Any, Final

from gateway.rest import decisions_input
from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Loc, Violations, blaming, shown
from gateway.rest.values import known, put_string
from quartet.v1 import classifier_pb2 as pb
from services.runtime.json_text import Json, message

DIGITS: Final = 6
ALIASES: Final = {"gpt-6-luna": ""}
"""Model names of this contract that select a model of ours; the empty name is the default model."""
# These ask for nothing that the answer would show.
_IGNORED: Final = ("prompt_cache_key", "prompt_cache_options", "safety_identifier", "user", "metadata")
_KEYS: Final = ("model", "input", "questions", *_IGNORED)
_QUESTION_KEYS: Final = {
    "predicate": ("type", "name", "instructions"),
    "choice": ("type", "name", "instructions", "choices"),
    "score": ("type", "name", "instructions", "levels"),
}


async def answer(body: dict[str, Json], context: Context) -> JsonReply:
    """Answers one request."""
    request = to_request(body)
    with blaming(to_loc):
        response = await context.clients.decide(request, request_id=context.request_id)
    return JsonReply(to_body(response, body["questions"]))


def to_request(body: dict[str, Json]) -> pb.DecideRequest:
    """The body as a message; the id of a question is its index.

    Raises:
        Failure: INVALID_FIELD with everything that is wrong.
    """
    wrong = Violations()
    request = pb.DecideRequest()
    known(body, _KEYS, (), wrong)
    put_string(request, "model", body.get("model"), (), wrong)
    request.model = ALIASES.get(request.model, request.model)
    if not body.get("model"):
        wrong.add(("model",), "is required", "missing")
    decisions_input.put_input(request.state, body, wrong)
    questions = body.get("questions")
    if isinstance(questions, list):
        for index, question in enumerate(questions):
            _put_question(request.questions.add(id=str(index)), question, ("questions", index), wrong)
    else:
        what = "list_type" if "questions" in body else "missing"
        wrong.add(("questions",), "must be an array of questions", what)
    wrong.check()
    return request


def to_loc(loc: Loc) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    match loc:
        case ("state", *_):
            return ("input",)
        case ("questions", int(index), "choice", "options", int(option), *_):
            return ("questions", index, "choices", option)
        case ("questions", int(index), "choice", *_):
            return ("questions", index, "choices")
        case ("questions", int(index), "score", "levels", int(level), *_):
            return ("questions", index, "levels", level)
        case ("questions", int(index), "score", *_):
            return ("questions", index, "levels")
        case ("questions", int(index), "noul", *_):
            return ("questions", index, "instructions")
    return loc


def to_body(response: pb.DecideResponse, questions: list[Json]) -> Json:
    """The answers in the order of `questions`, which are the ones of the body."""
    usage = response.usage
    return {
        "model": response.model,
        "answers": [_answer(answer, asked) for answer, asked in zip(response.answers, questions, strict=True)],
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input_tokens + usage.output_tokens,
        },
    }


def _put_question(question: pb.Question, value: Json, loc: Loc, wrong: Violations) -> None:
    if not isinstance(value, dict):
        wrong.add(loc, f"must be an object, not {shown(value)}", "dict_type")
        return
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _QUESTION_KEYS:
        what = "union_tag_invalid" if "type" in value else "missing"
        wrong.add((*loc, "type"), f"must be one of {', '.join(_QUESTION_KEYS)}", what)
        return
    known(value, _QUESTION_KEYS[kind], loc, wrong)
    if not isinstance(value.get("name", ""), str | None):
        wrong.add((*loc, "name"), f"must be a string, not {shown(value['name'])}", "string_type")
    if not value.get("instructions"):
        wrong.add((*loc, "instructions"), "is required and must not be empty", "missing")
    else:
        text = decisions_input.text_of(value["instructions"], (*loc, "instructions"), wrong)
        question.instructions.CopyFrom(message(text))
    if kind == "predicate":
        question.noul.SetInParent()
    elif kind == "choice":
        _put_choices(question.choice, value.get("choices"), (*loc, "choices"), wrong)
    else:
        _put_levels(question.score, value.get("levels"), (*loc, "levels"), wrong)


def _put_choices(spec: pb.ChoiceSpec, choices: Json, loc: Loc, wrong: Violations) -> None:
    seen: set[tuple[bool, Any]] = set()
    spec.SetInParent()
    items = _objects(choices, loc, wrong)
    strings = {item["value"] for item in items if isinstance(item.get("value"), str)}
    for index, item in enumerate(items):
        at, value = (*loc, index), item.get("value")
        known(item, ("value", "description"), at, wrong)
        if not isinstance(value, str | bool):
            wrong.add((*at, "value"), f"must be a string or a boolean, not {shown(value)}", "type_error")
            continue
        if (isinstance(value, bool), value) in seen:
            wrong.add((*at, "value"), "stands twice; choices must differ", "value_error")
        seen.add((isinstance(value, bool), value))
        _put_description(spec.options.add(name=_option_name(value, strings)), item, at, wrong)
    _at_least_two(choices, loc, wrong)


def _put_levels(spec: pb.ScoreSpec, levels: Json, loc: Loc, wrong: Violations) -> None:
    spec.SetInParent()
    for index, item in enumerate(_objects(levels, loc, wrong)):
        at = (*loc, index)
        known(item, ("label", "description"), at, wrong)
        label, description = item.get("label"), item.get("description")
        if not isinstance(label, str) or not label:
            wrong.add((*at, "label"), "must be a string that is not empty", "string_type")
        elif description is None:
            spec.levels.add(text=label)
        elif isinstance(description, str):
            spec.levels.add(text=f"{label}: {description}" if description else label)
        else:
            wrong.add((*at, "description"), f"must be a string, not {shown(description)}", "string_type")
    _at_least_two(levels, loc, wrong)


def _objects(value: Json, loc: Loc, wrong: Violations) -> list[dict[str, Json]]:
    """The items of an array as objects; what is not one is noted and becomes an empty object."""
    if not isinstance(value, list):
        wrong.add(loc, f"must be an array, not {shown(value)}", "list_type")
        return []
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            wrong.add((*loc, index), f"must be an object, not {shown(item)}", "dict_type")
    return [item if isinstance(item, dict) else {} for item in value]


def _at_least_two(value: Json, loc: Loc, wrong: Violations) -> None:
    if isinstance(value, list) and len(value) < 2:
        wrong.add(loc, "needs at least two", "too_short")


def _option_name(value: str | bool, strings: set[Any]) -> str:
    # The model reads names; only where a string of the same text stands beside it must a boolean be called otherwise.
    if isinstance(value, str):
        return value
    name = "true" if value else "false"
    while name in strings:
        name += " (boolean)"
    return name


def _put_description(option: pb.Option, item: dict[str, Json], loc: Loc, wrong: Violations) -> None:
    description = item.get("description")
    if isinstance(description, str):
        option.description.text = description
    elif description is not None:
        wrong.add((*loc, "description"), f"must be a string, not {shown(description)}", "string_type")


def _answer(answer: pb.Answer, asked: dict[str, Json]) -> Json:
    name = asked.get("name")
    if answer.HasField("noul"):
        return {"type": "predicate", "name": name, "probability": round(answer.noul.probability, DIGITS)}
    if answer.HasField("choice"):
        found = [round(p.probability, DIGITS) for p in answer.choice.probabilities]
        values = [item["value"] for item in asked["choices"]]
        chosen = [p.name for p in answer.choice.probabilities].index(answer.choice.choice)
        return {
            "type": "choice",
            "name": name,
            "choice": values[chosen],
            "probabilities": [{"value": v, "probability": p} for v, p in zip(values, found, strict=True)],
            "confidence": round(answer.choice.confidence, DIGITS),
        }
    score = answer.score
    return {
        "type": "score",
        "name": name,
        "score": round(score.score, DIGITS),
        "probabilities": [
            {"value": index, "label": level["label"], "probability": round(p, DIGITS)}
            for index, (level, p) in enumerate(zip(asked["levels"], score.probabilities, strict=True))
        ],
        "confidence": round(score.confidence, DIGITS),
    }
