import pytest

from services.forecaster.dates import AmbiguousDates, iso, iso_column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-03", "2026-01-03"),
        ("2026-01-03T07:30Z", "2026-01-03T07:30Z"),
        ("2026-01-03 7:30", "2026-01-03T07:30"),
        ("3 Jan 2026", "2026-01-03"),
        ("Mon, 5 January 2026", "2026-01-05"),
        ("January 5th, 2026", "2026-01-05"),
        ("03.01.2026", "2026-01-03"),
        ("2026/1/3", "2026-01-03"),
        ("Jan 2026", "2026-01"),
        ("2026-Q2", "2026-04"),
        ("Q4 2026", "2026-10"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert iso(text) == expected


@pytest.mark.parametrize("text", ["2026", "31 Feb 2026", "5 Foo 2026", "soon", "3/1/2026", ""])
def test_what_is_no_clear_date(text: str) -> None:
    assert iso(text) is None


def test_a_column_tells_day_and_month_apart() -> None:
    assert iso_column(["1/3/2026", "1/13/2026"]) == ["2026-01-03", "2026-01-13"]
    assert iso_column(["3/1/2026", "13/1/2026"]) == ["2026-01-03", "2026-01-13"]
    assert iso_column(["1/1/2026", "1/2/2026", "1/3/2026"]) == ["2026-01-01", "2026-02-01", "2026-03-01"]


def test_or_the_dates_are_refused() -> None:
    with pytest.raises(AmbiguousDates, match="YYYY-MM-DD"):
        iso_column(["1/3/2026", "2/4/2026"])
