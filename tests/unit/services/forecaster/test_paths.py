import numpy as np
import pytest

from services.forecaster.paths import Fan, extend, never_shrinking


def walk(steps: int, *, drift: float = 0.0) -> Fan:
    ahead = np.arange(1.0, steps + 1)
    return Fan(drift * ahead, np.sqrt(np.minimum(ahead, 128))[:, None] * np.array([-1.0, 0.0, 1.0]))


def test_near_horizons_are_left_alone() -> None:
    fan = walk(128)
    assert extend(fan, period=1, trained=128) is fan


def test_the_width_of_a_walk_goes_on_growing_like_one() -> None:
    wide = extend(walk(512), period=1, trained=128).distance[:, 2]
    assert wide[511] / wide[127] == pytest.approx(2.0, rel=0.05)


def test_a_drift_is_damped() -> None:
    fan = walk(600)
    flat = Fan(np.minimum(np.arange(1.0, 601), 128.0), fan.distance)
    median = extend(flat, period=1, trained=128).median
    assert (np.diff(median) >= 0).all()
    assert 200 < median[-1] <= 256


def test_a_season_longer_than_half_the_trained_horizon_has_no_drift() -> None:
    fan = walk(300, drift=1.0)
    np.testing.assert_array_equal(extend(fan, period=96, trained=128).median, fan.median)


def test_width_never_shrinks_at_the_same_phase() -> None:
    distance = np.array([3.0, 1.0, 2.0, 4.0, 1.0, 5.0])[:, None] * np.array([-1.0, 0.0, 2.0])
    fan = never_shrinking(Fan(np.zeros(6), distance), period=2)
    assert fan.distance[:, 2].tolist() == [6.0, 2.0, 6.0, 8.0, 6.0, 10.0]
    assert fan.distance[:, 0].tolist() == [-3.0, -1.0, -3.0, -4.0, -3.0, -5.0]
