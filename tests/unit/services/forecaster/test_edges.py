"""Small hostile histories, each with the behaviour that is right; tolerances say how right."""

import numpy as np
import numpy.typing as npt
import pytest

from services.forecaster.model import Forecast
from tests.unit.services.forecaster.conftest import Ask

Floats = npt.NDArray[np.float64]
T = np.arange(96)


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def yearly(noise: float = 1.0) -> Floats:
    return 100 + 20 * np.sin(2 * np.pi * T / 12) + noise * rng().normal(size=96)


FUTURE = 100 + 20 * np.sin(2 * np.pi * np.arange(96, 108) / 12)


def width(forecast: Forecast) -> Floats:
    return forecast.quantiles[-1] - forecast.quantiles[0]


def assert_sound(forecast: Forecast) -> None:
    for part in (forecast.mean, forecast.median, forecast.quantiles):
        assert np.isfinite(part).all()
    assert (np.diff(forecast.quantiles, axis=0) >= 0).all()


def test_a_constant_stays_closed(ask: Ask) -> None:
    f = ask([5.0] * 20, horizon=6)
    assert np.abs(f.quantiles - 5).max() < 0.25
    assert "constant_history" in f.notes


def test_zeros_stay_zero(ask: Ask) -> None:
    f = ask([0.0] * 24, season=12, horizon=6)
    assert np.abs(f.quantiles).max() < 0.5
    assert (f.quantiles >= 0).all()


@pytest.mark.parametrize("values", [[42.0], [0.0], [10.0, 12.0], [7.0, 7.0], [10.0, 12.0, 11.0, 13.0], [5.0, 5.0, 5.0]])
def test_few_points_give_a_wide_finite_interval_and_a_note(ask: Ask, values: list[float]) -> None:
    f = ask(values, horizon=4)
    assert_sound(f)
    assert "short_history" in f.notes
    assert width(f)[0] > 0.2
    assert np.abs(f.median - values[-1]).max() < 10


def test_a_line_goes_on(ask: Ask) -> None:
    f = ask(np.arange(1.0, 41.0), horizon=12)
    assert np.abs(f.median - np.arange(41, 53)).max() < 3


def test_growth_goes_on(ask: Ask) -> None:
    f = ask(1.05 ** np.arange(48), horizon=12)
    assert np.abs(np.log(f.median / 1.05 ** np.arange(48, 60))).max() < 0.25
    assert (f.quantiles[0] > 0).all()


def test_a_season_is_repeated(ask: Ask) -> None:
    assert np.abs(ask(yearly(), season=12).median - FUTURE).mean() < 2.5


def test_a_season_is_found_and_repeated(ask: Ask) -> None:
    f = ask(yearly())
    assert f.season == 12
    assert np.abs(f.median - FUTURE).mean() < 2.5


def test_holes_keep_the_phase(ask: Ask) -> None:
    values = yearly()
    values[rng().permutation(84)[:24]] = np.nan
    assert np.abs(ask(values, season=12).median - FUTURE).mean() < 4


def test_missing_steps_before_the_start_change_nothing(ask: Ask) -> None:
    padded = ask(np.r_[np.full(40, np.nan), yearly()], season=12)
    np.testing.assert_allclose(padded.quantiles, ask(yearly(), season=12).quantiles, rtol=1e-5)


def test_the_forecast_starts_after_the_last_step_not_the_last_value(ask: Ask) -> None:
    f = ask(np.r_[yearly(), np.full(3, np.nan)], season=12, horizon=9)
    assert np.abs(f.median - FUTURE[3:]).mean() < 2.5
    np.testing.assert_allclose(f.quantiles, ask(yearly(), season=12).quantiles[:, 3:], rtol=1e-5)


def test_the_time_before_launch_does_not_pull_down(ask: Ask) -> None:
    f = ask(np.r_[np.zeros(60), 100 + rng().normal(0, 3, 24)], season=12, horizon=6)
    assert np.abs(f.median - 100).max() < 20


def test_a_new_level_is_kept(ask: Ask) -> None:
    r = rng()
    f = ask(np.r_[10 + r.normal(0, 0.3, 50), 20 + r.normal(0, 0.3, 14)], horizon=6)
    assert np.abs(f.median - 20).max() < 2


def test_one_spike_at_the_end_is_not_repeated(ask: Ask) -> None:
    f = ask(np.r_[50 + rng().normal(0, 1, 47), 500.0], season=12, horizon=6)
    assert np.abs(f.median - 50).mean() < 30


INTERMITTENT = [
    0,
    0,
    5,
    0,
    0,
    0,
    12,
    0,
    0,
    3,
    0,
    0,
    0,
    0,
    8,
    0,
    0,
    0,
    15,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    6,
    0,
    0,
    0,
    10,
    0,
    0,
    2,
] + [0] * 4


def test_intermittent_demand(ask: Ask) -> None:
    f = ask(np.array(INTERMITTENT, float), season=1, horizon=6, non_negative=True)
    assert f.quantiles[0].max() == 0
    assert f.median.max() < 8
    assert f.quantiles.max() < 50
    assert (f.mean >= 0).all()


def test_a_forecast_below_zero_of_a_history_above_is_noted(ask: Ask) -> None:
    f = ask(np.array(INTERMITTENT, float), horizon=6, levels=(0.001, 0.5))
    assert f.quantiles.min() < 0
    assert "below_zero_unlike_history" in f.notes


def test_counts(ask: Ask) -> None:
    f = ask(rng().poisson(2.0, 60).astype(float), season=12, horizon=6, non_negative=True)
    assert f.quantiles.min() >= 0
    assert f.quantiles.max() < 12


@pytest.mark.parametrize(("factor", "level"), [(50.0, 1e12), (1e-9, 0.0), (1e-200, 0.0), (1e90, 0.0), (3.0, -1e6)])
def test_size_and_level_do_not_matter(ask: Ask, factor: float, level: float) -> None:
    plain = ask(yearly(), season=12)
    moved = ask(factor * yearly() + level, season=12)
    for part in ("mean", "median", "quantiles"):
        np.testing.assert_allclose((getattr(moved, part) - level) / factor, getattr(plain, part), atol=20e-3)


def test_the_shape_survives_a_level_of_1e12(ask: Ask) -> None:
    season = 1000 * np.sin(2 * np.pi * np.arange(72) / 12)
    f = ask(1e12 + season[:60], season=12)
    assert np.abs(f.median - 1e12 - season[60:]).max() < 300


def test_a_mirrored_history_gives_a_mirrored_season(ask: Ask) -> None:
    assert np.abs(ask(-yearly(), season=12).median + FUTURE).mean() < 2.5


def test_white_noise(ask: Ask) -> None:
    f = ask(rng().normal(0, 1, 80), horizon=12)
    assert np.abs(f.median).max() < 1
    assert 1.2 < width(f).mean() < 5


def test_a_random_walk_widens(ask: Ask) -> None:
    f = ask(np.cumsum(rng().normal(0, 1, 80)), horizon=12)
    assert width(f)[-1] > 1.5 * width(f)[0]


@pytest.mark.parametrize(("season", "values"), [(1, np.cumsum(rng().normal(0, 1, 80))), (12, yearly())])
def test_far_horizons_are_finite_and_never_narrow(ask: Ask, season: int, values: Floats) -> None:
    f = ask(values, season=season, horizon=1024)
    assert_sound(f)
    assert (width(f)[season:] >= width(f)[:-season] * (1 - 1e-9)).all()
    assert "beyond_trained_horizon_128" in f.notes


def test_a_far_season_stays_in_phase(ask: Ask) -> None:
    f = ask(yearly(), season=12, horizon=600)
    truth = 100 + 20 * np.sin(2 * np.pi * np.arange(96, 696) / 12)
    assert np.corrcoef(f.median[-24:], truth[-24:])[0, 1] > 0.9


def test_a_day_inside_a_week_is_repeated(ask: Ask) -> None:
    t = np.arange(24 * 21)
    day = np.sin(2 * np.pi * t / 24) * np.where(t // 24 % 7 < 5, 1.0, 0.3)
    f = ask((10 + day)[: 24 * 19], horizon=48)
    assert f.season == 24
    assert np.abs(f.median - (10 + day)[24 * 19 :]).mean() < 0.25
