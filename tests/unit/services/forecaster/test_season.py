import numpy as np
import pytest

from services.forecaster.season import NO_SEASON, Seasons, detect, from_steps, of_clock, of_days, of_months, with_longer


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.parametrize("period", [4, 7, 12, 24, 48])
def test_a_clear_season_is_found(period: int) -> None:
    pattern = rng().normal(0, 3, period)
    values = np.tile(pattern, 8) + rng().normal(0, 0.5, 8 * period) + 0.05 * np.arange(8 * period)
    assert detect(values) == period


def test_a_growing_season_is_found() -> None:
    t = np.arange(120)
    assert detect(1.02**t * (10 + 3 * np.sin(2 * np.pi * t / 12))) == 12


def test_holes_do_not_hide_a_season() -> None:
    values = np.tile([1.0, 5.0, 2.0, 9.0, 3.0, 4.0, 0.0], 14)
    values[rng().permutation(98)[:20]] = np.nan
    assert detect(values) == 7


@pytest.mark.parametrize("values", [[1.0], [3.0] * 40, [np.nan] * 5 + [1.0, 2.0] * 2, [float(i) for i in range(60)]])
def test_nothing_is_found_where_nothing_is(values: list[float]) -> None:
    assert detect(np.array(values)) == 1


def test_noise_rarely_has_a_season() -> None:
    r = rng()
    assert sum(detect(r.normal(size=60)) > 1 for _ in range(200)) <= 16
    assert sum(detect(r.normal(size=60).cumsum()) > 1 for _ in range(200)) <= 16


@pytest.mark.parametrize(("a", "b"), [(3.0, -50.0), (1e-6, 0.0), (-1.0, 4.0)])
def test_units_do_not_matter(a: float, b: float) -> None:
    values = np.tile([1.0, 4.0, 2.0, 8.0], 9) + rng().normal(0, 0.8, 36)
    assert detect(a * values + b) == detect(values) == 4


@pytest.mark.parametrize(
    ("step_s", "season"), [(3600, 24), (1800, 48), (900, 96), (300, 288), (60, 1440), (1, 3600), (7, 1), (86400, 1)]
)
def test_seasons_of_the_clock(step_s: float, season: int) -> None:
    assert of_clock(step_s) == season


def test_seasons_of_the_calendar() -> None:
    assert [of_days(d) for d in (1, 2, 7, 14, 28)] == [7, 1, 52, 26, 1]
    assert [of_months(m) for m in (1, 2, 3, 5, 6, 12, 24)] == [12, 6, 4, 1, 2, 1, 1]


def test_stated_steps() -> None:
    assert from_steps(0) == from_steps(1) == NO_SEASON
    assert from_steps(12) == Seasons(12, 1, 12)
    assert from_steps(168) == Seasons(24, 168, 168)
    assert from_steps(336) == Seasons(48, 336, 336)


def test_the_week_joins_when_it_is_shown() -> None:
    day = from_steps(24)
    assert with_longer(day, 200) == day
    assert with_longer(day, 300) == Seasons(24, 168, 24)
    assert with_longer(from_steps(12), 10_000) == from_steps(12)
    assert with_longer(NO_SEASON, 10_000) == NO_SEASON
