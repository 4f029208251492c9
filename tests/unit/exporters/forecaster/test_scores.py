import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from exporters.forecaster import scores
from exporters.forecaster.evaluation import Held, extra


def test_a_perfect_forecast_scores_zero() -> None:
    held = Held(np.array([1.0, 3.0, 2.0]), np.array([4.0, 5.0]))
    perfect = np.repeat(held.future[:, None], 9, axis=1)
    s = scores.of([held], [perfect], 1)
    assert (s.mase, s.sql, s.coverage) == (0, 0, 1)


def test_mase_is_the_error_in_in_sample_steps() -> None:
    held = Held(np.array([0.0, 2.0, 4.0, np.nan]), np.array([10.0, np.nan]))
    assert scores.of([held], [np.full((2, 9), 5.0)], 1).mase == pytest.approx(2.5)


def test_the_seasonal_error_falls_back_to_the_step() -> None:
    assert scores.seasonal_error(np.array([1.0, 5.0, 1.0, 5.0]), 2) == 4
    assert scores.seasonal_error(np.array([2.0, 2.0]), 12) == 0


def test_seasonal_naive_repeats_the_season() -> None:
    held = Held(np.array([1.0, 2.0, 3.0, 1.5, 2.5, 3.5]), np.zeros(5))
    q = scores.seasonal_naive(held, 3)
    np.testing.assert_allclose(q[:, 4], [1.5, 2.5, 3.5, 1.5, 2.5])
    assert (q[3, 8] - q[3, 0]) == pytest.approx((q[0, 8] - q[0, 0]) * 2**0.5)


def test_files_are_read_with_their_holes(tmp_path: Path) -> None:
    record = {"values": [*range(10), None, 5], "season": 4, "horizon": 3}
    with gzip.open(tmp_path / "some.jsonl.gz", "wt") as out:
        out.write(json.dumps(record) + "\n")
    (group,) = extra(tmp_path)
    assert (group.name, group.season, group.horizon) == ("some", 4, 3)
    np.testing.assert_array_equal(group.series[0].future, [9, np.nan, 5])
