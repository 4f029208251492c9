"""From features to logits: one small layer per group of types, fitted by the exporter.

The features carry the meaning; the layer only learns how they weigh against each other and against null.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from services.extractor.concepts import CONCEPTS, SHAPES
from services.extractor.features import NULL, PAIR, PLACE, Pooled

Floats = NDArray[np.float32]
KINDS = ("text", "number", "money", "date", "time", "datetime", "duration")
GROUPS = {"number": "number", "money": "number", "date": "date", "time": "time", "datetime": "time", "duration": "time"}
GROUP_NAMES = ("text", "number", "date", "time")
FILE = "ranker.npz"
INPUTS = (
    *PAIR,
    *PLACE,
    *(f"shape_{s}" for s in SHAPES),
    *(f"asks_{c}" for c in CONCEPTS),
    *(f"kind_{k}" for k in KINDS),
)
NULL_INPUTS = (*NULL, *(f"top_{p}" for p in PAIR), *(f"asks_{c}" for c in CONCEPTS), *(f"kind_{k}" for k in KINDS))
# The corpora state no units, so the agreement of units is weighed by hand: it decides between equal readings.
UNIT_FITS, UNIT_CLASHES = 2.0, 4.0
_UNIT_FIT, _UNIT_CLASH = PLACE.index("unit_fit"), PLACE.index("unit_clash")
_LAYERS = ("item_in", "item_bias", "item_out", "item_direct", "null_in", "null_bias", "null_out", "null_direct")


def group(kind: str) -> str:
    """Types that share a layer: number, date, time, text."""
    return GROUPS.get(kind, "text")


def item_inputs(pooled: Pooled) -> Floats:
    """[items, INPUTS] of one field."""
    count = len(pooled.items)
    shapes = np.zeros((count, len(SHAPES)), np.float32)
    shapes[np.arange(count), pooled.shapes] = 1
    asks = np.broadcast_to(np.concatenate([pooled.affinity, _kind(pooled.kind)]), (count, len(CONCEPTS) + len(KINDS)))
    return np.concatenate([pooled.pair, pooled.place, shapes, asks], 1).astype(np.float32)


def null_inputs(pooled: Pooled) -> Floats:
    """[NULL_INPUTS] of one field."""
    top = pooled.pair.max(0) if len(pooled.items) else np.zeros(len(PAIR), np.float32)
    return np.concatenate([pooled.null, top, pooled.affinity, _kind(pooled.kind)]).astype(np.float32)


def _kind(kind: str) -> Floats:
    out = np.zeros(len(KINDS), np.float32)
    if kind in KINDS:
        out[KINDS.index(kind)] = 1
    return out


@dataclass(frozen=True, slots=True)
class Ranker:
    """The layer of one group; matrices are [inputs, hidden], vectors [hidden] or [inputs]."""

    item_in: Floats
    item_bias: Floats
    item_out: Floats
    item_direct: Floats
    null_in: Floats
    null_bias: Floats
    null_out: Floats
    null_direct: Floats

    def logits(self, pooled: Pooled) -> tuple[Floats, float]:
        """One logit per item, and the logit of null."""
        items = item_inputs(pooled)
        hidden = np.maximum(items @ self.item_in + self.item_bias, 0)
        units = pooled.place[:, _UNIT_FIT] * UNIT_FITS - pooled.place[:, _UNIT_CLASH] * UNIT_CLASHES
        out: Floats = items @ self.item_direct + hidden @ self.item_out + units
        null = null_inputs(pooled)
        raised = np.maximum(null @ self.null_in + self.null_bias, 0)
        return out, float(null @ self.null_direct + raised @ self.null_out)


def load(folder: Path) -> dict[str, Ranker]:
    """The layers of a model folder by group.

    Raises: ValueError when they were fitted for other features than this version computes.
    """
    with np.load(folder / FILE) as stored:
        if tuple(stored["inputs"]) != INPUTS or tuple(stored["null_inputs"]) != NULL_INPUTS:
            raise ValueError(f"{folder / FILE} was fitted for other features")
        return {name: Ranker(*(stored[f"{name}.{layer}"] for layer in _LAYERS)) for name in GROUP_NAMES}


def save(folder: Path, rankers: Mapping[str, Ranker]) -> None:
    """Writes the layers of all groups."""
    arrays = {f"{name}.{layer}": getattr(ranker, layer) for name, ranker in rankers.items() for layer in _LAYERS}
    np.savez(folder / FILE, inputs=np.array(INPUTS), null_inputs=np.array(NULL_INPUTS), **arrays)
