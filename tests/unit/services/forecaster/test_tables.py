import pytest

from services.forecaster.tables import TableError, read_table


@pytest.mark.parametrize(
    "text",
    [
        "name,price\nA,3\nB,",
        "name;price\nA;3\nB;",
        "name\tprice\nA\t3\nB\t",
        "| name | price |\n|------|------:|\n| A | 3 |\n| B |  |",
        "name: A\nprice: 3\n\nname: B\nprice: ",
        "- name: A, price: 3\n- name: B, price:",
        "name=A; price=3\nname=B; price=",
    ],
)
def test_one_table_in_many_forms(text: str) -> None:
    assert [row.cells for row in read_table(text)] == [{"name": "A", "price": "3"}, {"name": "B", "price": ""}]


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": 3}, {"a": 2, "b": 4}]',
        '{"rows": [{"a": 1, "b": 3}, {"a": 2, "b": 4}]}',
        '{"a": [1, 2], "b": [3, 4]}',
        '{"a": 1, "b": 3}\n{"a": 2, "b": 4}\n',
    ],
)
def test_one_table_in_json(text: str) -> None:
    assert [row.cells for row in read_table(text)] == [{"a": 1, "b": 3}, {"a": 2, "b": 4}]


def test_pasted_columns_and_quoted_cells() -> None:
    assert read_table("name   size\nA big  1\nB      2")[0].cells == {"name": "A big", "size": "1"}
    assert read_table('name,size\n"A, big",1\nB,2')[0].cells == {"name": "A, big", "size": "1"}


def test_rows_know_their_line() -> None:
    assert [row.line for row in read_table("a,b\n\n1,2\nnote\n3,4\n5,6\n")] == [3, 5, 6]


@pytest.mark.parametrize("text", ["", "no table here", "[1, 2]", "{", '[{"a": 1, "a": 2}]'])
def test_a_text_without_a_table_is_refused(text: str) -> None:
    with pytest.raises(TableError):
        read_table(text)
