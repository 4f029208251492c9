import numpy as np
import numpy.typing as npt
import pytest

from services.forecaster.history import History, SeriesInput, read
from services.forecaster.model import Forecast, Forecaster, Query
from services.runtime.errors import QuartetError
from tests.unit.services.forecaster.conftest import DECILES, Ask

Floats = npt.NDArray[np.float64]


def walks(count: int) -> list[History]:
    r = np.random.default_rng(5)
    lengths = r.integers(3, 700, count)
    return [read(SeriesInput(list(np.cumsum(r.normal(0, 1, n)))), f"series[{i}]") for i, n in enumerate(lengths)]


def run(model: Forecaster, *queries: Query) -> list[tuple[Forecast, ...]]:
    answers = []
    for answer in model.run(queries):
        assert not isinstance(answer, QuartetError)
        answers.append(answer)
    return answers


def test_companions_do_not_matter(model: Forecaster) -> None:
    histories = walks(40)
    (together,) = run(model, Query(tuple(histories), 20, DECILES))
    (backwards,) = run(model, Query(tuple(histories[::-1]), 20, DECILES))
    alone = [run(model, Query((h,), 20, DECILES))[0][0] for h in histories]
    for a, b, c in zip(together, backwards[::-1], alone, strict=True):
        np.testing.assert_allclose(a.quantiles, b.quantiles, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(a.quantiles, c.quantiles, rtol=1e-5, atol=1e-5)


def test_other_requests_do_not_matter(model: Forecaster) -> None:
    first, second = walks(2)
    mine = Query((first,), 12, (0.2, 0.7), non_negative=True)
    ((alone,),) = run(model, mine)
    (_, (beside,), _) = run(model, Query((second,), 30), mine, Query((second, first), 12))
    np.testing.assert_allclose(alone.quantiles, beside.quantiles, rtol=1e-5, atol=1e-5)


def test_the_same_request_gives_the_same_bytes(model: Forecaster) -> None:
    query = Query(tuple(walks(7)), 20, DECILES, calibrate=True)
    (first,), (second,) = run(model, query), run(model, query)
    assert [f.quantiles.tobytes() for f in first] == [f.quantiles.tobytes() for f in second]


def test_a_longer_horizon_begins_like_a_shorter_one(ask: Ask) -> None:
    values = 50 + 5 * np.sin(np.arange(60)) + np.arange(60)
    short, long = ask(values, horizon=10), ask(values, horizon=300)
    np.testing.assert_allclose(long.quantiles[:, :10], short.quantiles, rtol=1e-5)


def test_any_levels_are_ordered_and_fine_levels_are_noted(ask: Ask) -> None:
    levels = (1e-9, 0.01, 0.05, 0.1, 0.935, 0.999999)
    f = ask(np.cumsum(np.random.default_rng(1).normal(size=50)), levels=levels)
    assert np.isfinite(f.quantiles).all()
    assert (np.diff(f.quantiles, axis=0) > 0).all()
    assert "outer_levels_extrapolated" in f.notes


def test_the_median_is_the_level_one_half(ask: Ask) -> None:
    f = ask(np.cumsum(np.random.default_rng(1).normal(size=50)), levels=(0.5,))
    np.testing.assert_array_equal(f.quantiles[0], f.median)


def test_calibration_pools_the_request(model: Forecaster) -> None:
    r = np.random.default_rng(2)
    # Calm histories whose last third is wild: intervals learned from the calm part are too narrow for the rest.
    values = [np.r_[r.normal(0, 0.2, 60), r.normal(0, 4, 30)] for _ in range(8)]
    histories = tuple(read(SeriesInput(list(v), season=1), "series[0]") for v in values)
    (plain,) = run(model, Query(histories, 12, DECILES))
    (calibrated,) = run(model, Query(histories, 12, DECILES, calibrate=True))
    note = next(n for n in calibrated[0].notes if n.startswith("calibrated_x"))
    factor = float(note.removeprefix("calibrated_x").split("_")[0])
    for a, b in zip(plain, calibrated, strict=True):
        np.testing.assert_array_equal(a.median, b.median)
        np.testing.assert_allclose((b.quantiles - b.median) / factor, a.quantiles - a.median, rtol=0.02, atol=1e-9)


def test_calibration_without_enough_history_says_so(model: Forecaster) -> None:
    history = read(SeriesInput([1.0, 2.0, 4.0, 3.0, 5.0]), "series[0]")
    ((f,),) = run(model, Query((history,), 4, calibrate=True))
    assert "not_calibrated_too_few_points" in f.notes


def test_a_long_history_says_what_was_read(model: Forecaster) -> None:
    (answer,) = run(model, Query((read(SeriesInput(list(np.sin(np.arange(900.0)))), "series[0]"),), 3))
    assert "last_512_steps_read" in answer[0].notes


@pytest.mark.parametrize("horizon", [1, 128, 129])
def test_shapes(ask: Ask, horizon: int) -> None:
    f = ask(np.arange(30.0), horizon=horizon, levels=(0.25, 0.75))
    assert f.quantiles.shape == (2, horizon)
    assert f.mean.shape == f.median.shape == (horizon,)
