from statistics import NormalDist

import numpy as np
import pytest

from services.forecaster.quantiles import interpolation, mean_weights, ordered

KNOTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
NORMAL = NormalDist(3.0, 2.0)
NORMAL_QUANTILES = np.array([NORMAL.inv_cdf(k) for k in KNOTS])


@pytest.mark.parametrize("level", [1e-12, 0.01, 0.05, 0.1, 0.33, 0.5, 0.935, 0.999, 1 - 1e-15])
def test_a_normal_forecast_is_reproduced_at_any_level(level: float) -> None:
    (value,) = NORMAL_QUANTILES @ interpolation(KNOTS, [level])
    assert value == pytest.approx(NORMAL.inv_cdf(level), abs=1e-6)


def test_known_levels_are_exact() -> None:
    np.testing.assert_array_equal(interpolation(KNOTS, KNOTS), np.eye(len(KNOTS)))


def test_levels_rise() -> None:
    r = np.random.default_rng(0)
    knots = np.sort(r.exponential(size=(50, len(KNOTS))), axis=1)
    levels = np.sort(r.uniform(1e-6, 1 - 1e-6, 40))
    assert (np.diff(knots @ interpolation(KNOTS, list(levels)), axis=1) >= -1e-12).all()


def test_the_mean_of_a_normal_forecast() -> None:
    assert NORMAL_QUANTILES @ mean_weights(KNOTS) == pytest.approx(3.0)
    assert mean_weights(KNOTS).sum() == pytest.approx(1.0)


def test_the_mean_is_the_integral_of_the_quantiles() -> None:
    knots = np.sort(np.random.default_rng(1).exponential(size=len(KNOTS)))
    levels = (np.arange(200_000) + 0.5) / 200_000
    assert knots @ mean_weights(KNOTS) == pytest.approx((knots @ interpolation(KNOTS, list(levels))).mean(), abs=1e-3)


def test_the_mean_leans_to_the_longer_tail() -> None:
    assert np.exp(NORMAL_QUANTILES) @ mean_weights(KNOTS) > np.exp(3.0)


def test_crossings_of_rounding_size_are_removed() -> None:
    assert ordered(np.array([1.0, 0.9999999, 2.0])).tolist() == [1.0, 1.0, 2.0]
