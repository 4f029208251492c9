"""Fits the ranker: a conditional logit over each field's places and null (McFadden 1974) with one hidden layer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.extractor.features import Pooled
from services.extractor.ranker import INPUTS, NULL_INPUTS, Ranker, item_inputs, null_inputs

Floats = NDArray[np.float32]
Named = dict[str, Floats]
MOST_ITEMS = 70
HIDDEN = 24
BATCH = 256
DROPPED = 0.1


@dataclass(frozen=True, slots=True)
class Case:
    """One field of one document: inputs of its places and of null, and which are right; no right place means null."""

    items: Floats
    null: Floats
    right: NDArray[np.bool_]
    absent: bool
    source: str


def case(pooled: Pooled, right: NDArray[np.bool_], *, absent: bool, source: str, rng: np.random.Generator) -> Case:
    """Keeps at most MOST_ITEMS places: the right ones, the strongest by words, and some others."""
    items, count = item_inputs(pooled), len(right)
    if count > MOST_ITEMS:
        keep = np.flatnonzero(right)[:20]
        others = np.setdiff1d(np.arange(count), keep)
        strong = others[np.argsort(-pooled.pair[others, :9].sum(1), kind="stable")][: MOST_ITEMS // 2]
        rest = rng.choice(np.setdiff1d(others, strong), MOST_ITEMS - len(strong) - len(keep), replace=False)
        rows = np.sort(np.concatenate([keep, strong, rest]))
        items, right = items[rows], right[rows]
    return Case(items.astype(np.float16), null_inputs(pooled), right, absent, source)


class _Flat:
    """Cases as flat arrays; `owner` maps a place to its case."""

    def __init__(self, cases: Sequence[Case]) -> None:
        sizes = np.array([len(c.right) for c in cases])
        self.count = len(cases)
        self.owner = np.repeat(np.arange(self.count), sizes)
        self.items = np.concatenate([c.items for c in cases]).astype(np.float32)
        self.null = np.stack([c.null for c in cases])
        self.right = np.concatenate([c.right for c in cases]).astype(np.float32)
        self.absent = np.array([c.absent for c in cases], np.float32)


def _start(rng: np.random.Generator) -> Named:
    def layer(inputs: int) -> Floats:
        drawn: Floats = (rng.standard_normal((inputs, HIDDEN)) * 0.5 / np.sqrt(inputs)).astype(np.float32)
        return drawn

    zeros = {"item_bias": HIDDEN, "item_direct": len(INPUTS), "null_bias": HIDDEN, "null_direct": len(NULL_INPUTS)}
    small = {name: (rng.standard_normal(HIDDEN) * 0.1).astype(np.float32) for name in ("item_out", "null_out")}
    return {
        "item_in": layer(len(INPUTS)),
        "null_in": layer(len(NULL_INPUTS)),
        **small,
        **{n: np.zeros(s, np.float32) for n, s in zeros.items()},
    }


def together(members: Sequence[Ranker]) -> Ranker:
    """One ranker whose logits are the mean of its members': their hidden units side by side (bagging, Breiman 1996)."""
    share = 1 / len(members)

    def joined(name: str, *, axis: int, scale: float = 1.0) -> Floats:
        whole: Floats = np.concatenate([getattr(member, name) for member in members], axis) * np.float32(scale)
        return whole

    def mean(name: str) -> Floats:
        whole: Floats = np.stack([getattr(member, name) for member in members]).mean(0)
        return whole

    return Ranker(
        item_in=joined("item_in", axis=1),
        item_bias=joined("item_bias", axis=0),
        item_out=joined("item_out", axis=0, scale=share),
        item_direct=mean("item_direct"),
        null_in=joined("null_in", axis=1),
        null_bias=joined("null_bias", axis=0),
        null_out=joined("null_out", axis=0, scale=share),
        null_direct=mean("null_direct"),
    )


def fit(cases: Sequence[Case], *, epochs: int = 24, rate: float = 0.01, decay: float = 1e-4, seed: int = 3) -> Ranker:
    """Maximum likelihood by Adam with decoupled decay; places of equal value share the probability."""
    rng = np.random.default_rng(seed)
    weights = _start(rng)
    first = {name: np.zeros_like(w) for name, w in weights.items()}
    second = {name: np.zeros_like(w) for name, w in weights.items()}
    batches = max(1, (len(cases) + BATCH - 1) // BATCH)
    step, total = 0, epochs * batches
    for batch in _batches(cases, epochs, rng):
        step += 1
        pace = rate * min(1.0, step / 20) * (0.02 + 0.98 * (1 - step / (total + 1)))
        batch.items, batch.null = _blurred(batch.items, rng), _blurred(batch.null, rng)
        for name, gradient in _gradients(batch, weights).items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.99 * second[name] + 0.01 * gradient**2
            move = (first[name] / (1 - 0.9**step)) / (np.sqrt(second[name] / (1 - 0.99**step)) + 1e-8)
            weights[name] = weights[name] - pace * (move + 10 * decay * weights[name])
    return Ranker(**_unseen_at_zero(cases, weights))


def _unseen_at_zero(cases: Sequence[Case], weights: Named) -> Named:
    """Inputs that were zero in every case keep no weight from the random start; units are weighed by hand anyway."""
    seen = np.zeros(len(INPUTS), bool)
    for case in cases:
        seen |= (case.items != 0).any(0)
    for name in ("unit_fit", "unit_clash"):
        seen[INPUTS.index(name)] = False
    null_seen = np.stack([case.null != 0 for case in cases]).any(0)
    for name in ("item_in", "item_direct"):
        weights[name][~seen] = 0
    for name in ("null_in", "null_direct"):
        weights[name][~null_seen] = 0
    return weights


def _batches(cases: Sequence[Case], epochs: int, rng: np.random.Generator) -> Iterator[_Flat]:
    for _ in range(epochs):
        order = rng.permutation(len(cases))
        for at in range(0, len(order), BATCH):
            yield _Flat([cases[i] for i in order[at : at + BATCH]])


def _blurred(inputs: Floats, rng: np.random.Generator) -> Floats:
    """Inputs with a tenth of them blanked, so that no single feature is leaned on."""
    kept: Floats = inputs * (rng.random(inputs.shape, np.float32) > DROPPED) / np.float32(1 - DROPPED)
    return kept


def _gradients(flat: _Flat, w: Named) -> Named:
    hidden = np.maximum(flat.items @ w["item_in"] + w["item_bias"], 0)
    logits = flat.items @ w["item_direct"] + hidden @ w["item_out"]
    null_hidden = np.maximum(flat.null @ w["null_in"] + w["null_bias"], 0)
    null = flat.null @ w["null_direct"] + null_hidden @ w["null_out"]
    top = null.copy()
    np.maximum.at(top, flat.owner, logits)
    raised, null_raised = np.exp(logits - top[flat.owner]), np.exp(null - top)
    total = null_raised + np.bincount(flat.owner, raised, flat.count)
    share, null_share = raised / total[flat.owner], null_raised / total
    good, null_good = share * flat.right, null_share * flat.absent
    mass = np.maximum(null_good + np.bincount(flat.owner, good, flat.count), 1e-9)
    error = ((share - good / mass[flat.owner]) / flat.count).astype(np.float32)
    null_error = ((null_share - null_good / mass) / flat.count).astype(np.float32)
    back = np.outer(error, w["item_out"]) * (hidden > 0)
    null_back = np.outer(null_error, w["null_out"]) * (null_hidden > 0)
    return {
        "item_direct": flat.items.T @ error, "item_out": hidden.T @ error,
        "item_in": flat.items.T @ back, "item_bias": back.sum(0),
        "null_direct": flat.null.T @ null_error, "null_out": null_hidden.T @ null_error,
        "null_in": flat.null.T @ null_back, "null_bias": null_back.sum(0),
    }  # fmt: skip
