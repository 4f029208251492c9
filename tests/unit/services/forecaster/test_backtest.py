import numpy as np
import pytest

from services.forecaster import backtest
from services.forecaster.calibration import Origin
from services.forecaster.history import History, SeriesInput, read
from services.forecaster.model import Forecaster, Query
from services.forecaster.season import Seasons


def test_the_last_season_again() -> None:
    history = History(np.array([1.0, 2, 3, np.nan, 5, 6]), gap=1, seasons=Seasons(first=3, asked=3))
    assert backtest.repeated(history, 4).tolist() == [5, 6, 1, 5]
    assert backtest.repeated(History(np.array([4.0, 7])), 3).tolist() == [7, 7, 7]


def test_errors_and_coverage() -> None:
    origin = Origin(History(np.array([1.0, 1])), np.array([2.0, np.nan, 5]))
    made = backtest.judge([origin], [np.array([[1, 2.5, 3]] * 3)])
    assert made is not None
    assert (made.origins, made.points, made.absolute_error, made.naive_error, made.coverage) == (1, 2, 1.5, 2.5, 0.5)
    assert backtest.judge([], []) is None


def test_a_backtest_over_the_callers_own_history(model: Forecaster) -> None:
    t = np.arange(60)
    noise = np.random.default_rng(1).normal(size=60)
    history = read(SeriesInput((50 + 0.5 * t + 10 * np.sin(2 * np.pi * t / 12) + noise).tolist(), season=12), "series")
    short = read(SeriesInput([1.0, 2, 3]), "series")
    (answer,) = model.run([Query((history, short), 12, backtest=True)])
    assert not isinstance(answer, Exception)
    made = answer[0].backtest
    assert made is not None and made.absolute_error < made.naive_error
    assert made.points == 12 + 12 + 12
    assert answer[1].backtest is None and "no_backtest_history_too_short" in answer[1].notes


@pytest.mark.parametrize("integer", [False, True])
def test_bounds_hold(model: Forecaster, integer: bool) -> None:
    history = read(SeriesInput([0.0, 3, 1, 7, 2, 9, 4, 8, 3, 9, 1, 10]), "series")
    query = Query((history,), 12, (0.01, 0.5, 0.99), low=1.5, high=9.5, integer=integer)
    (answer,) = model.run([query])
    assert not isinstance(answer, Exception)
    low, high = (2, 9) if integer else (1.5, 9.5)
    assert answer[0].quantiles.min() == low and answer[0].quantiles.max() == high
    assert (np.diff(answer[0].quantiles, axis=0) >= 0).all()
    assert "history_outside_bounds" in answer[0].notes
    if integer:
        assert (answer[0].quantiles % 1 == 0).all() and (answer[0].median % 1 == 0).all()
