import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.llm.constraint import Constraint
from services.llm.generation import Finish
from services.llm.model import LanguageModel
from services.llm.sampling import Sampling
from services.runtime.errors import InvalidField
from tests.unit.services.llm.test_generation import request, write

SCHEMA = {
    "type": "object",
    "properties": {
        "team": {"enum": ["billing", "sales"]},
        "count": {"type": "integer", "minimum": 3, "maximum": 17},
        "open": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 5},
    },
    "required": ["team", "count", "open", "note"],
    "additionalProperties": False,
}
TEXT = st.characters(exclude_categories=["Cs"])
SEEDS = [Sampling(), *(Sampling(temperature=3.0, seed=seed) for seed in range(4))]


def written(model: LanguageModel, constraint: Constraint, sampling: Sampling) -> tuple[str, Finish]:
    text, ending = write(model, request(constraint=constraint, sampling=sampling, max_tokens=200))
    return text, ending.finish


@pytest.mark.parametrize("sampling", SEEDS)
def test_a_random_model_writes_what_the_schema_accepts(tiny: LanguageModel, sampling: Sampling) -> None:
    text, finish = written(tiny, Constraint.json_schema(json.dumps(SCHEMA)), sampling)
    found = json.loads(text)
    assert finish is Finish.STOP
    assert list(found) == list(SCHEMA["properties"])  # type: ignore[arg-type]
    assert found["team"] in ("billing", "sales")
    assert 3 <= found["count"] <= 17
    assert found["open"] in (True, False)
    assert len(found["note"]) <= 5
    assert "\n" not in text


@pytest.mark.parametrize("sampling", SEEDS)
def test_a_regular_expression_is_matched_as_a_whole(tiny: LanguageModel, sampling: Sampling) -> None:
    pattern = r"[A-Z]{2}-\d{1,4} (the|日本)"
    text, finish = written(tiny, Constraint.regex(pattern), sampling)
    assert re.fullmatch(pattern, text)
    assert finish is Finish.STOP


@settings(deadline=None, max_examples=30)
@given(
    options=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), min_size=1, max_size=5)
)
def test_one_of_the_choices_is_written_whatever_they_are(tiny: LanguageModel, options: list[str]) -> None:
    text, _ = written(tiny, Constraint.choice(options), Sampling(temperature=3.0, seed=1))
    assert text in options


def test_after_a_choice_that_begins_another_the_text_may_end_or_go_on(tiny: LanguageModel) -> None:
    matcher = tiny.grammars.matcher(Constraint.choice(["the", "the rain"]))
    matcher.accept(tiny.table.index(b"the"))
    allowed = matcher.allowed()
    assert not matcher.complete
    assert allowed[tiny.turn_end]
    assert allowed.sum() > 1


def test_too_few_tokens_end_it_early_and_say_so(tiny: LanguageModel) -> None:
    text, ending = write(tiny, request(constraint=Constraint.regex("a{30}"), max_tokens=5))
    assert ending.finish is Finish.LENGTH
    assert set(text) == {"a"}


@pytest.mark.parametrize(
    ("constraint", "field"),
    [
        (Constraint.regex("[0-9"), "constraint.regex"),
        (Constraint.regex("(?<=a)b"), "constraint.regex"),
        (Constraint.json_schema('{"type": "colour"}'), "constraint.json_schema"),
        (Constraint.json_schema('{"unevaluatedProperties": false}'), "constraint.json_schema"),
        (Constraint.json_schema('{"type": "integer", "minimum": 5, "maximum": 4}'), "constraint.json_schema"),
    ],
)
def test_a_form_that_cannot_be_held_to_is_refused(tiny: LanguageModel, constraint: Constraint, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        tiny.grammars.matcher(constraint)
    assert [violation.path for violation in caught.value.fields] == [field]


def test_no_control_token_is_ever_allowed_but_the_end(tiny: LanguageModel) -> None:
    allowed = tiny.grammars.matcher(Constraint.regex("(?s:.*)")).allowed()
    control = [token for token, text in enumerate(tiny.table) if not text]
    assert [token for token in control if allowed[token]] == [tiny.turn_end]
    assert allowed.sum() > 100
