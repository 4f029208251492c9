from collections.abc import Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from exporters.llm.build import build
from services.llm.model import LanguageModel
from services.runtime.onnx.card import Card
from services.runtime.runner import Runner
from tests.unit.exporters.llm.tiny import package


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model folder of a random model."""
    folder = tmp_path_factory.mktemp("llm")
    out = folder / "weights" / "tiny-0.1.0"
    build(package(folder / "cache"), out, cache=folder / "cache")
    return out


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> LanguageModel:
    return LanguageModel.load(tiny_folder, Card.load(tiny_folder))


@pytest.fixture
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def tiny_tokenizer(tiny_folder: Path) -> Tokenizer:
    tokenizer: Tokenizer = Tokenizer.from_file(str(tiny_folder / "tokenizer.json"))
    return tokenizer
