import math
from typing import Any

import numpy as np
import pytest

from services.forecaster.estimation.limits import MAX_READ
from services.forecaster.estimation.model import Bounds, Estimator, Question, Scale
from tests.unit.services.forecaster.estimation.conftest import Ask, flats

QUERIES: list[dict[str, Any]] = [
    {"size": 50, "district": "North", "built": 1990},
    {"size": 100, "district": "Old town", "built": 1920},
    {"district": "South"},
]


def test_a_rent_from_comparable_rents(estimate: Ask) -> None:
    answer = estimate(flats(40), QUERIES)
    assert answer.median[0] == pytest.approx(200 + 11 * 50, rel=0.08)
    assert answer.median[1] == pytest.approx(600 + 11 * 100, rel=0.08)
    width = answer.quantiles[:, -1] - answer.quantiles[:, 0]
    assert width[2] > 3 * width[0]  # A query that states little is answered with a wide interval.
    assert (np.diff(answer.quantiles, axis=1) >= 0).all()
    assert answer.notes[0].startswith("calibrated_x") and answer.below is None


@pytest.mark.parametrize("count", [3, 7, 40, 100])
def test_order_of_rows_and_columns_does_not_matter(estimate: Ask, count: int) -> None:
    records = flats(count)
    shuffled = [dict(reversed(list(record.items()))) for record in reversed(records)]
    turned = [dict(reversed(list(query.items()))) for query in QUERIES]
    one, two = estimate(records, QUERIES), estimate(shuffled, turned)
    assert np.array_equal(one.quantiles, two.quantiles) and np.array_equal(one.mean, two.mean)


@pytest.mark.parametrize("count", [2, 5, 40])
def test_units_do_not_matter(estimate: Ask, count: int) -> None:
    records = flats(count)
    other = [r | {"size": r["size"] * 10.7639 + 5, "built": -r["built"], "y": r["y"] * 1e9 - 7e11} for r in records]
    queries = [{**q, "size": q["size"] * 10.7639 + 5, "built": -q["built"]} for q in QUERIES[:2]]
    one, two = estimate(records, QUERIES[:2]), estimate(other, queries)
    assert (two.quantiles + 7e11) / 1e9 == pytest.approx(one.quantiles, rel=1e-3)


def test_spelling_of_names_and_of_numbers_does_not_matter(estimate: Ask) -> None:
    records = flats(20)
    other = [
        r | {"district": r["district"].upper(), "size": f"{r['size']:.0f} m²", "built": str(r["built"])}
        for r in records
    ]
    queries = [{"size": "50 m²", "district": "north", "built": "1990"}]
    assert np.array_equal(estimate(records, QUERIES[:1]).quantiles, estimate(other, queries).quantiles)


def test_a_query_alone_is_answered_as_among_others(estimate: Ask) -> None:
    records = flats(30)
    whole = estimate(records, QUERIES)
    again = estimate(records, QUERIES)
    assert np.array_equal(whole.quantiles, again.quantiles)
    for i, query in enumerate(QUERIES):
        assert estimate(records, [query]).quantiles[0] == pytest.approx(whole.quantiles[i], rel=1e-5)


@pytest.mark.parametrize("values", [[700.0], [700.0, 700.0], [700.0, 900.0], [0.0]])
def test_one_or_two_records_give_a_wide_answer_and_say_so(estimate: Ask, values: list[float]) -> None:
    answer = estimate([{"size": i, "y": value} for i, value in enumerate(values)], [{"size": 5}])
    assert answer.median[0] == pytest.approx(np.mean(values))
    assert answer.quantiles[0, -1] - answer.quantiles[0, 0] > max(0.5 * abs(values[0]), 1.0)
    assert "few_records" in answer.notes
    assert ("spread_assumed" in answer.notes) == (len(set(values)) == 1)


def test_records_without_any_column(estimate: Ask) -> None:
    answer = estimate([{"y": v} for v in (3, 4, 5, 6, 7, 8, 9)], [{}])
    assert 4 < answer.median[0] < 8
    assert answer.quantiles[0, 0] < 5 and answer.quantiles[0, -1] > 7


def test_equal_targets_are_answered_with_that_value(estimate: Ask) -> None:
    answer = estimate([{"a": i, "y": 5} for i in range(6)], [{"a": 3}])
    assert (answer.quantiles == 5).all() and answer.notes == ("constant_target",)


def test_bounds_step_and_the_mass_outside(estimate: Ask) -> None:
    records = [{"a": i, "y": i + 1} for i in range(9)]
    free = estimate(records, [{"a": 0}, {"a": 30}], levels=(0.05, 0.5, 0.95))
    held = estimate(records, [{"a": 0}, {"a": 30}], levels=(0.05, 0.5, 0.95), bounds=Bounds(0.5, 10, 0.5))
    assert free.quantiles[1, 2] > 10
    assert held.quantiles.min() >= 0.5 and held.quantiles.max() <= 10
    assert (held.quantiles * 2 % 1 == 0).all()
    assert held.below is not None and held.above is not None
    assert held.above[1] > held.above[0] and 0 <= held.below[0] < 0.5
    assert (0.5 <= held.mean).all() and (held.mean <= 10).all()


def test_a_step_that_does_not_divide_the_range_stays_inside(estimate: Ask) -> None:
    answer = estimate([{"a": i, "y": i} for i in range(9)], [{"a": 50}], bounds=Bounds(0, 10, 3))
    assert set(answer.quantiles[0]) <= {0, 3, 6, 9}


def test_a_log_scale_multiplies(estimate: Ask) -> None:
    records = [{"a": i, "y": 10.0 ** (i / 3)} for i in range(15)]
    answer = estimate(records, [{"a": 7.5}], scale=Scale.LOG)
    assert answer.median[0] == pytest.approx(10**2.5, rel=0.25)
    assert answer.quantiles.min() > 0
    times = estimate([r | {"y": r["y"] * 1e-12} for r in records], [{"a": 7.5}], scale=Scale.LOG)
    assert times.quantiles * 1e12 == pytest.approx(answer.quantiles, rel=1e-3)


def test_any_levels_in_order(estimate: Ask) -> None:
    levels = (1e-6, 0.013, 0.5, 0.777, 1 - 1e-6)
    answer = estimate(flats(25), QUERIES, levels=levels)
    assert (np.diff(answer.quantiles, axis=1) >= 0).all() and np.isfinite(answer.quantiles).all()
    assert answer.quantiles[:, 2] == pytest.approx(answer.median)


def test_of_many_records_an_even_selection_is_read_and_said(estimate: Ask) -> None:
    answer = estimate(flats(400), QUERIES[:1])
    assert answer.notes[0] == f"read_{MAX_READ}_of_400_records"
    assert answer.median[0] == pytest.approx(750, rel=0.05)


@pytest.mark.parametrize("size", [1e-150, 1e-9, 1e12, 1e90])
def test_sizes_at_the_edges(estimate: Ask, size: float) -> None:
    records = [{"a": i * size, "y": i * size + size} for i in range(12)]
    answer = estimate(records, [{"a": 5 * size}, {"a": None}, {"a": 1e99}])
    assert np.isfinite(answer.quantiles).all()
    assert answer.median[0] / size == pytest.approx(6, rel=0.2)


def test_intervals_hold_what_they_promise(estimate: Ask) -> None:
    held = []
    for seed in range(40):
        rows = flats(12 + 8, seed=seed + 100)
        answer = estimate(rows[:12], [{k: v for k, v in row.items() if k != "y"} for row in rows[12:]])
        truth = np.array([row["y"] for row in rows[12:]])
        held.append(((truth >= answer.quantiles[:, 0]) & (truth <= answer.quantiles[:, -1])).mean())
    assert 0.7 < float(np.mean(held)) < 0.92


def test_questions_in_one_run_do_not_touch_each_other(estimator: Estimator) -> None:
    r = np.random.default_rng(3)
    x, y = r.normal(size=(20, 3)), r.normal(size=20)
    x[3, 1] = math.nan
    one = Question(x, y, x[:2], (0.1, 0.9))
    other = Question(x[:5], y[:5], x[5:9], (0.5,))
    alone = estimator.run([one])[0]
    beside = estimator.run([other, one])[1]
    assert not isinstance(alone, Exception) and not isinstance(beside, Exception)
    assert np.array_equal(alone.quantiles, beside.quantiles)
