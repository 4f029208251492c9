"""Windows over long states, and one answer from them."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.classifier.windows import OVERLAP, WINDOW, joined, windows


@given(st.integers(0, 3000))
def test_windows_cover_every_token_and_overlap(length: int) -> None:
    found = windows(range(length))
    assert {token for window in found for token in window} == set(range(length))
    assert all(len(window) <= WINDOW for window in found)
    for before, after in pairwise(found):
        assert before[-1] - after[0] + 1 >= OVERLAP


def test_a_state_that_fits_is_one_window() -> None:
    assert len(windows(range(WINDOW))) == 1
    assert len(windows(range(WINDOW + 1))) == 2
    assert [list(window) for window in windows([])] == [[]]


def test_a_window_that_says_yes_is_heard() -> None:
    found = [np.array([0.95, 0.05]), np.array([0.2, 0.8]), np.array([0.9, 0.1])]
    assert joined("noul", found).tolist() == [0.2, 0.8]


def test_the_most_decided_window_answers_a_choice() -> None:
    found = [np.array([0.4, 0.3, 0.3]), np.array([0.1, 0.1, 0.8]), np.array([0.1, 0.8, 0.1])]
    assert joined("choice", found).tolist() == [0.1, 0.1, 0.8]
