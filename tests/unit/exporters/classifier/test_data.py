"""Corpus rows, their variation, made decisions, batches."""

import gzip
import json
import random
from pathlib import Path

import pytest

from exporters.classifier.data import HELD, Corpus, Item, Mix, Sample, batches, one_hot, packed
from exporters.classifier.generators import COMPOSED, PHRASED, generate
from exporters.classifier.vary import vary
from services.classifier.packing import Pieces
from services.classifier.text import render
from tests.unit.services.classifier.conftest import tiny_tokenizer

ROWS = [
    {
        "state": "the box is broken",
        "questions": {
            "n": {"type": "noul", "instructions": "broken?", "criteria": {"true": "it is", "false": None}},
            "c": {"type": "choice", "instructions": "which?", "criteria": {"a": "first", "b": None, "c": "third"}},
            "s": {
                "type": "score",
                "instructions": "how much?",
                "criteria": ["low", {"name": "high", "description": "very"}],
            },
            "l": {"type": "choice", "instructions": "label?", "label_set": "made"},
        },
        "answers": {"n": True, "c": "b", "s": 1, "l": "label 7"},
    }
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    for source in ("made", HELD[0]):
        with gzip.open(tmp_path / f"{source}.train.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in ROWS * 3)
    labels = [{"name": f"label {n}", "description": f"number {n}"} for n in range(60)]
    (tmp_path / "made.labels.json").write_text(json.dumps(labels))
    return Corpus.load(tmp_path, splits=("train",), skip=HELD)


def test_rows_become_samples_with_their_answers(corpus: Corpus) -> None:
    assert list(corpus.lines) == ["made"]
    items = {item.instructions: item for item in corpus.sample("made", 0, rng=random.Random(0)).items}
    assert items["broken?"].options == (("no", None), ("yes", "it is"))
    assert items["broken?"].target == (0.0, 1.0)
    assert items["which?"].options[items["which?"].answer] == ("b", None)
    assert items["how much?"].options == (("low", None), ("high", "very"))
    assert items["label?"].options[items["label?"].answer] == ("label 7", "number 7")
    assert len(items["label?"].options) <= 16


@pytest.mark.parametrize("made", list(dict.fromkeys(COMPOSED + PHRASED)), ids=lambda made: made.__name__)
def test_made_samples_are_well_formed(made: object) -> None:
    rng = random.Random(3)
    for _ in range(150):
        sample = made(rng)  # type: ignore[operator]
        assert render(sample.state)
        assert sample.items
        for item in sample.items:
            assert len(item.target) == len(item.options) >= 2
            assert sum(item.target) == 1
            names = [name for name, _ in item.options]
            assert len(set(names)) == len(names)


def test_made_yes_and_no_are_balanced() -> None:
    rng = random.Random(4)
    answers = [item.answer for _ in range(3000) for item in generate(rng).items if item.kind == "noul"]
    assert 0.4 < sum(answers) / len(answers) < 0.6


def test_variation_keeps_targets_in_step_with_options() -> None:
    rng = random.Random(5)
    options = tuple((f"label_{n}", f"about {n}") for n in range(5))
    sample = Sample(
        "text",
        (
            Item("choice", "which?", options, one_hot(5, 2)),
            Item("noul", "is it?", (("no", None), ("yes", None)), one_hot(2, 1)),
        ),
    )
    kinds = set()
    for _ in range(800):
        for item in vary(sample, rng).items:
            kinds.add(item.kind)
            assert len(item.options) == len(item.target)
            assert sum(item.target) == pytest.approx(1)
    assert kinds == {"choice", "noul"}


def test_batches_keep_to_the_budget(corpus: Corpus) -> None:
    mix = Mix(tokens=900, longest=250, generated=0.2, pool=40)
    stream = batches(corpus, Pieces(tiny_tokenizer()), seed=1, mix=mix, vary=vary, generate=generate)
    for _ in range(12):
        rows = next(stream)
        assert rows
        longest = max(row.tokens for row in rows)
        assert longest <= 250
        assert len(rows) == 1 or longest * len(rows) <= 900


def test_rows_over_the_length_are_left_out() -> None:
    item = Item("noul", "is it?", (("no", None), ("yes", None)), one_hot(2, 1))
    pieces = Pieces(tiny_tokenizer())
    assert packed(Sample("a " * 300, (item,)), pieces, longest=250) is None
    assert packed(Sample("a " * 20, (item,)), pieces, longest=250) is not None
