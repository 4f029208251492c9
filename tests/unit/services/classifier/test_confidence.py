"""Confidence formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.classifier.confidence import choice_confidence, score_confidence

DISTRIBUTIONS = st.lists(st.floats(0.001, 1), min_size=1, max_size=10).map(lambda w: [x / sum(w) for x in w])


def test_choice_compares_the_top_with_chance() -> None:
    assert choice_confidence([1.0]) == 1
    assert choice_confidence([0.5, 0.5]) == pytest.approx(0)
    assert choice_confidence([0, 0.57, 0.43]) == pytest.approx((3 * 0.57 - 1) / 2)
    assert choice_confidence([0, 1, 0, 0]) == pytest.approx(1)


def test_score_counts_distance_to_the_mode() -> None:
    assert score_confidence([1.0]) == 1
    assert score_confidence([0, 1, 0]) == 1
    assert score_confidence([0, 0.57, 0.43]) == pytest.approx(1 - 0.43 / (2 / 3))
    # Half and half at the ends is as unsure as it gets.
    assert score_confidence([0.5, 0, 0, 0, 0.5]) == 0


@given(DISTRIBUTIONS)
def test_both_stay_between_0_and_1(values: list[float]) -> None:
    assert 0 <= choice_confidence(values) <= 1
    assert 0 <= score_confidence(values) <= 1
