import numpy as np
import pytest

from services.forecaster.scaling import CONTEXT, FEATURES, Scaled, compress, expand, is_flat, scale


def laid(values: list[float], *, period: int = 1) -> Scaled:
    x = np.zeros((1, CONTEXT))
    x[0, CONTEXT - len(values) :] = values
    observed = np.zeros((1, CONTEXT), np.bool_)
    observed[0, CONTEXT - len(values) :] = np.isfinite(values)
    return scale(x, observed, np.array([[float(period), 1.0]]))


def test_compress_and_expand_are_inverse() -> None:
    v = np.array([-500.0, -1.0, 0.0, 1e-6, 3.0, 700.0])
    np.testing.assert_allclose(expand(compress(v)), v, rtol=1e-9)


def test_expand_is_capped() -> None:
    assert np.isfinite(expand(np.array([1e9, -1e9]))).all()


def test_anchor_is_the_last_value_and_scale_the_mean_step() -> None:
    s = laid([1.0, 3.0, 2.0, 6.0])
    assert s.anchor[0] == 6.0
    assert s.scale[0] == pytest.approx((2 + 1 + 4) / 3)
    assert s.z[0, -1] == 0
    np.testing.assert_allclose(expand(s.z[0, -4:].astype(float)) * s.scale[0] + 6, [1, 3, 2, 6], rtol=1e-5)


def test_a_season_sets_the_scale() -> None:
    values = list(np.tile([0.0, 10.0, 20.0], 8) + np.arange(24) * 0.5)
    assert laid(values, period=3).scale[0] == pytest.approx(1.5)


def test_missing_points_are_zero_and_masked() -> None:
    s = laid([1.0, np.nan, 2.0, 5.0])
    assert s.mask[0, -4:].tolist() == [1, 0, 1, 1]
    assert s.z[0, -3] == 0
    assert s.scale[0] == pytest.approx(3.0)


def test_every_second_point_missing_still_has_a_scale() -> None:
    assert laid([1.0, np.nan, 2.0, np.nan, 5.0]).scale[0] > 0.5


@pytest.mark.parametrize(("a", "b"), [(1e-9, 0.0), (1e3, 1e12), (1e-180, 0.0), (1e95, 0.0), (2.0, -1e5)])
def test_the_network_sees_the_same_after_a_change_of_units(a: float, b: float) -> None:
    values = np.random.default_rng(0).normal(size=80).cumsum()
    plain, moved = laid(list(values)), laid(list(a * values + b))
    np.testing.assert_allclose(moved.z, plain.z, atol=1e-4)
    np.testing.assert_allclose(moved.features, plain.features, atol=1e-4)
    assert plain.features.shape == (1, FEATURES)


@pytest.mark.parametrize("values", [[5.0] * 9, [0.0], [1e12, 1e12 + 1e-4]])
def test_flat_histories_are_marked(values: list[float]) -> None:
    s = laid(values)
    assert s.flat[0]
    assert is_flat(np.array(values))
    assert s.scale[0] == 1
    assert np.isfinite(s.features).all()


def test_small_variation_is_not_flat() -> None:
    assert not is_flat(np.array([1.0, 1.0 + 1e-9]))
