"""Histories that show no variation: one or two points, or a constant. Answered by rule, not by the network.

One point says nothing about its own spread; the rule takes a quarter of its size (1 for zero) as the standard deviation
of one step. Two different points take one and a half times their difference. A constant divides the rule of one point
by its length, and is a closed interval from eight points on. The spread grows with the square root of the step, as for
a random walk.
"""

from typing import Final

import numpy as np

from services.forecaster.paths import Fan
from services.forecaster.scaling import CONTEXT, Floats, is_flat

_POINTS: Final = 2

_RELATIVE: Final = 0.25
_DIFFERENCES: Final = 1.5
_CLOSED_FROM: Final = 8


def applies(values: Floats) -> bool:
    """Whether the rule answers for a history (t,) that ends with an observed value."""
    return int(np.isfinite(values[-CONTEXT:]).sum()) <= _POINTS or is_flat(values)


def fan(values: Floats, steps: int, scores: Floats) -> Fan:
    """The last value with normal quantiles at `scores` (k,), from step 1 to `steps`."""
    seen = values[-CONTEXT:]
    seen = seen[np.isfinite(seen)]
    last = float(seen[-1])
    walk = np.sqrt(np.arange(1, steps + 1))
    return Fan(np.full(steps, last), _spread(seen) * walk[:, None] * scores[None])


def _spread(seen: Floats) -> float:
    if not is_flat(seen):
        return _DIFFERENCES * float(np.abs(seen[-1] - seen[0]))
    if len(seen) >= _CLOSED_FROM:
        return 0.0
    return _RELATIVE * (float(np.abs(seen[-1])) or 1.0) / len(seen)
