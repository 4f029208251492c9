import numpy as np
import pytest

from exporters.forecaster.parts import innovations, season, smooth_walk
from exporters.forecaster.pool import LONG, SHORT, Regime, draw_batch, draw_pool
from exporters.forecaster.priors import FAMILIES
from services.forecaster.scaling import CONTEXT


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("regime", [SHORT, LONG], ids=["short", "long"])
def test_every_family_draws_usable_series(name: str, regime: Regime) -> None:
    values, periods = FAMILIES[name](np.random.default_rng(0), 48, regime.length, regime.mix)
    assert values.shape == (48, regime.length)
    assert periods.shape == (48, 2)
    assert np.isfinite(values).mean() > 0.99
    assert ((periods >= 1) & (periods <= CONTEXT)).all()
    assert (values.std(1) > 0).mean() > 0.8


def test_a_season_repeats_with_mean_zero_and_spread_one() -> None:
    m = np.array([1, 4, 12, 24, 168])
    s = season(np.random.default_rng(0), m, 672)
    assert not s[0].any()
    for row, period in zip(s[1:], m[1:], strict=True):
        np.testing.assert_allclose(row[period:], row[:-period], atol=1e-9)
        assert row.std() == pytest.approx(1, abs=0.01)


def test_parts_have_unit_spread() -> None:
    r = np.random.default_rng(0)
    assert innovations(r, 400, 200).std() == pytest.approx(1, abs=0.25)
    assert smooth_walk(r, 400, 200, np.full(400, 10)).std() == pytest.approx(0.9, abs=0.2)


def test_a_pool_is_a_function_of_its_seed() -> None:
    a, b, c = (draw_pool(SHORT, size=120, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.values, b.values)
    assert not np.array_equal(a.values[:50], c.values[:50])


@pytest.mark.parametrize("regime", [SHORT, LONG], ids=["short", "long"])
def test_a_batch_is_finite_and_a_function_of_its_seed(regime: Regime) -> None:
    pool = draw_pool(regime, size=120, seed=1)
    a, b = (draw_batch(pool, size=64, steps=5, seed=(1, 9)) for _ in range(2))
    np.testing.assert_array_equal(a.targets, b.targets)
    for part in (a.targets, a.scaled.z, a.scaled.features):
        assert np.isfinite(part).all()
    assert a.targets.shape == a.steps.shape == (64, 5)
    assert ((a.steps >= 1) & (a.steps <= regime.horizon)).all()
    assert (a.scaled.mask[:, -1] == 1).all()
    assert a.weights.mean() > 0.8
