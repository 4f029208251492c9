"""Invented letters have true spans, and the fits recover what made their data."""

import numpy as np

from exporters.extractor import ranking
from exporters.extractor.calibrate import platt
from exporters.extractor.letters import Letters, slots
from services.extractor.ranker import INPUTS, NULL_INPUTS, Ranker


def test_spans_of_letters_hold_their_values() -> None:
    stream = Letters(5)
    for _ in range(300):
        row = stream.row()
        assert set(row["fields"]) == set(row["answers"])
        for name, answer in row["answers"].items():
            if answer is not None and row["fields"][name]["type"] == "text":
                start, end = answer["span"]
                assert row["text"][start:end] == answer["value"]


def test_held_slots_are_asked_by_one_stream_only() -> None:
    held = frozenset(("rent", "tip"))
    names = {name for key in held for name in slots()[key].names}
    plain, other = Letters(6, held=held), Letters(6, held=held, only_held=True)
    asked = {name for _ in range(200) for name in plain.row()["fields"] if not name.startswith("field_")}
    kept = {name for _ in range(200) for name in other.row()["fields"] if not name.startswith("field_")}
    assert not names & asked and kept and kept <= names


def test_platt_recovers_slope_and_shift() -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(0, 2, 20000)
    truth = rng.random(20000) < 1 / (1 + np.exp(-(0.6 * odds - 0.3)))
    slope, shift = platt(list(odds), list(truth))
    assert abs(slope - 0.6) < 0.05 and abs(shift + 0.3) < 0.05


def test_the_ranker_learns_which_feature_decides() -> None:
    rng = np.random.default_rng(2)
    cases = []
    for index in range(400):
        items = rng.random((5, len(INPUTS))).astype(np.float32)
        absent = index % 4 == 0
        right = np.zeros(5, bool)
        items[:, 3] = 0
        if not absent:
            right[index % 5] = True
            items[index % 5, 3] = 1
        cases.append(ranking.Case(items, np.ones(len(NULL_INPUTS), np.float32), right, absent, "made"))
    fitted = ranking.fit(cases, epochs=30)
    hits = 0
    for case in cases:
        hidden = np.maximum(case.items @ fitted.item_in + fitted.item_bias, 0)
        logits = case.items @ fitted.item_direct + hidden @ fitted.item_out
        hits += not case.absent and bool(case.right[logits.argmax()])
    assert hits >= 270


def test_members_together_have_the_mean_of_their_logits() -> None:
    rng = np.random.default_rng(4)
    cases = []
    for index in range(40):
        right = np.zeros(3, bool)
        right[index % 3] = True
        items, null = rng.random((3, len(INPUTS))), rng.random(len(NULL_INPUTS))
        cases.append(ranking.Case(items.astype(np.float32), null.astype(np.float32), right, False, "made"))

    def logits(ranker: Ranker) -> list[float]:
        items, null = cases[0].items, cases[0].null
        shown = items @ ranker.item_direct + np.maximum(items @ ranker.item_in + ranker.item_bias, 0) @ ranker.item_out
        absent = null @ ranker.null_direct + np.maximum(null @ ranker.null_in + ranker.null_bias, 0) @ ranker.null_out
        return [*map(float, shown), float(absent)]

    members = [ranking.fit(cases, epochs=3, seed=seed) for seed in (1, 2)]
    mean = np.mean([logits(member) for member in members], axis=0)
    assert np.allclose(logits(ranking.together(members)), mean, atol=1e-4)


def test_platt_stays_bounded_on_far_odds() -> None:
    truth = [index % 3 == 0 for index in range(300)]
    slope, shift = platt([13.8] * 285 + [-13.8] * 15, truth)
    assert abs(slope) < 5 and abs(shift) < 5
