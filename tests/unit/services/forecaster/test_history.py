import numpy as np
import pytest

from services.forecaster.history import SeriesInput, read
from services.runtime.errors import InputTooLong, InvalidField, QuartetError

NAN, INF = float("nan"), float("inf")
DAYS = ["2026-01-01", "2026-01-02", "2026-01-05"]


def test_missing_ends_are_cut_and_counted() -> None:
    h = read(SeriesInput([NAN, NAN, 1.0, NAN, 3.0, NAN]), "series[0]")
    np.testing.assert_array_equal(h.values, [1.0, NAN, 3.0])
    assert (h.gap, h.observed) == (1, 2)


def test_skipped_stamps_become_missing_steps() -> None:
    h = read(SeriesInput([1.0, 2.0, 5.0], DAYS, frequency="day"), "series[0]")
    np.testing.assert_array_equal(h.values, [1.0, 2.0, NAN, NAN, 5.0])
    assert h.calendar is not None
    assert h.calendar.future(2) == ["2026-01-06", "2026-01-07"]


def test_a_missing_value_at_the_end_keeps_the_calendar() -> None:
    h = read(SeriesInput([1.0, 2.0, NAN], DAYS, frequency="day"), "series[0]")
    assert h.gap == 3
    assert h.calendar is not None
    assert h.calendar.future(1) == ["2026-01-06"]


def test_where_the_season_comes_from() -> None:
    pattern = [1.0, 9.0, 2.0, 4.0] * 10
    assert read(SeriesInput(pattern), "s").seasons.asked == 4
    assert read(SeriesInput(pattern, season=5), "s").seasons.asked == 5
    assert read(SeriesInput(pattern, season=0), "s").seasons.asked == 0
    assert read(SeriesInput(pattern, frequency="month"), "s").seasons.asked == 12
    assert read(SeriesInput(pattern, frequency="year"), "s").seasons.asked == 0


def test_a_calendar_season_that_is_not_shown_is_dropped_with_a_note() -> None:
    h = read(SeriesInput([1.0, 2.0, 3.0, 2.0, 4.0, 3.0], frequency="month"), "s")
    assert h.seasons.asked == 0
    assert h.notes == ("season_not_shown",)


def test_a_short_history_is_noted() -> None:
    assert "short_history" in read(SeriesInput([1.0, 2.0]), "s").notes
    assert "short_history" not in read(SeriesInput([1.0] * 6), "s").notes


@pytest.mark.parametrize(
    ("series", "path"),
    [
        (SeriesInput([]), "series[7].values"),
        (SeriesInput([NAN, NAN]), "series[7].values"),
        (SeriesInput([1.0, INF]), "series[7].values[1]"),
        (SeriesInput([1.0, 2.0, -INF]), "series[7].values[2]"),
        (SeriesInput([1e101]), "series[7].values[0]"),
        (SeriesInput([1.0, 2.0], season=20_000), "series[7].season"),
        (SeriesInput([1.0, 2.0], frequency="fortnight"), "series[7].frequency"),
        (SeriesInput([1.0, 2.0], ["2026-01-01"]), "series[7].timestamps"),
        (SeriesInput([1.0, 2.0], ["2026-01-01", "soon"]), "series[7].timestamps[1]"),
        (SeriesInput([1.0, 2.0, 3.0], ["2026-01-01", "2026-01-02", "2026-01-02"]), "series[7].timestamps[2]"),
        (SeriesInput([1.0], ["2026-01-01"]), "series[7].frequency"),
    ],
)
def test_what_is_wrong_is_named(series: SeriesInput, path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        read(series, "series[7]")
    assert caught.value.fields[0].path == path


@pytest.mark.parametrize(
    "series",
    [
        SeriesInput([1.0] + [NAN] * 1_025),
        SeriesInput([0.0] * 100_001),
        SeriesInput([1.0, 2.0, 3.0], ["1000-01-01", "1000-01-02", "2026-01-01"], frequency="day"),
    ],
)
def test_what_is_too_long_is_refused_with_the_counts(series: SeriesInput) -> None:
    with pytest.raises(InputTooLong) as caught:
        read(series, "series[0]")
    assert caught.value.actual > caught.value.limit


def test_a_horizon_past_the_calendar_is_refused() -> None:
    h = read(SeriesInput([1.0, 2.0], ["9998-01-01", "9999-01-01"]), "series[0]")
    assert h.calendar is not None
    with pytest.raises(QuartetError, match="9999"):
        h.calendar.check(1)
