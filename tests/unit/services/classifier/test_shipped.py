"""The weights that come with the service: invariance, windows over planted evidence, plain sense."""

from dataclasses import replace

import pytest

from services.classifier.model import Classifier
from services.classifier.values import Choice, Noul, Question, Request, choice, noul, score

TEAMS = {
    "billing": "invoices, charges and refunds",
    "shipping": "delivery and lost parcels",
    "technical support": "errors and crashes of the product",
    "account": "login and password",
}
TEXTS = (
    "I was charged twice for the same order, please refund one payment.",
    "The app shows an error and crashes whenever I open the settings.",
    {"subject": "parcel", "body": "Where is my package? The tracking page has not moved for a week.", "priority": None},
)
QUESTIONS = (
    choice("team", TEAMS, "Which team should handle this?"),
    noul("money", "Is this about a payment?"),
    score("urgency", ["low", "medium", "high"], "How urgent is it?"),
)


def decide(model: Classifier, state: object, *questions: Question) -> tuple[object, ...]:
    return model.decide(model.prepare(Request(state, questions))).answers


@pytest.mark.parametrize("state", TEXTS)
def test_ids_order_and_neighbours_change_no_bit(shipped: Classifier, state: object) -> None:
    alone = [decide(shipped, state, question)[0] for question in QUESTIONS]
    crowd = [noul(f"other {n}", f"Does it mention the number {n}?") for n in range(12)]
    together = decide(shipped, state, *crowd, *QUESTIONS[::-1])[12:][::-1]
    assert list(together) == alone


@pytest.mark.parametrize("state", TEXTS)
def test_option_order_changes_no_bit(shipped: Classifier, state: object) -> None:
    (one,) = decide(shipped, state, QUESTIONS[0])
    (two,) = decide(shipped, state, replace(QUESTIONS[0], options=QUESTIONS[0].options[::-1]))
    assert isinstance(one, Choice) and isinstance(two, Choice)
    assert dict(one.probabilities) == dict(two.probabilities)


@pytest.mark.parametrize("state", TEXTS)
def test_one_more_option_leaves_the_others_in_proportion(shipped: Classifier, state: object) -> None:
    (one,) = decide(shipped, state, choice("a", TEAMS, "Which team?"))
    (two,) = decide(shipped, state, choice("a", {**TEAMS, "a trip to the moon": None}, "Which team?"))
    assert isinstance(one, Choice) and isinstance(two, Choice)
    left = 1 - dict(two.probabilities)["a trip to the moon"]
    assert [p / left for _, p in two.probabilities[:-1]] == pytest.approx([p for _, p in one.probabilities], abs=0.03)


@pytest.mark.parametrize(("place", "team"), [(0, "billing"), (1, "technical support"), (2, "shipping")])
def test_plain_routing(shipped: Classifier, place: int, team: str) -> None:
    (answer,) = decide(shipped, TEXTS[place], QUESTIONS[0])
    assert isinstance(answer, Choice) and answer.choice == team


@pytest.mark.parametrize("place", [0, 30, 60])
def test_evidence_anywhere_in_a_long_state_is_found(shipped: Classifier, place: int) -> None:
    lines = [f"Line {n}: the meeting about the garden went on as planned." for n in range(60)]
    (without,) = decide(shipped, "\n".join(lines), noul("a", "Did somebody report that a payment was charged twice?"))
    lines.insert(place, "A customer reported that a payment was charged twice.")
    (found,) = decide(shipped, "\n".join(lines), noul("a", "Did somebody report that a payment was charged twice?"))
    assert isinstance(without, Noul) and isinstance(found, Noul)
    assert found.probability > without.probability


def test_the_largest_question_list_is_answered(shipped: Classifier) -> None:
    asked = tuple(noul(str(n), f"Is it case {n % 7}?") for n in range(400))
    answers = decide(shipped, "short", *asked)
    assert len(answers) == 400
    assert answers[0] == replace(answers[7], id="0")  # type: ignore[type-var]


def test_the_longest_option_list_is_answered(shipped: Classifier) -> None:
    options = {f"option {n}": f"the one with number {n} and a few more words" for n in range(255)}
    (answer,) = decide(shipped, "I take number 77", choice("a", options, "Which one?"))
    assert isinstance(answer, Choice)
    assert sum(p for _, p in answer.probabilities) == pytest.approx(1)
