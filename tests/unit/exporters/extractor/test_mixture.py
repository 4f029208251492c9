"""The training stream asks fairly: true spans, absent only what is absent, nothing held out."""

import gzip
import json
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from exporters.extractor import corpora
from exporters.extractor.calibrate import CALIBRATED_SLOTS, HELD_SLOTS
from exporters.extractor.invent import Inventor
from exporters.extractor.letters import Letters, slots
from exporters.extractor.mixture import (
    LONGEST_SPAN,
    TOKENS,
    UNSEEN,
    Corpora,
    Example,
    Examples,
    batches,
    padded,
    spans_of,
)
from exporters.extractor.pack import Ask, Packer
from exporters.extractor.vary import varied

HELD = CALIBRATED_SLOTS | HELD_SLOTS
VOCABULARY = ("harbour", "lantern", "quarry", "meadow", "signal", "velvet", "cobalt", "thicket", "ab", "Word", "##ing")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    weights = Path(__file__).parents[4] / "services/extractor/weights"
    return Tokenizer.from_file(str(next(weights.glob("*/tokenizer.json"))))


def inventor(seed: int) -> Inventor:
    return Inventor(seed, VOCABULARY, Letters(seed, held=HELD))


def test_invented_values_stand_where_they_are_said_to() -> None:
    stream, absent, asked = inventor(3), 0, 0
    for _ in range(300):
        row = stream.row()
        for name, answer in row["answers"].items():
            asked, absent = asked + 1, absent + (answer is None)
            if answer is not None and row["fields"][name]["type"] == "text":
                start, end = answer["span"]
                assert row["text"][start:end] == answer["value"]
    assert 0.2 < absent / asked < 0.45


def test_held_slots_are_never_asked_for() -> None:
    names = {name for key in HELD for name in slots()[key].names} - {
        name for key in set(slots()) - HELD for name in slots()[key].names
    }
    stream = inventor(4)
    assert not names & {name for _ in range(300) for name in stream.row()["fields"]}


def test_every_place_of_a_value_is_right() -> None:
    text = "Ada met Bo. Later Ada left Adana."
    assert spans_of(text, "text", {"value": "Ada", "span": [0, 3]}) == [(0, 3), (18, 21)]
    assert spans_of(text, "list", {"value": ["Ada", "Bo"], "spans": [[0, 3], [8, 10]]}) == [(0, 3), (8, 10)]
    assert spans_of(text, "number", {"value": 3}) is None


def test_examples_point_at_their_answers(tokenizer: Tokenizer) -> None:
    examples, stream = Examples(Packer(tokenizer), random.Random(5)), Letters(5, held=HELD)
    for _ in range(100):
        row = stream.row()
        example = examples.example(row)
        values = {str(a["value"]).lower() for a in row["answers"].values() if a and isinstance(a["value"], str)}
        for answers in example.answers if example else ():
            for first, last in answers:
                assert example and example.row.first <= first <= last < example.row.last
                assert last - first < LONGEST_SPAN
        if example and values:
            assert example.tokens <= TOKENS + 3 + 7 * 49


def test_a_stretch_without_the_answer_asks_for_nothing_wrong(tokenizer: Tokenizer) -> None:
    text = "Nothing of note here. " * 80 + "The fee is 12 EUR."
    row = {"text": text, "fields": {"fee": {"type": "money"}}, "answers": {"fee": {"value": 12, "span": [1771, 1777]}}}
    examples = Examples(Packer(tokenizer), random.Random(1))
    found = [e for e in (examples.example(row) for _ in range(60)) if e]
    assert {bool(e.answers[0]) for e in found} == {True, False}
    assert all(e.tokens < TOKENS + 60 for e in found)


def test_batches_hold_like_lengths(tokenizer: Tokenizer) -> None:
    streams = {"corpora": Letters(1), "letters": Letters(2), "invented": inventor(3)}
    made = batches(streams, Examples(Packer(tokenizer), random.Random(2)), random.Random(3), tokens=1500)
    found: list[list[Example]] = [next(made) for _ in range(8)]
    for batch in found:
        lengths = {padded(example.tokens) for example in batch}
        assert len(lengths) == 1 and len(batch) == max(1, 1500 // lengths.pop())


def test_held_out_sources_are_not_read(tmp_path: Path) -> None:
    row = {"text": "x", "fields": {}, "answers": {}}
    for name in ("snips", "sroie_receipts", "wikitablequestions", "jaquad_ja", "sgd_computed"):
        with gzip.open(tmp_path / f"{name}.train.jsonl.gz", "wt") as out:
            out.write(json.dumps(row) + "\n")
    assert Corpora(tmp_path, random.Random(1)).sources == ["snips"]
    assert set(UNSEEN) == {*corpora.HELD, *corpora.CALIBRATED}


@pytest.mark.parametrize(
    "ask", [Ask("unit_price", "money"), Ask("f", "text", "Who signed?"), Ask("day", "date", "When")]
)
def test_variants_still_say_what_they_ask_for(ask: Ask) -> None:
    rng = random.Random(7)
    for _ in range(200):
        found = varied(ask, rng)
        assert found.type == ask.type and found.name
        opaque = found.name.split("_")[0] in ("field", "value", "item", "x", "col", "f", "slot", "attr")
        assert found.instructions or not opaque
