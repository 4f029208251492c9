"""How sure an answer is, from its probabilities; the formulas of the System One API.

They compare with chance, so that a threshold means the same for two options and for twenty.
"""

from collections.abc import Sequence


def choice_confidence(probabilities: Sequence[float]) -> float:
    """(max p - 1/n) / (1 - 1/n); 1 for a single option."""
    count = len(probabilities)
    if count == 1:
        return 1.0
    return max(0.0, (max(probabilities) - 1 / count) / (1 - 1 / count))


def score_confidence(probabilities: Sequence[float]) -> float:
    """1 - (mean distance to the most probable level) / (mean distance of a level to the middle), never below 0.

    1 for a single level. The lowest of equally probable levels counts as the most probable.
    """
    count = len(probabilities)
    if count == 1:
        return 1.0
    mode = max(range(count), key=probabilities.__getitem__)
    distance = sum(p * abs(level - mode) for level, p in enumerate(probabilities))
    spread = sum(abs(level - (count - 1) / 2) for level in range(count)) / count
    return min(1.0, max(0.0, 1 - distance / spread))
