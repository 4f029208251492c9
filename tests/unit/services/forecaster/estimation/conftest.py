from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest

from services.forecaster.config import WEIGHTS
from services.forecaster.estimation import columns
from services.forecaster.estimation.model import Bounds, Estimates, Estimator, Question, Scale
from services.forecaster.estimation.records import split
from services.runtime.onnx.card import Card

Ask: TypeAlias = Callable[..., Estimates]
DECILES = tuple(round(i / 10, 1) for i in range(1, 10))


@pytest.fixture(scope="session")
def estimator() -> Estimator:
    """The model that ships."""
    folder = WEIGHTS / "quartet-estimate-0.1.0"
    return Estimator.load(folder, Card.load(folder))


@pytest.fixture(scope="session")
def estimate(estimator: Estimator) -> Ask:
    """Estimate `y` of queries from records."""

    def ask(
        records: Sequence[dict[str, Any]],
        queries: Sequence[dict[str, Any]],
        *,
        levels: tuple[float, ...] = DECILES,
        bounds: Bounds = Bounds(),  # noqa: B008
        scale: Scale = Scale.LINEAR,
    ) -> Estimates:
        table = split(records, queries, "y")
        made = columns.build(table.stated, table.asked)
        y = np.array(table.target.values)
        (answer,) = estimator.run([Question(made.stated, y, made.asked, levels, bounds, scale)])
        assert not isinstance(answer, Exception)
        return answer

    return ask


def flats(count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Flats whose rent depends on size, district and age."""
    r = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        size, district = float(r.integers(20, 120)), str(r.choice(["North", "South", "Old town"]))
        built = int(r.integers(1900, 2020))
        rent = 200 + 11 * size + {"North": 0, "South": 150, "Old town": 400}[district] + r.normal(0, 40)
        out.append({"size": size, "district": district, "built": built, "y": round(float(rent), 2)})
    return out
