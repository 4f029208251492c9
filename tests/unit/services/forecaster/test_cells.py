import pytest

from services.forecaster.cells import Kind, read_cell


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("12", 12, ""),
        ("-0.5", -0.5, ""),
        ("\u22123", -3, ""),
        ("1,234.5", 1234.5, ""),
        ("1.234,5", 1234.5, ""),
        ("1,234", 1234, ""),
        ("1.234", 1.234, ""),
        ("1'000'000", 1_000_000, ""),
        ("0,5", 0.5, ""),
        ("1e3", 1000, ""),
        ("12 kg", 12, "kg"),
        ("$3.50", 3.5, "$"),
        ("3 €", 3, "€"),
        ("5%", 5, "%"),
        ("EUR 7", 7, "EUR"),
    ],
)
def test_numbers_as_people_write_them(text: str, number: float, unit: str) -> None:
    cell = read_cell(text)
    assert (cell.kind, cell.number, cell.unit) == (Kind.NUMBER, number, unit)


@pytest.mark.parametrize("value", [None, "", " ? ", "n/a", "NaN", "unknown", float("nan")])
def test_signs_for_nothing(value: object) -> None:
    assert read_cell(value).kind is Kind.NOTHING


@pytest.mark.parametrize("value", ["A12", "12:30", "1,2,3", "1.2.3.4", "2026-01-03", "big", "10" * 400])
def test_what_is_no_number_is_text(value: str) -> None:
    assert read_cell(value).kind in (Kind.TEXT,) if len(value) < 400 else read_cell(value).kind is not Kind.NUMBER


def test_truths() -> None:
    assert [read_cell(v).number for v in (True, "no", "Yes", False)] == [1, 0, 1, 0]
