import math

import pytest

from services.forecaster.series_text import read_series
from services.forecaster.tables import TableError

NAN = math.nan


@pytest.mark.parametrize(
    ("text", "values", "stamps"),
    [
        ("date,sales,note\n2026-01-01,10,ok\n2026-01-02,12,\n", (10, 12), ("2026-01-01", "2026-01-02")),
        ("month;value\nJan 2026;1.234,5\nFeb 2026;7\n", (1234.5, 7), ("2026-01", "2026-02")),
        ("year  people\n2001  1,200\n2002  1,300", (1200, 1300), ("2001", "2002")),
        ("| day | n |\n|---|---|\n| 2026-01-01 | 5 |\n| 2026-01-02 | |\n", (5, NAN), ("2026-01-01", "2026-01-02")),
        ("2026-01,120\n2026-02,130", (120, 130), ("2026-01", "2026-02")),
        ("- 3 Jan 2026: $1,250.50 (good)\n- 4 Jan 2026: n/a", (1250.5, NAN), ("2026-01-03", "2026-01-04")),
        ("2026-01-03 5\n2026-01-02 4", (4, 5), ("2026-01-02", "2026-01-03")),
        ("112 118 132, 129", (112, 118, 132, 129), ()),
        ("112,118,132", (112, 118, 132), ()),
        ("5\n6\n7.5\n", (5, 6, 7.5), ()),
        ("[1, null, 3]", (1, NAN, 3), ()),
        ('{"2026-01": 1, "2026-02": 2}', (1, 2), ("2026-01", "2026-02")),
        ('[["2026-01-01", 3], ["2026-01-02", 4]]', (3, 4), ("2026-01-01", "2026-01-02")),
        ('[{"t": "2026-01-01", "v": 3}, {"t": "2026-01-02", "v": 4}]', (3, 4), ("2026-01-01", "2026-01-02")),
    ],
)
def test_one_series_in_many_forms(text: str, values: tuple[float, ...], stamps: tuple[str, ...]) -> None:
    (found,) = read_series(text).series
    assert found.values == pytest.approx(values, nan_ok=True)
    assert found.timestamps == stamps
    assert len(found.lines) == len(values)


def test_rows_among_notes() -> None:
    read = read_series("Weekly report\n2026-01-01: 120 units\nthe fridge broke\n2026-01-02: 90 units\n")
    assert read.series[0].lines == (2, 4)
    assert read.skipped == (1, 3)


def test_every_column_of_numbers_is_a_series() -> None:
    read = read_series("day,a,b,who\n2026-01-01,1,2,x\nsee above\n2026-01-02,3,4,y\n")
    assert [(f.name, f.values) for f in read.series] == [("a", (1, 3)), ("b", (2, 4))]
    assert read.skipped == (3,)


@pytest.mark.parametrize("text", [" ", "no numbers", "3/4/2026: 5\n4/4/2026: 6", "[true]", '{"a": {"b": 1}}', "{"])
def test_a_text_without_a_series_is_refused(text: str) -> None:
    with pytest.raises(TableError):
        read_series(text)
