"""From scores to probabilities: fitted per group of types, stored in the model's card."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FAR = 12.0


def logit(p: float) -> float:
    """Log odds, bounded."""
    p = min(max(p, 1e-6), 1 - 1e-6)
    return math.log(p / (1 - p))


def sigmoid(x: float) -> float:
    """Probability of log odds, bounded."""
    return 1 / (1 + math.exp(-min(max(x, -_FAR), _FAR)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Platt scaling (1999) of the two probabilities: log odds times slope plus shift."""

    null_slope: float
    null_shift: float
    right_slope: float
    right_shift: float

    @classmethod
    def read(cls, stored: dict[str, Any]) -> "Calibration":
        """From a card."""
        return cls(**{name: float(stored[name]) for name in cls.__slots__})

    def p_null(self, raw: float) -> float:
        """Probability that the text has no answer, from the softmax share of null."""
        return sigmoid(self.null_slope * logit(raw) + self.null_shift)

    def confidence(self, raw: float) -> float:
        """Probability that the best value is right, given that one exists, from its share among the values."""
        return sigmoid(self.right_slope * logit(raw) + self.right_shift)


def shares(logits: NDArray[np.float32], null: float) -> tuple[NDArray[np.float64], float]:
    """Softmax over places and null: (share of each place, share of null)."""
    all_logits = np.append(logits.astype(np.float64), null)
    raised = np.exp(all_logits - all_logits.max())
    raised /= raised.sum()
    return raised[:-1], float(raised[-1])
