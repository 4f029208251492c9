from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from services.forecaster.config import WEIGHTS
from services.forecaster.history import SeriesInput, read
from services.forecaster.model import Forecast, Forecaster, Query
from services.runtime.onnx.card import Card

Ask: TypeAlias = Callable[..., Forecast]
DECILES = tuple(round(i / 10, 1) for i in range(1, 10))


@pytest.fixture(scope="session")
def model() -> Forecaster:
    """The model that ships."""
    folder = WEIGHTS / "quartet-forecast-0.1.0"
    return Forecaster.load(folder, Card.load(folder))


@pytest.fixture(scope="session")
def ask(model: Forecaster) -> Ask:
    """Forecast one series."""

    def one(
        values: Sequence[float],
        *,
        season: int | None = None,
        horizon: int = 12,
        levels: tuple[float, ...] = DECILES,
        non_negative: bool = False,
    ) -> Forecast:
        history = read(SeriesInput(list(values), season=season), "series[0]")
        (answer,) = model.run([Query((history,), horizon, levels, non_negative=non_negative)])
        assert not isinstance(answer, Exception)
        return answer[0]

    return one
