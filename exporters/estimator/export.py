"""Writes a model folder from a checkpoint: graph, card, parity figure.

    python -m exporters.estimator.export --checkpoint runs/estimator/checkpoint.pt --version 0.1.0

The moving average of the weights is exported with dynamic tables, stated and asked rows. The answers of torch and ONNX
Runtime must agree within 1e-4 (compressed units) on validation batches, or nothing is written.
"""

import argparse
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime as ort
import torch

from exporters.estimator.model import LEVELS, Network
from exporters.estimator.train import validation_batches
from services.forecaster.estimation.limits import MAX_KEYS, MAX_QUERIES, MAX_READ, MAX_RECORDS
from services.forecaster.estimation.model import CALIBRATED
from services.forecaster.estimation.tokens import BASE, COLUMNS, STATED
from services.runtime.onnx.card import Card, sha256

NAME: Final = "quartet-estimate"
WEIGHTS: Final = Path(__file__).parents[2] / "services" / "forecaster" / "weights"
INPUTS: Final = ("stated", "asked", "base")

_PARITY: Final = 1e-4


class ParityError(RuntimeError):
    """The exported graph does not answer like the network."""


def averaged(checkpoint: Path) -> tuple[Network, dict[str, Any]]:
    """The moving average of a run as a network, and the facts of the run."""
    state = torch.load(checkpoint, weights_only=True)
    network = Network()
    network.load_state_dict(state["average"])
    return network.eval(), {"steps_done": state["step"], **state["recipe"]}


def write_graph(network: Network, path: Path) -> None:
    """Export to ONNX with symbolic tables, stated and asked rows."""
    tables = torch.export.Dim("tables", min=1, max=4_096)
    stated = torch.export.Dim("stated_rows", min=2, max=65_536)
    asked = torch.export.Dim("asked_rows", min=1, max=65_536)
    example = (torch.randn(3, 20, STATED), torch.randn(3, 5, STATED), torch.randn(3, 5, BASE))
    torch.onnx.export(
        network,
        example,
        str(path),
        input_names=list(INPUTS),
        output_names=["quantiles"],
        dynamic_shapes=({0: tables, 1: stated}, {0: tables, 1: asked}, {0: tables, 1: asked}),
        dynamo=True,
        external_data=False,
        optimize=False,
        verbose=False,
    )


def parity(network: Network, path: Path) -> float:
    """Largest difference of the two answers on tables that no step has seen."""
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    worst = 0.0
    for batch in validation_batches(tables=8).values():
        feeds = {"stated": batch.stated, "asked": batch.asked, "base": batch.base}
        with torch.no_grad():
            expected = network(*feeds.values()).numpy()
        answered = session.run(None, {name: value.numpy() for name, value in feeds.items()})[0]
        worst = max(worst, float(np.abs(answered - expected).max()))
    return worst


def export(checkpoint: Path, *, version: str, root: Path = WEIGHTS) -> Path:
    """Write the model folder and return it. Raises ParityError."""
    network, run = averaged(checkpoint)
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch) / "model.onnx"
        write_graph(network, draft)
        difference = parity(network, draft)
        if difference > _PARITY:
            raise ParityError(f"torch and ONNX differ by {difference:.1e}, allowed are {_PARITY:.0e}")
        folder = root / f"{NAME}-{version}"
        folder.mkdir(parents=True, exist_ok=True)
        graph = folder / "model.onnx"
        graph.write_bytes(draft.read_bytes())
    parameters = sum(p.numel() for p in network.parameters())
    card(version, graph, run, difference=difference, parameters=parameters).save(folder)
    return folder


def card(version: str, graph: Path, run: dict[str, Any], *, difference: float, parameters: int) -> Card:
    """The card of a freshly exported graph; the report adds the quality."""
    return Card(
        name=NAME,
        version=version,
        description="Quantile estimates of an unstated number from records that state it, trained on synthetic tables.",
        license="Apache-2.0",
        released=datetime.now(UTC).date().isoformat(),
        aliases=("estimate",),
        training_data=("synthetic tables of exporters/estimator/priors.py, nothing else",),
        limits={"records": MAX_RECORDS, "records_read": MAX_READ, "queries": MAX_QUERIES, "keys": MAX_KEYS},
        calibration={
            "levels": list(LEVELS),
            "between_levels": "linear in the normal score, on the compressed scale",
            "beyond_levels": "normal tail through the two outermost levels",
            "on_records": f"left-out records stretch the intervals from {CALIBRATED} records on",
            "one_or_two_records": "Student distribution with one degree of freedom, columns not read",
        },
        files={graph.name: sha256(graph)},
        exporter={"command": "python -m exporters.estimator.export", "torch": torch.__version__.split("+")[0], **run},
        extra={
            "token": STATED,
            "columns": COLUMNS,
            "parameters": parameters,
            "parity_torch_onnx": float(f"{difference:.1e}"),
            "weights_are": "moving average",
        },
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--root", type=Path, default=WEIGHTS, help="folder of the model folders")
    args = parser.parse_args()
    folder = export(args.checkpoint, version=args.version, root=args.root)
    loaded = Card.load(folder)
    print(json.dumps({"folder": str(folder), "bytes": (folder / "model.onnx").stat().st_size, **loaded.extra}))


if __name__ == "__main__":
    main()
