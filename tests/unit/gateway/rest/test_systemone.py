"""System One bodies to messages and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.rest import systemone
from gateway.rest.errors import Failure, Violation, invalid
from quartet.v1 import classifier_pb2 as pb
from services.runtime.json_text import dump, load

CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXT = st.text(CHARACTERS, max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
SAID = TEXT | st.lists(JSON, max_size=3) | st.dictionaries(TEXT, JSON, max_size=3)
ASKED = st.fixed_dictionaries({}, optional={"instructions": SAID | st.none()})
SIDES = st.fixed_dictionaries({}, optional={"true": SAID | st.none(), "false": SAID | st.none()}).filter(bool)
NOUL = st.fixed_dictionaries({"type": st.just("noul")}, optional={"criteria": SIDES})
CHOICE = st.fixed_dictionaries({"type": st.just("choice"), "criteria": st.dictionaries(TEXT, SAID | st.none())})
SCORE = st.fixed_dictionaries({"type": st.just("score"), "criteria": st.lists(SAID, max_size=4)})
QUESTION = st.builds(lambda spec, asked: spec | asked, NOUL | CHOICE | SCORE, ASKED)
BODY = st.fixed_dictionaries(
    {"model": TEXT.filter(bool), "state": SAID, "questions": st.dictionaries(TEXT, QUESTION, max_size=4)}
)


def ordered(value: Any) -> Any:
    """The value with objects as lists of pairs, so that a changed order is a difference."""
    if isinstance(value, dict):
        return [(key, ordered(child)) for key, child in sorted(value.items()) if key == "type"] + [
            (key, ordered(child)) for key, child in value.items() if key != "type"
        ]
    return [ordered(child) for child in value] if isinstance(value, list) else value


@given(BODY)
def test_nothing_is_lost_on_the_way_to_the_message_and_back(body: dict[str, Any]) -> None:
    sent = load(json.dumps(body).encode())
    request = systemone.to_request(sent)
    again = pb.DecideRequest.FromString(request.SerializeToString())
    back = load(dump(systemone.from_request(again)).encode())
    assert ordered(_by_key(back)) == ordered(_by_key(sent))


def _by_key(body: dict[str, Any]) -> dict[str, Any]:
    """Fixes the order of the keys that a question has by contract; the order of everything else stays."""
    order = ("type", "instructions", "criteria")
    questions = {}
    for name, question in body["questions"].items():
        known = {key: question[key] for key in order if key in question}
        if question["type"] == "noul" and "criteria" in known:
            sides = known["criteria"]
            known["criteria"] = {key: sides[key] for key in ("true", "false") if key in sides}
        questions[name] = known
    return {"model": body["model"], "state": body["state"], "questions": questions}


def test_digits_and_long_numbers_survive() -> None:
    text = b'{"model":"m","state":{"price":130.00,"id":90071992547409931},"questions":{}}'
    request = systemone.to_request(load(text))
    assert request.state.json.json == b'{"price":130.00,"id":90071992547409931}'


def test_null_empty_and_absent_descriptions_differ() -> None:
    body = {
        "model": "m",
        "state": "s",
        "questions": {
            "c": {"type": "choice", "criteria": {"a": None, "b": ""}},
            "n": {"type": "noul", "criteria": {"true": ""}},
        },
    }
    choice, noul = systemone.to_request(body).questions
    first, second = (option.description for option in choice.choice.options)
    assert (first.WhichOneof("form"), first.json) == ("json", b"null")
    assert (second.WhichOneof("form"), second.text) == ("text", "")
    assert noul.noul.HasField("when_true") and not noul.noul.HasField("when_false")
    assert not noul.HasField("instructions")


def base(**changes: Any) -> dict[str, Any]:
    return {"model": "m", "state": "s", "questions": {"q": {"type": "noul", "instructions": "?"}}} | changes


def question(**spec: Any) -> dict[str, Any]:
    return base(questions={"q": spec})


@pytest.mark.parametrize(
    ("body", "loc", "kind"),
    [
        ({"model": "m", "questions": {}}, ["state"], "missing"),
        ({"model": "m", "state": "s"}, ["questions"], "missing"),
        ({"state": "s", "questions": {}}, ["model"], "missing"),
        (base(model=7), ["model"], "string_type"),
        (base(model=""), ["model"], "string_too_short"),
        (base(state=None), ["state"], "type_error"),
        (base(state=3), ["state"], "type_error"),
        (base(state=True), ["state"], "type_error"),
        (base(questions=[]), ["questions"], "dict_type"),
        (base(questions={"q": None}), ["questions", "q"], "dict_type"),
        (base(questions={"q": "text"}), ["questions", "q"], "dict_type"),
        (base(assets={"a": {}}), ["assets"], "not_supported"),
        (question(instructions="?"), ["questions", "q", "type"], "missing"),
        (question(type="boolean"), ["questions", "q", "type"], "union_tag_invalid"),
        (question(type="Noul"), ["questions", "q", "type"], "union_tag_invalid"),
        (question(type=1), ["questions", "q", "type"], "union_tag_invalid"),
        (question(type=["noul"]), ["questions", "q", "type"], "union_tag_invalid"),
        (question(type="noul", instructions=4), ["questions", "q", "instructions"], "type_error"),
        (question(type="noul", instructions=False), ["questions", "q", "instructions"], "type_error"),
        (question(type="noul", criteria="yes"), ["questions", "q", "criteria"], "dict_type"),
        (question(type="noul", criteria={"true": 1}), ["questions", "q", "criteria", "true"], "type_error"),
        (question(type="choice"), ["questions", "q", "criteria"], "missing"),
        (question(type="choice", criteria=["a"]), ["questions", "q", "criteria"], "dict_type"),
        (question(type="choice", criteria={"a": 1}), ["questions", "q", "criteria", "a"], "type_error"),
        (question(type="score"), ["questions", "q", "criteria"], "missing"),
        (question(type="score", criteria={"0": "a"}), ["questions", "q", "criteria"], "list_type"),
        (question(type="score", criteria=["a", None]), ["questions", "q", "criteria", 1], "type_error"),
    ],
)
def test_wrong_types_are_named(body: dict[str, Any], loc: list[str | int], kind: str) -> None:
    with pytest.raises(Failure) as caught:
        systemone.to_request(body)
    response = systemone.render(caught.value)
    assert response.status_code == 422
    detail = json.loads(response.body)["detail"]
    assert [(item["loc"], item["type"]) for item in detail] == [(["body", *loc], kind)]
    assert detail[0]["msg"]


def test_all_violations_are_told_at_once() -> None:
    with pytest.raises(Failure) as caught:
        systemone.to_request({"state": None, "questions": {"a": 1, "b": {"type": "x"}}})
    assert [v.path for v in caught.value.violations] == ["model", "state", "questions.a", "questions.b.type"]


def test_unknown_keys_are_ignored() -> None:
    body = base(seed=7, x_trace_id="t")
    body["questions"]["q"]["weight"] = 2
    assert systemone.to_request(body) == systemone.to_request(base())


@pytest.mark.parametrize(
    ("path", "loc"),
    [
        (("questions", 0, "choice", "options", 1, "name"), ("questions", "which one?", "criteria", "b.c")),
        (("questions", 0, "choice", "options"), ("questions", "which one?", "criteria")),
        (("questions", 0, "instructions"), ("questions", "which one?", "instructions")),
        (("questions", 0, "id"), ("questions", "which one?")),
        (("questions", 1, "score", "levels", 0), ("questions", "s", "criteria", 0)),
        (("questions", 2, "noul", "when_false"), ("questions", "n", "criteria", "false")),
        (("questions", 2, "noul"), ("questions", "n", "criteria")),
        (("questions",), ("questions",)),
        (("state", "json"), ("state",)),
    ],
)
def test_paths_of_the_service_become_paths_of_the_body(path: Any, loc: Any) -> None:
    questions = {
        "which one?": {"type": "choice", "criteria": {"a": None, "b.c": None}},
        "s": {"type": "score", "criteria": ["low", "high"]},
        "n": {"type": "noul", "criteria": {"false": "no"}},
    }
    assert systemone.to_loc(path, systemone.to_request(base(questions=questions))) == loc


def test_answers_have_the_keys_of_the_contract() -> None:
    response = pb.DecideResponse(model="m-1")
    response.answers.add(id="n", noul=pb.NoulAnswer(probability=1 / 3))
    options = [pb.OptionProbability(name="ü", probability=2 / 3), pb.OptionProbability(name="b", probability=1 / 3)]
    response.answers.add(id="c", choice=pb.ChoiceAnswer(choice="ü", probabilities=options, confidence=1 / 3))
    score = response.answers.add(id="s").score
    score.score, score.confidence = 0.75, 0.5
    score.probabilities.extend([0.25, 0.75])
    score.legend.add(json=b'{"a":1.50}')
    score.legend.add(json=b'"high"')
    response.usage.input_tokens = 12
    assert dump(systemone.to_body(response)) == (
        '{"model":"m-1","answers":{"n":{"type":"noul","noul":0.333333},'
        '"c":{"type":"choice","choice":"ü","probabilities":{"ü":0.666667,"b":0.333333},"confidence":0.333333},'
        '"s":{"type":"score","score":0.75,"legend":{"0":{"a":1.50},"1":"high"},'
        '"probabilities":{"0":0.25,"1":0.75},"confidence":0.5}},"usage":{"input_tokens":12,"output_tokens":0}}'
    )


@pytest.mark.parametrize(
    ("reason", "status", "error_type"),
    [
        ("MODEL_NOT_FOUND", 400, "api_usage_error"),
        ("INPUT_TOO_LONG", 400, "max_tokens_exceeded"),
        ("CREDENTIAL_INVALID", 401, "authentication_error"),
        ("BODY_TOO_LARGE", 413, "api_usage_error"),
        ("UNSUPPORTED_MEDIA_TYPE", 415, "api_usage_error"),
        ("QUEUE_FULL", 529, "overloaded_error"),
        ("SERVICE_UNAVAILABLE", 503, "overloaded_error"),
        ("DEADLINE_EXCEEDED", 504, "timeout"),
        ("MODEL_FAILURE", 500, "unknown"),
        ("SOMETHING_NEW", 500, "api_usage_error"),
    ],
)
def test_failures_beside_the_body_are_objects(reason: str, status: int, error_type: str) -> None:
    response = systemone.render(Failure(reason, "why", retry_after_s=0.2))
    assert response.status_code == status
    assert json.loads(response.body) == {"detail": {"error_type": error_type, "message": "why"}}
    assert response.headers["retry-after"] == "1"


def test_a_violation_of_the_whole_body_has_the_loc_body() -> None:
    response = systemone.render(invalid([Violation((), "must be an object", "dict_type")]))
    assert json.loads(response.body)["detail"][0]["loc"] == ["body"]
