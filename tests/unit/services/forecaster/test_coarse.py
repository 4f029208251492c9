import numpy as np
import pytest

from services.forecaster import coarse
from services.forecaster.history import History
from services.forecaster.paths import Fan
from services.forecaster.season import Seasons
from tests.unit.services.forecaster.conftest import Ask

NAN = float("nan")


def history(values: list[float], season: int) -> History:
    return History(np.array(values), seasons=Seasons(season, 1, season))


@pytest.mark.parametrize(("season", "size"), [(288, 3), (1440, 15), (365, 5), (169, 2), (3600, 36), (10_000, 100)])
def test_blocks_divide_the_season(season: int, size: int) -> None:
    assert coarse.block_size(season) == size
    assert 48 <= round(season / size) <= 100


def test_only_long_seasons_that_are_shown_need_blocks() -> None:
    assert coarse.applies(history([1.0] * 300, 288))
    assert not coarse.applies(history([1.0] * 287, 288))
    assert not coarse.applies(history([1.0] * 300, 96))
    assert not coarse.applies(History(np.ones(900), seasons=Seasons(48, 336, 48)))


def test_blocks_end_with_the_last_value_and_skip_holes() -> None:
    values = [9.0, 1.0, 2.0, 3.0, NAN, 4.0, NAN, NAN, NAN, 5.0, 6.0, 7.0]
    plan = coarse.plan(history(values * 30, 288), 7)
    assert plan.size == 3
    np.testing.assert_allclose(plan.history.values[-4:], [4.0, 3.5, NAN, 6.0])
    assert (plan.blocks, plan.steps, plan.history.seasons.first) == (4, 7, 96)


def test_near_fades_into_far() -> None:
    plan = coarse.plan(history([0.0] * 288, 288), 30)
    near = Fan(np.full(plan.steps, 8.0), np.full((plan.steps, 1), 2.0))
    far = Fan(np.full(plan.blocks, 4.0), np.full((plan.blocks, 1), 6.0))
    fan = coarse.join(plan, near, far, 30, last=4.0)
    assert (fan.median[0], fan.median[-1]) == (8.0, 4.0)
    assert (np.diff(fan.median) <= 0).all()
    assert fan.distance[0, 0] == pytest.approx(2.0)
    assert fan.distance[-1, 0] == 6.0


@pytest.mark.parametrize("season", [288, 1440])
def test_a_day_of_minutes_is_repeated(ask: Ask, season: int) -> None:
    t = np.arange(4 * season)
    day = 100 + 20 * np.sin(2 * np.pi * t / season)
    noise = np.random.default_rng(1).normal(size=len(t))
    f = ask((day + noise)[: 3 * season], season=season, horizon=season // 2)
    truth = day[3 * season : 3 * season + season // 2]
    assert np.abs(f.median - truth).mean() < 4
    assert f.season == season
