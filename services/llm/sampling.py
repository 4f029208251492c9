"""Choosing the next token from its logits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to choose; the defaults are greedy.

    temperature: 0 is greedy. top_p: (0, 1]. top_k: 0 keeps all. min_p: [0, 1], share of the likeliest token's
    probability below which tokens are left out. repetition_penalty: > 0, 1 is off. frequency_penalty and
    presence_penalty: subtracted from the logits of tokens written before, per time and once.
    The same seed gives the same text: a request without a seed has seed 0, so it too repeats.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int = 0
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0


class Sampler:
    """Chooses the tokens of one text."""

    def __init__(self, sampling: Sampling, prompt: Sequence[int]) -> None:
        self._sampling = sampling
        self._random = np.random.Generator(np.random.PCG64(sampling.seed))
        self._seen = set(prompt)
        self._written: Counter[int] = Counter()

    def choose(self, logits: Logits, allowed: NDArray[np.bool_] | None = None) -> int:
        """The next token, one of `allowed`; `logits` is float32 [vocabulary] and is left as it is."""
        logits = self._penalised(logits)
        if allowed is not None:
            logits = np.where(allowed, logits, np.float32(-np.inf))
        token = int(logits.argmax()) if self._sampling.temperature == 0.0 else self._drawn(logits)
        self._seen.add(token)
        self._written[token] += 1
        return token

    def _penalised(self, logits: Logits) -> Logits:
        """Seen tokens made less likely: divided (Keskar et al., 2019), then lowered by how often they were written."""
        sampling = self._sampling
        if sampling.repetition_penalty != 1.0:
            seen = np.fromiter(self._seen, np.int64, len(self._seen))
            penalty = np.float32(sampling.repetition_penalty)
            picked = logits[seen]
            logits = logits.copy()
            logits[seen] = np.where(picked > 0, picked / penalty, picked * penalty)
        if (sampling.frequency_penalty or sampling.presence_penalty) and self._written:
            written = np.fromiter(self._written, np.int64, len(self._written))
            times = np.fromiter(self._written.values(), np.float32, len(self._written))
            logits = logits.copy()
            logits[written] -= np.float32(sampling.frequency_penalty) * times + np.float32(sampling.presence_penalty)
        return logits

    def _drawn(self, logits: Logits) -> int:
        """One draw among the tokens that top_k, min_p and top_p (Holtzman et al., 2020) leave, in this order."""
        # A stable order, so that equal logits fall the same way every time.
        order = np.argsort(-logits, kind="stable")
        if self._sampling.top_k:
            order = order[: self._sampling.top_k]
        scaled = logits[order].astype(np.float64)
        weight = np.exp((scaled - scaled[0]) / self._sampling.temperature)
        # The weight of the likeliest is 1.
        weight = weight[weight >= self._sampling.min_p]
        mass = np.cumsum(weight / weight.sum())
        # The first token at which the mass reaches top_p is still kept.
        kept = min(int(np.searchsorted(mass, self._sampling.top_p)) + 1, len(mass))
        at = np.searchsorted(mass[:kept], self._random.random() * mass[kept - 1], side="right")
        return int(order[min(int(at), kept - 1)])


@dataclass(frozen=True, slots=True)
class Scored:
    """A token and its log-probability."""

    token: int
    logprob: float


def scores(logits: Logits, token: int, top: int) -> tuple[Scored, ...]:
    """The model's own log-probability of `token`, then those of the `top` likeliest tokens.

    Neither temperature nor penalties nor a constraint change them.
    """
    # A stable order again: of equal logits the lower token comes first.
    best = np.argsort(-logits, kind="stable")[:top]
    shifted = logits.astype(np.float64) - float(logits.max())
    total = float(np.log(np.exp(shifted).sum()))
    return tuple(Scored(int(one), float(shifted[one]) - total) for one in (token, *best))
