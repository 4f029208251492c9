"""The shipped model, and a tiny one with random weights for what does not depend on training."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from exporters.classifier.graph import build
from services.classifier.check import Limits
from services.classifier.config import WEIGHTS
from services.classifier.model import Classifier
from services.runtime.onnx.card import Card
from services.runtime.onnx.registry import Registry

WIDTH, HEADS, LAYERS, INNER = 32, 4, 2, 64
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused1]", "[unused2]")
VOCABULARY = [*SPECIAL, *LETTERS, *":;,.?|", *(f"##{letter}" for letter in LETTERS)]


def random_weights(seed: int = 0) -> dict[str, np.ndarray]:
    """Folded weights of a tiny encoder."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int, scale: float = 0.3) -> np.ndarray:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    weights = {
        "words.weight": draw(len(VOCABULARY), WIDTH),
        "places.weight": draw(512, WIDTH),
        "kind": draw(WIDTH),
        "norm.weight": 1 + draw(WIDTH, scale=0.05),
        "norm.bias": draw(WIDTH, scale=0.05),
        "head.0.weight": np.ones(WIDTH, np.float32),
        "head.0.bias": np.zeros(WIDTH, np.float32),
        "head.1.weight": draw(WIDTH, WIDTH),
        "head.1.bias": draw(WIDTH),
        "head.3.weight": draw(1, WIDTH),
        "head.3.bias": draw(1),
    }
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "out": (WIDTH, WIDTH),
              "up": (INNER, WIDTH), "down": (WIDTH, INNER)}  # fmt: skip
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            weights[f"layers.{layer}.{name}.weight"] = draw(*shape)
            weights[f"layers.{layer}.{name}.bias"] = draw(shape[0], scale=0.05)
        for name in ("norm1", "norm2"):
            weights[f"layers.{layer}.{name}.weight"] = np.ones(WIDTH, np.float32)
            weights[f"layers.{layer}.{name}.bias"] = np.zeros(WIDTH, np.float32)
    return weights


def tiny_tokenizer() -> Tokenizer:
    """WordPiece over single letters."""
    numbers = {token: number for number, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"])
    return tokenizer


def tiny_folder(folder: Path, **limits: int) -> Path:
    """A model folder around the tiny encoder."""
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    onnx.save(build(random_weights(), heads=HEADS, int8=True), folder / "model.onnx")
    card = Card(
        name="tiny",
        version="0",
        description="Random weights.",
        license="Apache-2.0",
        released="2026-01-01",
        limits=Limits().as_dict() | limits,
        calibration={"temperatures": {"noul": [[2, 2.0]]}},
    )
    card.save(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    """A model of random weights with small token limits."""
    folder = tmp_path_factory.mktemp("models") / "tiny-0"
    folder.mkdir()
    tiny_folder(folder, state_and_question_tokens=3000, request_tokens=4000, question_tokens=600, characters=20_000)
    return Classifier(folder, Card.load(folder))


@pytest.fixture(scope="session")
def shipped() -> Classifier:
    """The model that comes with the service."""
    return Registry(WEIGHTS, Classifier).get()
