import pytest

from services.forecaster.grid import BusinessGrid, ClockGrid, DayGrid, GridError, MonthGrid, infer, positions
from services.forecaster.stamps import StampError, read


def on_grid(texts: list[str], frequency: str | None = None) -> tuple[object, list[int]]:
    stamps = [read(t) for t in texts]
    grid = infer(stamps, frequency)
    return grid, positions(grid, stamps)


def future(texts: list[str], count: int, frequency: str | None = None) -> list[str]:
    stamps = [read(t) for t in texts]
    grid = infer(stamps, frequency)
    end = positions(grid, stamps)[-1]
    return [stamps[-1].style.write(grid.moment(end + k, stamps[-1])) for k in range(1, count + 1)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2026-01-01", "2026-01-02"], ["2026-01-03", "2026-01-04"]),
        (["2026-01-31", "2026-02-28", "2026-03-31"], ["2026-04-30", "2026-05-31"]),
        (["2023-12-31", "2024-01-31"], ["2024-02-29", "2024-03-31"]),
        (["2026-03-31", "2026-06-30", "2026-09-30"], ["2026-12-31", "2027-03-31"]),
        (["2024-02-29", "2025-02-28"], ["2026-02-28", "2027-02-28"]),
        (["2026-01", "2026-02"], ["2026-03", "2026-04"]),
        (["2024", "2025"], ["2026", "2027"]),
        (["2026-01-05", "2026-01-12"], ["2026-01-19", "2026-01-26"]),
        (["2026-11-30T23:00:00Z", "2026-12-01T00:00:00Z"], ["2026-12-01T01:00:00Z", "2026-12-01T02:00:00Z"]),
        (["2026-01-01 00:00", "2026-01-01 00:15"], ["2026-01-01 00:30", "2026-01-01 00:45"]),
        (
            ["2026-01-01T00:00:00.250", "2026-01-01T00:00:00.500"],
            ["2026-01-01T00:00:00.750000", "2026-01-01T00:00:01.000000"],
        ),
        (["2026-01-01T06:00+05:30", "2026-01-02T06:00+05:30"], ["2026-01-03T06:00+05:30", "2026-01-04T06:00+05:30"]),
    ],
)
def test_the_future_in_the_style_of_the_past(texts: list[str], expected: list[str]) -> None:
    assert future(texts, 2) == expected


def test_business_days_skip_weekends() -> None:
    texts = ["2026-11-26", "2026-11-27", "2026-11-30", "2026-12-01"]
    assert isinstance(on_grid(texts)[0], BusinessGrid)
    assert future(texts, 4) == ["2026-12-02", "2026-12-03", "2026-12-04", "2026-12-07"]


def test_a_holiday_is_a_missing_business_day() -> None:
    assert on_grid(["2026-12-23", "2026-12-24", "2026-12-28", "2026-12-29"], "business_day")[1] == [0, 1, 3, 4]


def test_days_that_include_a_weekend_are_days() -> None:
    assert isinstance(on_grid(["2026-11-27", "2026-11-28", "2026-11-30"])[0], DayGrid)


def test_gaps_are_missing_steps() -> None:
    assert on_grid(["2026-01-01", "2026-01-02", "2026-01-05", "2026-01-06"], "day")[1] == [0, 1, 4, 5]
    assert on_grid(["2026-01-31", "2026-02-28", "2026-06-30"], "month")[1] == [0, 1, 5]


def test_hours_over_both_changes_of_daylight_saving() -> None:
    spring = ["2026-03-29T00:00+01:00", "2026-03-29T01:00+01:00", "2026-03-29T03:00+02:00", "2026-03-29T04:00+02:00"]
    autumn = ["2026-10-25T01:00+02:00", "2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00"]
    for texts in (spring, autumn):
        grid, at = on_grid(texts)
        assert isinstance(grid, ClockGrid)
        assert at == [0, 1, 2, 3]


def test_a_zone_moves_future_hours_over_the_change() -> None:
    texts = [f"2026-10-25T{h:02d}:00+02:00[Europe/Berlin]" for h in (0, 1, 2)]
    assert future(texts, 2) == ["2026-10-25T02:00+01:00[Europe/Berlin]", "2026-10-25T03:00+01:00[Europe/Berlin]"]


def test_days_keep_their_wall_clock_over_the_change() -> None:
    texts = ["2026-10-23T08:00+02:00[Europe/Berlin]", "2026-10-24T08:00+02:00[Europe/Berlin]"]
    assert future(texts, 1) == ["2026-10-25T08:00+01:00[Europe/Berlin]"]
    offsets = ["2026-10-23T00:00+02:00", "2026-10-24T00:00+02:00", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"]
    assert on_grid(offsets)[1] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("texts", "index", "word"),
    [
        (["2026-01-01", "2026-01-02", "2026-01-02", "2026-01-03"], 2, "repeats"),
        (["2026-01-01", "2026-01-03", "2026-01-02"], 2, "earlier"),
        (
            ["2026-01-01T00:00", "2026-01-01T01:00", "2026-01-01T02:20", "2026-01-01T03:00", "2026-01-01T04:00"],
            2,
            "off the grid",
        ),
        (["2026-01-05", "2026-01-12", "2026-01-19", "2026-01-27", "2026-02-02"], 3, "off the grid"),
        (["2026-01-01T00:00Z", "2026-01-01T01:00"], 1, "mixed"),
    ],
)
def test_what_does_not_fit_is_named(texts: list[str], index: int, word: str) -> None:
    with pytest.raises(GridError, match=word) as caught:
        on_grid(texts)
    assert caught.value.index == index


def test_a_weekend_is_no_business_day() -> None:
    with pytest.raises(GridError) as caught:
        on_grid(["2026-11-27", "2026-11-28"], "business_day")
    assert caught.value.index == 1


def test_a_stated_frequency_may_have_a_multiple_as_step() -> None:
    grid, _ = on_grid(["2026-01-01T00:00", "2026-01-01T00:15", "2026-01-01T00:30"], "minute")
    assert isinstance(grid, ClockGrid)
    assert grid.season == 96


def test_one_stamp_needs_a_frequency() -> None:
    with pytest.raises(GridError) as caught:
        on_grid(["2026-01-31"])
    assert caught.value.index == -1
    assert future(["2026-01-31"], 2, "month") == ["2026-02-28", "2026-03-31"]


@pytest.mark.parametrize(
    ("texts", "season"),
    [
        (["2026-01-01", "2026-01-02"], 7),
        (["2026-01-01", "2026-01-08"], 52),
        (["2026-01-01", "2026-02-01"], 12),
        (["2026-01-01", "2026-04-01"], 4),
        (["2025-01-01", "2026-01-01"], 1),
        (["2026-01-01T00:00", "2026-01-01T00:30"], 48),
    ],
)
def test_the_season_of_a_grid(texts: list[str], season: int) -> None:
    grid = infer([read(t) for t in texts], None)
    assert grid.season == season


def test_the_end_of_the_calendar() -> None:
    for grid in (infer([read("9998-01-01"), read("9999-01-01")], None), MonthGrid(read("9999-01-01").local, 1, 1)):
        with pytest.raises(OverflowError):
            grid.moment(500_000, read("9999-01-01"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "01/02/2026",
        "1700000000",
        "2026-01-01T25:00",
        "2026-01-01T00:00+99:00",
        "2026-01-01T00:00[Mars/Base]",
        "2026-10-25T02:30+05:00[Europe/Berlin]",
    ],
)
def test_what_is_no_time_stamp(text: str) -> None:
    with pytest.raises(StampError):
        read(text)
