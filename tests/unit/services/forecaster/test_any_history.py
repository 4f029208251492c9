"""Whatever the history: finite, ordered answers or an error that names the field."""

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.forecaster.history import SeriesInput, read
from services.forecaster.model import Forecaster, Query
from services.runtime.errors import InvalidField

NAN = float("nan")
VALUES = st.one_of(
    st.lists(st.floats(-1e100, 1e100) | st.just(NAN), min_size=1, max_size=60),
    st.lists(st.sampled_from([0.0, 1.0, 1.0 + 1e-15, 1e-300, -1e100, NAN]), min_size=1, max_size=60),
    st.builds(
        lambda seed, n, size, level: list(level + size * np.random.default_rng(seed).normal(size=n).cumsum()),
        st.integers(0, 999),
        st.integers(1, 700),
        st.sampled_from([1e-200, 1e-9, 1.0, 1e80]),
        st.sampled_from([0.0, 1.0, 1e12]),
    ),
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(
    values=VALUES,
    season=st.sampled_from([None, 0, 1, 4, 12, 24, 168, 504]),
    horizon=st.sampled_from([1, 7, 140]),
    non_negative=st.booleans(),
    calibrate=st.booleans(),
)
def test_any_history(
    model: Forecaster, values: list[float], season: int | None, horizon: int, non_negative: bool, calibrate: bool
) -> None:
    try:
        history = read(SeriesInput(values, season=season), "series[0]")
    except InvalidField as error:
        assert all(np.isnan(values))
        assert error.fields[0].path == "series[0].values"
        return
    levels = (1e-6, 0.1, 0.5, 0.9, 1 - 1e-6)
    (answer,) = model.run([Query((history,), horizon, levels, non_negative=non_negative, calibrate=calibrate)])
    assert not isinstance(answer, Exception)
    parts: list[npt.NDArray[np.float64]] = [answer[0].quantiles, answer[0].mean, answer[0].median]
    assert all(np.isfinite(p).all() for p in parts)
    assert (np.diff(answer[0].quantiles, axis=0) >= 0).all()
    assert not non_negative or min(p.min() for p in parts) >= 0
