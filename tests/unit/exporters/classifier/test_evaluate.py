"""Figures of the gate report."""

import numpy as np
import pytest

from exporters.classifier.data import Item, Sample, one_hot
from exporters.classifier.evaluate import (
    Scored,
    accuracy,
    apply,
    apply_unseen,
    ask,
    calibration_error,
    fit,
    macro,
    majority,
    request,
    scored,
)
from services.classifier.model import Classifier


def overconfident(source: str, count: int = 300, seed: int = 0) -> list[Scored]:
    """Right seven times in ten, always nearly sure."""
    rng = np.random.default_rng(seed)
    return [Scored(source, "noul", int(rng.random() < 0.7), np.array([0.02, 0.98])) for _ in range(count)]


def test_temperature_mends_calibration() -> None:
    rows = overconfident("a") + overconfident("b", seed=1)
    assert calibration_error(rows) > 0.2
    assert calibration_error(apply(rows, fit(rows))) < 0.05
    assert calibration_error(apply_unseen(rows)) < 0.1
    assert accuracy(apply_unseen(rows)) == accuracy(rows)


def test_macro_counts_sources_alike() -> None:
    good = [Scored("a", "noul", 1, np.array([0.1, 0.9]))] * 9
    bad = [Scored("b", "noul", 0, np.array([0.1, 0.9]))]
    assert accuracy(good + bad) == 0.9
    assert macro(good + bad) == 0.5


def test_majority_knows_the_wording() -> None:
    def sample(asked: str, answer: int) -> Sample:
        return Sample("x", (Item("choice", asked, (("a", None), ("b", None)), one_hot(2, answer)),))

    assert majority([sample("one", 0), sample("one", 0), sample("one", 1), sample("two", 1)]) == 0.75


def test_samples_are_asked_through_the_serving_model(tiny: Classifier) -> None:
    items = (
        Item("noul", "is it?", (("no", None), ("yes", "it is")), one_hot(2, 1)),
        Item("score", "how much?", (("low", None), ("high", "very")), one_hot(2, 0)),
        Item("choice", "", (("a", None), ("b", "second"), ("c", None)), one_hot(3, 2)),
    )
    sample = Sample({"text": "abc"}, items)
    found = scored(tiny, {"made": [sample]})
    assert [(row.kind, row.target, len(row.probabilities)) for row in found] == [
        ("noul", 1, 2),
        ("score", 0, 2),
        ("choice", 2, 3),
    ]
    assert [row.probabilities.tolist() for row in found] == [values.tolist() for values in ask(tiny, request(sample))]
    assert all(row.probabilities.sum() == pytest.approx(1) for row in found)
