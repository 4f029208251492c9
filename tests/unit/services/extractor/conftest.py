"""The shipped model, loaded once."""

from pathlib import Path

import pytest

from services.extractor.config import WEIGHTS
from services.extractor.model import Extractor
from services.runtime.onnx.card import Card


@pytest.fixture(scope="session")
def folder() -> Path:
    return sorted(WEIGHTS.glob("*/card.json"))[-1].parent


@pytest.fixture(scope="session")
def model(folder: Path) -> Extractor:
    return Extractor.load(folder, Card.load(folder))
