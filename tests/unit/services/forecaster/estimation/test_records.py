from datetime import date
from typing import Any

import numpy as np
import pytest

from services.forecaster.estimation import columns
from services.forecaster.estimation.records import split
from services.runtime.errors import InputTooLong, InvalidField


def test_records_without_the_target_are_asked() -> None:
    table = split([{"a": 1, "y": 2}, {"a": 3, "y": None}, {"a": 4}, {"a": 5, "y": "7"}], [], "y")
    assert (table.target.values, table.indices, len(table.stated), table.skipped) == ((2, 7), (1, 2), 2, 0)


def test_or_the_queries_are() -> None:
    table = split([{"a": 1, "y": 2}, {"a": 3}], [{"a": 9, "y": 5}], "y")
    assert (len(table.asked), table.indices, table.skipped) == (1, None, 1)
    assert "y" not in table.asked[0]


@pytest.mark.parametrize(
    ("records", "queries", "path", "kind"),
    [
        ([{"a": 1}], [{}], "records", "no_stated_target"),
        ([{"y": 1}], [], "queries", "missing"),
        ([{"y": 1}, {"y": "red"}], [{}], "records[1].y", "number_type"),
        ([{"y": "1 kg"}, {"y": "5 g"}], [{}], "records[1].y", "unit_mixed"),
        ([{"y": "3/4/2026"}], [{}], "records[0].y", "date_ambiguous"),
        ([{"y": 1}, 3], [{}], "records[1]", "dict_type"),
    ],
)
def test_what_is_wrong_is_named(records: Any, queries: Any, path: str, kind: str) -> None:
    with pytest.raises(InvalidField) as caught:
        split(records, queries, "y")
    assert (caught.value.fields[0].path, caught.value.fields[0].kind) == (path, kind)


def test_too_many_keys_are_refused() -> None:
    with pytest.raises(InputTooLong):
        split([{"y": 1, **{f"k{i}": i for i in range(100)}}], [{}], "y")


def test_dates_come_back_as_they_were_written() -> None:
    target = split([{"y": "2026-01-31"}, {"y": "2026-02-02"}], [{}], "y").target
    assert target.write(target.values[0] + 1) == "2026-02-01"
    assert (date(2026, 1, 31) - date(1970, 1, 1)).days == target.values[0]


def made(rows: list[dict[str, Any]], asked: list[dict[str, Any]]) -> columns.Columns:
    table = split([row | {"y": 1} for row in rows], asked, "y")
    return columns.build(table.stated, table.asked)


def test_columns_of_every_kind() -> None:
    rows = [
        {"n": 1, "t": True, "c": "red", "d": "2026-01-01", "in": {"x": 5}, "id": "u1", "same": 3, "tags": [1]},
        {"n": 2, "t": False, "c": "Blue", "d": "2026-01-09", "in": {"x": 6}, "id": "u2", "same": 3, "tags": [2]},
        {"n": None, "t": True, "c": "blue", "d": "2026-01-03", "in": {"x": 7}, "id": "u3", "same": 3, "tags": []},
        {"n": 4, "t": True, "c": "red", "d": "2026-01-04", "in": {"x": 7}, "id": "u4", "same": 3, "tags": []},
    ]
    found = made(rows, [{"n": 3, "c": "green"}])
    assert found.used == ("c", "d", "in.x", "n", "t")
    assert found.unused == ("id", "same")
    assert found.stated.shape == (4, 6) and np.isnan(found.stated).sum() == 1
    assert found.notes == (("new_name:c", "not_stated:d", "not_stated:in.x", "not_stated:t"),)


def test_a_number_in_another_unit_is_not_read_as_one() -> None:
    found = made([{"w": "1 kg"}, {"w": "2 kg"}, {"w": "3 kg"}], [{"w": "2500 g"}, {"w": "2 kg"}])
    assert np.isnan(found.asked[0, 0]) and found.asked[1, 0] == 2
