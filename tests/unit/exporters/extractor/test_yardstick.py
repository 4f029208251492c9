"""Scorers are compared on equal terms: scaled apart, equal values together, missing values wrong for all."""

from pathlib import Path

import numpy as np
import pytest

from exporters.extractor import yardstick
from exporters.extractor.pack import Ask
from exporters.extractor.yardstick import FITTED, Paper, Question
from services.extractor.ranker import GROUP_NAMES


def question(group: str, *, absent: bool, logits: list[float], right: list[bool]) -> Question:
    places = [[index, index + 1] for index in range(len(logits))]
    return Question(Ask("x", "text"), group, absent, places, list(range(len(logits))), right, logits, 0.0)


def papers(count: int, *, sure: float) -> list[Paper]:
    made = []
    for index in range(count):
        absent = index % 3 == 0
        logits = [-sure, -sure - 1] if absent else [sure, 0.0]
        asked = [question(g, absent=absent, logits=logits, right=[not absent, False]) for g in GROUP_NAMES]
        made.append(Paper(FITTED if index % 2 else "measured", "made", "ab", asked))
    return made


def test_a_sure_scorer_is_right_and_an_unsure_one_is_scaled() -> None:
    for sure in (4.0, 1.0):
        found = papers(60, sure=sure)
        got = yardstick.figures(yardstick.outcomes(found, yardstick.of_ranker(found)))["measured"]
        assert got["present"] == got["null"] == got["all"] == 1 and got["ece"] < 0.2


def test_equal_values_share_their_probability() -> None:
    asked = Question(
        Ask("x", "text"), "text", False, [[0, 1], [2, 3], [4, 5]], [0, 1, 1], [False, True, True], [1.0, 0.8, 0.8], -9
    )
    paper = Paper("measured", "made", "a b b", [asked])
    assert yardstick.outcomes([paper], yardstick.of_ranker([paper]))[0].right


def test_a_value_outside_the_pool_is_wrong() -> None:
    paper = Paper("measured", "made", "a", [question("text", absent=False, logits=[3.0], right=[False])])
    empty = Paper("measured", "made", "a", [question("text", absent=False, logits=[], right=[])])
    assert not any(o.right for o in yardstick.outcomes([paper, empty], yardstick.of_ranker([paper, empty])))


def test_sums_of_scorers() -> None:
    one = [[(np.array([1.0, 2.0]), 0.5)]]
    logits, null = yardstick.added(one, one, weight=2.0)[0][0]
    assert list(logits) == [3.0, 6.0] and null == pytest.approx(1.5)


def test_a_scorer_that_knows_nothing_gets_no_weight() -> None:
    found = papers(60, sure=2.0)
    own = yardstick.of_ranker(found)
    noise = [[(-2 * logits, -2 * null) for logits, null in paper] for paper in own]
    assert yardstick.blended(found, own, noise)[0] == 0.0
    assert yardstick.blended(found, own, own)[0] > 0.5


def test_papers_survive_the_file(tmp_path: Path) -> None:
    found = papers(4, sure=2.0)
    yardstick.save(tmp_path / "y.json.gz", found)
    assert yardstick.load(tmp_path / "y.json.gz") == found
