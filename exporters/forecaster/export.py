"""Writes a model folder from a checkpoint: graph, card, parity figure.

    python -m exporters.forecaster.export --checkpoint runs/forecaster/checkpoint.pt --version 0.1.0

The moving average of the weights is exported with a dynamic batch and a dynamic number of steps. The answers of torch
and ONNX Runtime must agree within 1e-4 (compressed units) on validation batches, or nothing is written.
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

from exporters.forecaster.model import HORIZON, LEVELS, Network
from exporters.forecaster.train import validation_batches
from services.forecaster.limits import MAX_GAP, MAX_HORIZON, MAX_LEVELS, MAX_POINTS, MAX_SERIES
from services.forecaster.scaling import CONTEXT, FEATURES
from services.runtime.onnx.card import Card, sha256

NAME: Final = "quartet-forecast"
WEIGHTS: Final = Path(__file__).parents[2] / "services" / "forecaster" / "weights"
INPUTS: Final = ("z", "mask", "features", "periods", "steps")

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
    """Export to ONNX with symbolic batch and step axes."""
    rows, steps = torch.export.Dim("rows", min=1, max=65_536), torch.export.Dim("ahead", min=1, max=4_096)
    example = (
        torch.randn(3, CONTEXT),
        torch.ones(3, CONTEXT),
        torch.zeros(3, FEATURES),
        torch.tensor([[12.0, 1.0], [24.0, 168.0], [1.0, 1.0]]),
        torch.arange(1.0, 8.0).repeat(3, 1),
    )
    # optimize=False: the optimising pass of torch 2.13 breaks a two-sided clamp of a graph input.
    torch.onnx.export(
        network,
        example,
        str(path),
        input_names=list(INPUTS),
        output_names=["quantiles"],
        dynamo=True,
        dynamic_shapes=({0: rows}, {0: rows}, {0: rows}, {0: rows}, {0: rows, 1: steps}),
        external_data=False,
        optimize=False,
        verbose=False,
    )


def parity(network: Network, path: Path) -> float:
    """Largest difference between torch and ONNX Runtime on the validation batches, in compressed units."""
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    worst = 0.0
    for batch in validation_batches(size=200).values():
        s = batch.scaled
        feeds = dict(zip(INPUTS, (s.z, s.mask, s.features, batch.periods, batch.steps), strict=True))
        with torch.no_grad():
            expected = network(*(torch.from_numpy(v) for v in feeds.values())).numpy()
        worst = max(worst, float(np.abs(session.run(None, feeds)[0] - expected).max()))
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
        description="Quantile forecasts of the next steps of a series, trained on synthetic series only.",
        license="Apache-2.0",
        released=datetime.now(UTC).date().isoformat(),
        aliases=("forecast",),
        training_data=("synthetic series of exporters/forecaster/priors.py, nothing else",),
        limits={
            "series": MAX_SERIES,
            "points_per_series": MAX_POINTS,
            "missing_steps_at_end": MAX_GAP,
            "horizon_steps": MAX_HORIZON,
            "quantiles": MAX_LEVELS,
        },
        calibration={
            "levels": list(LEVELS),
            "between_levels": "linear in the normal score",
            "beyond_levels": "normal tail through the two outermost levels",
            "mean": "integral of that quantile function over all levels",
            "beyond_horizon": "seasonal lags go on; damped drift and power growth of the width, no feedback of answers",
        },
        files={graph.name: sha256(graph)},
        exporter={"command": "python -m exporters.forecaster.export", "torch": torch.__version__.split("+")[0], **run},
        extra={
            "context": CONTEXT,
            "horizon": HORIZON,
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
