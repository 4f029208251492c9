"""Whole phrases are told from cuts of them, and a fuller name from a later mention."""

import json

import pytest

from services.extractor.document import Document
from services.extractor.edges import EDGES, edges
from services.extractor.fields import FieldSpec
from services.extractor.model import Extractor, Query


def edge(text: str, shown: str, *others: str) -> dict[str, float]:
    document = Document(text)
    places = [(text.index(s), text.index(s) + len(s)) for s in (shown, *others)]
    ranges = [document.word_range(*place) for place in places]
    return dict(zip(EDGES, edges(text, document.words, ranges, places)[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("shown", "left", "right"),
    [("red\ngarden hose", 0, 0), ("garden hose", 1, 0), ("red\ngarden", 0, 1), ("garden", 1, 1)],
)
def test_cut_phrases(shown: str, left: float, right: float) -> None:
    found = edge("We chose a red\ngarden hose from you.", shown)
    assert (found["open_left"], found["open_right"]) == (left, right)


def test_a_determiner_before_a_place() -> None:
    assert edge("for my old bike", "old bike")["determined"] == 1
    assert edge("for old bikes", "old bikes")["determined"] == 0


@pytest.mark.parametrize("shown", ["5530", "118B"])
def test_groups_of_a_code_are_split(shown: str) -> None:
    assert edge("order 5530-118B, thanks", shown)["split"] == 1
    assert edge("order 5530-118B, thanks", "5530-118B")["split"] == 0


def test_a_later_mention_has_a_fuller_name() -> None:
    text = "The floor lamp flickers. Can I return the lamp?"
    assert edge(text, "lamp", "floor lamp")["fuller"] == 1
    assert edge(text, "floor lamp", "lamp")["fuller"] == 0


@pytest.mark.parametrize(
    ("item", "head"), [("walnut coffee table", "table"), ("camping stove", "stove"), ("folding garden chair", "chair")]
)
def test_items_are_named_in_full(model: Extractor, item: str, head: str) -> None:
    text = f"Hello,\n\nI ordered a {item} from you on 4 May 2026. When I opened the box, the {head} was scratched."
    answer = model.extract(Query(text, (FieldSpec("item", "text", "What was bought"),))).answers[0]
    assert json.loads(answer.value) == item
