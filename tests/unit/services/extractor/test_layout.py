"""Lines, sentences, clauses, labels, tables, blanks and free spans."""

import pytest

from services.extractor import spans
from services.extractor.layout import Layout
from services.extractor.recognisers import recognise
from services.extractor.tokens import spelled, stem, words

LABELS = [
    ("Payer: Odile Marchetti", "Odile", "Payer"),
    ("Total.....28,54", "28,54", "Total"),
    ("Total\t28,54", "28,54", "Total"),
    ("Total  28,54", "28,54", "Total"),
    ("Serial: N/A. Total: 5.00", "5.00", "Total"),
    ("Ship to:\nHalvorsen Marine AS\nBryggegata 14", "Bryggegata", "Ship to:"),
    ("Amount: EUR 5.00", "5.00", "Amount"),
    ("We paid 5.00", "5.00", None),
]


@pytest.mark.parametrize(("text", "at", "label"), LABELS)
def test_label(text: str, at: str, label: str | None) -> None:
    found = Layout(text).label(text.index(at))
    assert (text[slice(*found)].strip() if found else None) == label


def test_sentences_end_at_stops_and_line_breaks_but_not_in_abbreviations() -> None:
    text = "Dr. Weber came. He paid 3.50 EUR!\r\nThen he left"
    assert [text[a:b] for a, b in Layout(text).sentences] == ["Dr. Weber came.", "He paid 3.50 EUR!", "Then he left"]


def test_clauses_end_at_conjunctions() -> None:
    text = "I paid 389 EUR and a shop quoted 145 EUR"
    layout = Layout(text)
    assert text[slice(*layout.clause(7, 14))] == "I paid 389 EUR"
    assert text[slice(*layout.clause(33, 40))] == "a shop quoted 145 EUR"


def test_header_of_a_cell() -> None:
    text = "| SKU | Qty |\n|---|---|\n| P-1 | 4 |\n| P-2 | 7 |"
    layout = Layout(text)
    header = layout.header(text.index("7"))
    assert header is not None and text[slice(*header)] == "Qty"
    assert layout.header(text.index("SKU")) is None


BLANKS = [
    ("Tip: ____", ["Tip"]),
    ("PO number: TBA. Serial: N/A.", ["PO number", "Serial"]),
    ("Fax:\nTotal: 5", ["Fax"]),
    ("Mail: -\nTotal: 5", ["Mail"]),
    ("Total: 5", []),
    ("Unknown: the sea", []),
]


@pytest.mark.parametrize(("text", "labels"), BLANKS)
def test_empty_labels(text: str, labels: list[str]) -> None:
    assert [text[b.start : b.label_end] for b in recognise(text).blanks] == labels


SPANS = [
    ("The lamp from Marta Kovács broke", ["lamp", "Marta Kovács"]),
    ("👩\u200d🔧 Technician Zoe\u0308 Lindqvist left", ["Zoe\u0308 Lindqvist"]),
    ("担当は佐藤真理です", ["佐藤真理"]),
    ("Ship to:\nHal AS\nBrygge 14\n5817 Bergen\nContact: Liv", ["Hal AS\nBrygge 14\n5817 Bergen", "Liv"]),
    ('She said "never again" twice', ["never again"]),
]


@pytest.mark.parametrize(("text", "wanted"), SPANS)
def test_free_spans(text: str, wanted: list[str]) -> None:
    found = [text[a:b] for a, b in spans.find(text, Layout(text))]
    assert set(wanted) <= set(found)


def test_words_of_names_and_texts() -> None:
    assert spelled("pricePaid") == spelled("price_paid") == spelled("price.paid") == "price paid"
    assert [w.stem for w in words("The unitPrices, 3 deliveries")] == ["the", "unit", "pric", "3", "delivery"]
    assert stem("ordered") == stem("orders") == stem("Ordering") == "order"
