"""The form of a chat's text and its log-probabilities, between OpenAI's JSON and the messages.

`response_format` is OpenAI's; `structured_outputs` with `choice`, `regex` or `json` is vLLM's extension.
"""

from collections.abc import Iterable
from typing import Final

from gateway.rest.errors import Loc, Violations, shown
from gateway.rest.values import is_count, known, put_string
from quartet.v1 import llm_pb2 as pb
from services.runtime.json_text import Json, dump, load

KEYS: Final = ("response_format", "structured_outputs", "logprobs", "top_logprobs")

_ANY_OBJECT: Final = '{"type": "object"}'
_FORMATS: Final = ("text", "json_object", "json_schema")
_WAYS: Final = ("choice", "regex", "json")
_LOCS: Final[dict[Loc, Loc]] = {
    ("constraint", "json_schema"): ("response_format", "json_schema", "schema"),
    ("constraint", "regex"): ("structured_outputs", "regex"),
    ("constraint", "choice", "options"): ("structured_outputs", "choice"),
    ("constraint", "choice"): ("structured_outputs", "choice"),
    ("logprobs",): ("top_logprobs",),
}


def to_loc(loc: Loc) -> Loc:
    """The path of a message field as the path of the JSON that it came from."""
    for field, key in _LOCS.items():
        if loc[: len(field)] == field:
            return (*key, *loc[len(field) :])
    return loc


def put_form(request: pb.GenerateRequest, body: dict[str, Json], wrong: Violations) -> None:
    """Sets the constraint."""
    _put_format(request, body.get("response_format"), wrong)
    ways = body.get("structured_outputs")
    if ways is None:
        return
    loc: Loc = ("structured_outputs",)
    if not isinstance(ways, dict):
        wrong.add(loc, f"must be an object, not {shown(ways)}", "dict_type")
        return
    known(ways, _WAYS, loc, wrong)
    given = [way for way in _WAYS if ways.get(way) is not None]
    if len(given) != 1 or request.HasField("constraint"):
        wrong.add(loc, f"must have exactly one of {', '.join(_WAYS)}, and no response_format beside it", "value_error")
        return
    _put_way(request.constraint, given[0], ways[given[0]], loc, wrong)


def put_logprobs(request: pb.GenerateRequest, body: dict[str, Json], wrong: Violations) -> None:
    """Sets how many log-probabilities to tell."""
    asked, top = body.get("logprobs"), body.get("top_logprobs")
    if asked is not None and not isinstance(asked, bool):
        wrong.add(("logprobs",), f"must be true or false, not {shown(asked)}", "bool_type")
    elif asked:
        request.logprobs = 0
        if top is not None and is_count(top):
            request.logprobs = top
        elif top is not None:
            wrong.add(("top_logprobs",), "must be a whole number, 0 to 20", "int_type")
    elif top:
        wrong.add(("top_logprobs",), "needs logprobs to be true", "value_error")


def from_form(request: pb.GenerateRequest) -> dict[str, Json]:
    """The keys that `put_form` and `put_logprobs` would turn into this message."""
    body: dict[str, Json] = {}
    form, kind = request.constraint, request.constraint.WhichOneof("form")
    if kind == "json_schema":
        schema = load(form.json_schema.encode())
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}
    elif kind:
        body["structured_outputs"] = {kind: list(form.choice.options) if kind == "choice" else form.regex}
    if request.HasField("logprobs"):
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    return body


def logprobs(tokens: Iterable[pb.TokenLogprobs]) -> Json:
    """The `logprobs` of a choice; null when there are none."""
    content = [_score(token.chosen) | {"top_logprobs": [_score(one) for one in token.top]} for token in tokens]
    return {"content": content, "refusal": None} if content else None


def _score(score: pb.TokenScore) -> dict[str, Json]:
    text = score.token.decode(errors="replace")
    return {"token": text, "logprob": score.logprob, "bytes": list(score.token)}


def _put_format(request: pb.GenerateRequest, value: Json, wrong: Violations) -> None:
    loc: Loc = ("response_format",)
    if value is None:
        return
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or kind not in _FORMATS:
        wrong.add((*loc, "type"), f"must be one of {', '.join(_FORMATS)}", "enum")
    elif kind == "json_object":
        request.constraint.json_schema = _ANY_OBJECT
    elif kind == "json_schema":
        named = value.get("json_schema")
        schema = named.get("schema") if isinstance(named, dict) else None
        _put_way(request.constraint, "json", schema, (*loc, "json_schema"), wrong, name="schema")


def _put_way(form: pb.Constraint, way: str, value: Json, loc: Loc, wrong: Violations, *, name: str = "") -> None:
    if way == "regex":
        put_string(form, way, value, loc, wrong)
    elif way == "json":
        if isinstance(value, dict):
            form.json_schema = dump(value)
        else:
            wrong.add((*loc, name or way), f"must be a JSON Schema object, not {shown(value)}", "dict_type")
    elif isinstance(value, list) and all(isinstance(option, str) for option in value):
        form.choice.options.extend(value)
    else:
        wrong.add((*loc, way), "must be an array of strings", "list_type")
