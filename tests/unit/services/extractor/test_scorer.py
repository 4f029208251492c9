"""Features have the shapes that the ranker expects, in short and in long texts."""

from pathlib import Path

import numpy as np
import pytest

from services.extractor import ranker
from services.extractor.document import Document
from services.extractor.features import NULL, PAIR, PLACE
from services.extractor.fields import FieldSpec
from services.extractor.focus import LONG_TEXT
from services.extractor.scorer import Scorer


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Scorer:
    return Scorer(folder)


@pytest.mark.parametrize("text", ["I paid 389 EUR for the lamp", "7", "…", "Word. " * (LONG_TEXT // 4) + "Code 7F-20."])
def test_shapes(scorer: Scorer, text: str) -> None:
    fields = [FieldSpec("item", "text"), FieldSpec("price", "money"), FieldSpec("day", "date")]
    for pooled in scorer.read(Document(text), fields).pooled:
        count = len(pooled.items)
        assert pooled.pair.shape == (count, len(PAIR)) and pooled.place.shape == (count, len(PLACE))
        assert pooled.null.shape == (len(NULL),)
        assert ranker.item_inputs(pooled).shape == (count, len(ranker.INPUTS))
        assert ranker.null_inputs(pooled).shape == (len(ranker.NULL_INPUTS),)
        assert np.isfinite(ranker.item_inputs(pooled)).all()


def test_vectors_of_a_text_do_not_depend_on_others(scorer: Scorer, folder: Path) -> None:
    before = scorer.encoder.text("price paid")
    scorer.encoder.text("something else of another length altogether")
    fresh = Scorer(folder).encoder.text("price paid")
    assert np.array_equal(before, fresh)


def test_near_words_are_nearer_than_others(scorer: Scorer) -> None:
    price, cost, ferry = scorer.table(["price", "cost", "ferry"])
    assert float(price @ cost) > float(price @ ferry) + 0.2


def test_a_ranker_for_other_features_is_refused(tmp_path: Path, folder: Path) -> None:
    with np.load(folder / ranker.FILE) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays["inputs"] = arrays["inputs"][:-1]
    np.savez(tmp_path / ranker.FILE, **arrays)
    with pytest.raises(ValueError, match="other features"):
        ranker.load(tmp_path)
