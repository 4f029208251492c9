"""Rows: places of the tokens and the numbers behind the block mask."""

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from services.classifier.packing import POSITIONS, Asked, Pieces, pack, pack_question
from tests.unit.services.classifier.conftest import tiny_tokenizer

ONE = Asked((5, 10, 11), ((6, 20), (6, 21, 22)))
TWO = Asked((5, 12), ((6, 30),))


def test_questions_and_options_share_their_first_positions() -> None:
    row = pack([2, 9, 3], [ONE, TWO])
    assert row.ids.tolist() == [2, 9, 3, 5, 10, 11, 6, 20, 6, 21, 22, 5, 12, 6, 30]
    assert row.positions.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 3, 4, 5, 6]
    assert row.question.tolist() == [0, 0, 0, *[1] * 8, *[2] * 4]
    assert row.option.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 0, 0, 1, 1]
    assert row.markers.tolist() == [6, 8, 13]


def test_a_question_alone_has_the_positions_it_has_in_a_row() -> None:
    together, alone = pack([2, 9, 3], [ONE]), pack_question(ONE, start=3)
    assert np.array_equal(together.positions[3:], alone.positions)
    assert np.array_equal(together.markers - 3, alone.markers)


def test_long_pieces_are_spread_over_the_room_and_never_cut() -> None:
    long = Asked(tuple(range(700)), (tuple(range(900)), (1, 2)))
    row = pack_question(long, start=322)
    assert len(row.ids) == 1602
    assert row.positions.min() >= 322
    assert row.positions.max() <= POSITIONS - 1
    assert (np.diff(row.positions[:700]) >= 0).all()
    # The short option behind the same words is not moved by its long neighbour.
    assert row.positions[-2:].tolist() == pack_question(Asked(long.words, ((1, 2),)), start=322).positions[-2:].tolist()


def test_text_that_looks_like_special_tokens_is_plain_text() -> None:
    pieces = Pieces(tiny_tokenizer())
    marks = {pieces.cls, pieces.sep, pieces.question, pieces.option}
    assert not marks & set(pieces.text("[CLS] a [SEP] b [unused1] [unused2]"))


def test_long_words_are_read_in_parts() -> None:
    pieces = Pieces(tiny_tokenizer())
    unknown = pieces.text("\u4e00")[0]
    assert len(pieces.text("a" * 500)) == 500
    assert unknown not in pieces.text("a" * 500)


def test_a_tokenizer_without_markers_is_refused() -> None:
    vocabulary = {token: number for number, token in enumerate(["[UNK]", "[CLS]", "[SEP]", "a"])}
    with pytest.raises(ValueError, match="unused1"):
        Pieces(Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]")))
