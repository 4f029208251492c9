"""Choosing the next token from its logits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to choose; the defaults are greedy.

    temperature: 0 is greedy. top_p: (0, 1]. top_k: 0 keeps all. repetition_penalty: > 0, 1 is off.
    The same seed gives the same text: a request without a seed has seed 0, so it too repeats.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0
    repetition_penalty: float = 1.0


class Sampler:
    """Chooses the tokens of one text."""

    def __init__(self, sampling: Sampling, prompt: Sequence[int]) -> None:
        self._sampling = sampling
        self._random = np.random.Generator(np.random.PCG64(sampling.seed))
        self._seen = set(prompt)

    def choose(self, logits: Logits) -> int:
        """The next token; `logits` is float32 [vocabulary] and is left as it is."""
        sampling = self._sampling
        if sampling.repetition_penalty != 1.0:
            logits = self._penalised(logits)
        token = int(logits.argmax()) if sampling.temperature == 0.0 else self._drawn(logits)
        self._seen.add(token)
        return token

    def _penalised(self, logits: Logits) -> Logits:
        """Seen tokens made less likely (Keskar et al., 2019)."""
        seen = np.fromiter(self._seen, np.int64, len(self._seen))
        penalty = np.float32(self._sampling.repetition_penalty)
        logits = logits.copy()
        picked = logits[seen]
        logits[seen] = np.where(picked > 0, picked / penalty, picked * penalty)
        return logits

    def _drawn(self, logits: Logits) -> int:
        """One draw among the tokens that top_k and top_p (Holtzman et al., 2020) leave."""
        # A stable order, so that equal logits fall the same way every time.
        order = np.argsort(-logits, kind="stable")
        if self._sampling.top_k:
            order = order[: self._sampling.top_k]
        scaled = logits[order].astype(np.float64)
        weight = np.exp((scaled - scaled[0]) / self._sampling.temperature)
        mass = np.cumsum(weight / weight.sum())
        # The first token at which the mass reaches top_p is still kept.
        kept = min(int(np.searchsorted(mass, self._sampling.top_p)) + 1, len(mass))
        at = np.searchsorted(mass[:kept], self._random.random() * mass[kept - 1], side="right")
        return int(order[min(int(at), kept - 1)])
