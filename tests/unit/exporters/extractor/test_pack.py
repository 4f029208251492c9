"""Rows hold every field and token in its place, and spans find their tokens."""

from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from exporters.extractor.pack import FIELD, FIELD_TOKENS, GAP, LINE, Ask, Packer, windows

TEXT = "Total due:\t1,204.50 EUR\n\nShip to   Zoë Brandão,\r\nRua do Sol 7. 😀 Danke"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    weights = Path(__file__).parents[4] / "services/extractor/weights"
    return Tokenizer.from_file(str(next(weights.glob("*/tokenizer.json"))))


@pytest.fixture(scope="module")
def packer(tokenizer: Tokenizer) -> Packer:
    return Packer(tokenizer)


def test_a_row_holds_markers_fields_and_text(packer: Packer, tokenizer: Tokenizer) -> None:
    fields = [packer.field(Ask("orderDate", "date", "when it was placed")), packer.field(Ask("total", "money"))]
    text = packer.text(TEXT)
    row = packer.row(fields, text)
    assert [tokenizer.id_to_token(int(row.ids[m])) for m in row.markers] == [FIELD, FIELD]
    shown = tokenizer.decode([int(i) for i in row.ids[: row.first]])
    assert shown == f"{FIELD} order date : when it was placed ( date ) {FIELD} total ( money )"
    assert (row.ids[row.first : row.last] == text.ids).all() and row.last == len(row.ids) - 1
    assert packer.room(fields, longest=len(row.ids)) == len(text.ids)


def test_lines_and_gaps_are_tokens(packer: Packer, tokenizer: Tokenizer) -> None:
    shown = [tokenizer.id_to_token(int(i)) for i in packer.text(TEXT).ids]
    assert [s for s in shown if s in (LINE, GAP)] == [GAP, LINE, GAP, LINE]


@pytest.mark.parametrize("span", ["1,204.50", "Zoë Brandão", "Rua do Sol 7", "Total due", "Danke"])
def test_spans_find_their_tokens(packer: Packer, span: str) -> None:
    text, start = packer.text(TEXT), TEXT.index(span)
    covering = text.covering(start, start + len(span))
    assert covering is not None
    assert TEXT[text.places[covering[0], 0] : text.places[covering[1], 1]] == span
    cut = text.cut(covering[1] + 1, len(text.ids))
    assert cut.covering(start, start + len(span)) is None


def test_long_instructions_never_push_out_the_type(packer: Packer, tokenizer: Tokenizer) -> None:
    ids = packer.field(Ask("note", "text", "word " * 200))
    assert len(ids) == FIELD_TOKENS + 1 and tokenizer.decode(ids).endswith("( text )")


@pytest.mark.parametrize(("count", "room"), [(0, 8), (7, 8), (8, 8), (9, 8), (1000, 96)])
def test_windows_cover_everything_and_overlap(count: int, room: int) -> None:
    found = windows(count, room)
    assert found[0][0] == 0 and found[-1][1] == count and all(b - a <= room for a, b in found)
    assert all(later[0] < earlier[1] for earlier, later in pairwise(found))
