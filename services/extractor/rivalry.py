"""Fields of one request compete for places: what another one claims more strongly is probably not this one's value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.extractor.calibration import shares
from services.extractor.document import Item

Floats = NDArray[np.float32]
# A claim counts from this share of a field's probability on.
_CLAIM = 0.2
PENALTY = 3.0


@dataclass(frozen=True, slots=True)
class Bid:
    """One field's places with their logits; only fields of one group with a single value compete."""

    group: str
    items: tuple[Item, ...]
    logits: Floats
    null: float


def settled(bids: Sequence[Bid]) -> list[Floats]:
    """Logits of each bid, lowered where another field of its group claims an overlapping place more strongly."""
    held = [shares(bid.logits, bid.null)[0] for bid in bids]
    claims = [
        (number, bid.group, item.candidate.start, item.candidate.end, float(share))
        for number, (bid, part) in enumerate(zip(bids, held, strict=True))
        for item, share in zip(bid.items, part, strict=True)
        if share >= _CLAIM
    ]
    return [
        _lowered(bid, held[number], [c for c in claims if c[0] != number and c[1] == bid.group])
        for number, bid in enumerate(bids)
    ]


def _lowered(bid: Bid, own: NDArray[np.float64], others: list[tuple[int, str, int, int, float]]) -> Floats:
    if not others or not bid.items:
        return bid.logits
    starts = np.array([item.candidate.start for item in bid.items])
    ends = np.array([item.candidate.end for item in bid.items])
    strongest = np.zeros(len(bid.items))
    for _, _, start, end, share in others:
        overlapping = (starts < end) & (ends > start)
        strongest = np.where(overlapping, np.maximum(strongest, share), strongest)
    lower: Floats = (bid.logits - PENALTY * strongest * (strongest > own)).astype(np.float32)
    return lower
