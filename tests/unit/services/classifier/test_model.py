"""The model as callers see it: formulas, invariance, limits. Random weights; `test_shipped` has the trained ones."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from services.classifier.model import Classifier, Temperatures, parts, softmax
from services.classifier.packing import Asked
from services.classifier.values import Choice, Noul, Question, Request, Score, choice, noul, score
from services.classifier.windows import windows
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, InputTooLong, InvalidField

QUESTIONS = (
    noul("damaged", "Is the box broken?"),
    choice("team", {"billing": "money", "shipping": "parcels", "help": None}, "Who should read it?"),
    score("urgency", ["low", "middle", {"name": "high", "within": "a day"}], "How soon?"),
)
STATE = {"text": "the box came broken", "order": {"id": 77, "paid": 12.5}}


def decide(model: Classifier, state: object, *questions: Question) -> list[Noul | Choice | Score]:
    return list(model.decide(model.prepare(Request(state, questions))).answers)


def test_answers_have_the_kind_id_and_order_of_the_questions(tiny: Classifier) -> None:
    damaged, team, urgency = decide(tiny, STATE, *QUESTIONS)
    assert isinstance(damaged, Noul) and isinstance(team, Choice) and isinstance(urgency, Score)
    assert [answer.id for answer in (damaged, team, urgency)] == ["damaged", "team", "urgency"]
    assert [name for name, _ in team.probabilities] == ["billing", "shipping", "help"]
    assert team.choice == max(team.probabilities, key=lambda pair: pair[1])[0]
    assert urgency.score == pytest.approx(sum(i * p for i, p in enumerate(urgency.probabilities)))
    assert math.fsum(p for _, p in team.probabilities) == pytest.approx(1, abs=1e-12)
    assert math.fsum(urgency.probabilities) == pytest.approx(1, abs=1e-12)


def test_neighbours_order_and_ids_change_no_bit(tiny: Classifier) -> None:
    together = decide(tiny, STATE, *QUESTIONS)
    for question, answer in zip(QUESTIONS, together, strict=True):
        assert decide(tiny, STATE, question) == [answer]
    renamed = tuple(replace(question, id=f"q{n}") for n, question in enumerate(reversed(QUESTIONS)))
    again = decide(tiny, STATE, *(noul(f"n{n}", f"Is it {n}?") for n in range(30)), *renamed)[30:]
    assert [replace(answer, id="") for answer in reversed(again)] == [replace(answer, id="") for answer in together]


def test_option_order_changes_no_bit(tiny: Classifier) -> None:
    options = {f"option {n}": None for n in range(40)}
    (forward,) = decide(tiny, "abc", choice("a", options, "Which?"))
    (backward,) = decide(tiny, "abc", choice("a", dict(reversed(options.items())), "Which?"))
    assert isinstance(forward, Choice) and isinstance(backward, Choice)
    assert dict(forward.probabilities) == dict(backward.probabilities)


def test_options_that_read_the_same_are_equally_probable(tiny: Classifier) -> None:
    (answer,) = decide(tiny, "abc", choice("a", ["Yes", "yes", "YES", "no"], "Which?"))
    assert isinstance(answer, Choice)
    values = dict(answer.probabilities)
    assert values["Yes"] == values["yes"] == values["YES"]


def test_ties_go_to_the_first_in_the_request(tiny: Classifier) -> None:
    (answer,) = decide(tiny, "abc", choice("a", ["yes", "YES"], "Which?"))
    assert isinstance(answer, Choice) and answer.choice == "yes"


def test_one_option_and_one_level_are_certain(tiny: Classifier) -> None:
    only, level = decide(tiny, "", choice("a", ["one"]), score("b", ["one"]))
    assert isinstance(only, Choice) and isinstance(level, Score)
    assert (only.choice, only.probabilities, only.confidence) == ("one", (("one", 1.0),), 1.0)
    assert (level.score, level.probabilities, level.confidence) == (0.0, (1.0,), 1.0)


@pytest.mark.parametrize("state", ["", {}, [], "🙂 한국어 \x00", "[SEP] [CLS]"])
def test_any_state_gets_finite_answers(tiny: Classifier, state: object) -> None:
    (answer,) = decide(tiny, state, QUESTIONS[0])
    assert isinstance(answer, Noul) and 0 <= answer.probability <= 1


def test_the_same_request_gives_the_same_bits(tiny: Classifier) -> None:
    assert decide(tiny, STATE, *QUESTIONS) == decide(tiny, STATE, *QUESTIONS)


def test_a_long_state_is_read_in_windows_and_the_one_that_says_yes_speaks(tiny: Classifier) -> None:
    letters = [letter for n in range(30) for letter in "abcdefghijklmnopqrstuvwxyz0123456789"[n : n + 30]]
    (whole,) = decide(tiny, " ".join(letters), QUESTIONS[0])
    alone = [decide(tiny, " ".join(window), QUESTIONS[0])[0] for window in windows(letters)]
    assert len(alone) > 2
    assert isinstance(whole, Noul)
    assert whole.probability == max(answer.probability for answer in alone if isinstance(answer, Noul))


def test_many_options_over_several_rows_equal_one_row(tiny: Classifier) -> None:
    options = [f"option number {n} of a long list" for n in range(60)]
    asked = tiny.prepare(Request("abc", (choice("a", options, "Which?"),))).reads[0].asked
    assert len(list(parts(asked))) > 1
    (answer,) = decide(tiny, "abc", choice("a", options, "Which?"))
    assert isinstance(answer, Choice)
    pairs = [decide(tiny, "abc", choice("a", list(pair), "Which?"))[0] for pair in pairwise(options[:6])]
    values = dict(answer.probabilities)
    for small, (one, two) in zip(pairs, pairwise(options[:6]), strict=True):
        assert isinstance(small, Choice)
        own = dict(small.probabilities)
        assert own[one] / own[two] == pytest.approx(values[one] / values[two], rel=0.05)


def test_parts_keep_every_option_in_order() -> None:
    asked = Asked(tuple(range(10)), tuple((6, n) for n in range(100)))
    found = list(parts(asked, most=50))
    assert [option for part in found for option in part.options] == list(asked.options)
    assert all(part.tokens <= 50 for part in found)
    assert [len(part.options) for part in parts(asked, most=1)] == [1] * 100


@pytest.mark.parametrize(
    ("state", "question", "limit"),
    [
        ("a " * 3100, QUESTIONS[0], 3000),
        ("a", choice("c", {str(n): "b " * 100 for n in range(40)}), 3000),
        ("a", noul("long", "b " * 700), 600),
        ("a" * 20_001, QUESTIONS[0], 20_000),
    ],
)
def test_over_a_limit_is_refused_with_the_counts(tiny: Classifier, state: str, question: Question, limit: int) -> None:
    with pytest.raises(InputTooLong) as caught:
        tiny.prepare(Request(state, (question,)))
    assert caught.value.limit == limit
    assert caught.value.actual > limit


def test_the_whole_request_has_a_limit_of_its_own(tiny: Classifier) -> None:
    questions = tuple(noul(str(n), "b " * 100) for n in range(40))
    with pytest.raises(InputTooLong, match="request"):
        tiny.prepare(Request("a", questions))


def test_half_a_surrogate_pair_is_refused(tiny: Classifier) -> None:
    with pytest.raises(InvalidField):
        tiny.prepare(Request("\ud800", QUESTIONS[:1]))


def test_a_passed_deadline_stops_the_work(tiny: Classifier) -> None:
    prepared = tiny.prepare(Request(STATE, QUESTIONS), deadline=Deadline.after(0))
    with pytest.raises(DeadlineExceeded):
        tiny.decide(prepared)


def test_temperature_by_kind_and_count() -> None:
    table = Temperatures({"choice": [(2, 1.5), (255, 3.0)]})
    assert [table.of("choice", 2), table.of("choice", 3), table.of("noul", 2)] == [1.5, 3.0, 1.0]
    assert softmax(np.array([0.0, 2.0]), 2.0)[1] == pytest.approx(1 / (1 + math.exp(-1)))
    assert softmax(np.array([1e4, -1e4]), 1.0).tolist() == [1.0, 0.0]
