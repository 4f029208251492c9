"""States longer than one reading: overlapping windows over the whole state, and one answer from all of them.

The encoder was trained on rows of up to 384 tokens. A longer state is read in windows of 320 tokens, each sharing 64
with the one before, so that a sentence cut by one window is whole in the next. Windows depend on the state alone: no
question moves them.

Each window gives each question a distribution. For yes/no the window with the largest probability of yes speaks: a
passage that says yes is evidence wherever it stands, and a passage about something else says no. For a choice or a
score the most decided window speaks, the one with the largest top probability. Ties go to the first.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WINDOW = 320
OVERLAP = 64

Floats = npt.NDArray[np.float64]


def windows(ids: Sequence[int], *, size: int = WINDOW, overlap: int = OVERLAP) -> list[Sequence[int]]:
    """The windows of a state; one, possibly empty, when it fits."""
    if len(ids) <= size:
        return [ids]
    stride = size - overlap
    count = -(-(len(ids) - overlap) // stride)
    starts = [min(index * stride, len(ids) - size) for index in range(count)]
    return [ids[start : start + size] for start in starts]


def joined(kind: str, found: Sequence[Floats]) -> Floats:
    """One distribution from those of the windows, each (options,). For noul the second option is yes."""
    table = np.stack(found)
    strength = table[:, 1] if kind == "noul" else table.max(axis=1)
    chosen: Floats = table[int(np.argmax(strength))]
    return chosen
