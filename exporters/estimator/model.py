"""The network: rows as tokens. Rows that state the target see each other, asked rows see them, nobody sees asked rows.

So an answer depends neither on the order of the rows nor on what else is asked. It starts from a learned mixture of the
regressions' answers, moved and spread in units of their own uncertainty; quantiles are the median plus or minus sums of
positive increments, so they cannot cross.
"""

import math
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from services.forecaster.estimation.experts import EXPERTS
from services.forecaster.estimation.tokens import STATED

LEVELS: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Quantile levels of the last axis of the answer."""

_MEDIAN: Final = LEVELS.index(0.5)
_VOTES: Final = EXPERTS + 1


class Layer(nn.Module):
    """Attention to the stated rows, then two linear layers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm_up = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.offer = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.collect = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, rows: Tensor, stated: int) -> Tensor:
        """(b, rows, width), the first `stated` of them stated -> the same shape."""
        x = self.norm(rows)
        q = self._split(self.ask(x))
        k, v = (self._split(part) for part in self.offer(x[:, :stated]).chunk(2, -1))
        share = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1)
        seen = (share @ v).transpose(1, 2).flatten(2)
        rows = rows + self.collect(seen)
        out: Tensor = rows + self.down(functional.gelu(self.up(self.norm_up(rows))))
        return out

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Network(nn.Module):
    """Tokens in, ordered compressed quantiles out."""

    def __init__(self, *, width: int = 96, layers: int = 3, heads: int = 4) -> None:
        super().__init__()
        self.read, self.read_asked = nn.Linear(STATED, width), nn.Linear(STATED, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, len(LEVELS) + _VOTES)
        with torch.no_grad():
            self.answer.weight.mul_(0.1)

    def forward(self, stated: Tensor, asked: Tensor, base: Tensor) -> Tensor:
        """(b, n, STATED), (b, q, STATED), (b, q, BASE) -> (b, q, 11) compressed quantiles at `LEVELS`."""
        count = stated.shape[1]
        rows = torch.cat([self.read(stated), self.read_asked(asked)], 1)
        for layer in self.layers:
            rows = layer(rows, count)
        out = self.answer(self.norm(rows[:, count:]))
        raw, votes = out[..., : len(LEVELS)], torch.softmax(out[..., len(LEVELS) :], -1)
        start = (votes * base[..., :_VOTES]).sum(-1, keepdim=True)
        spread = torch.exp((votes * base[..., _VOTES:]).sum(-1, keepdim=True))
        return start + spread * _ordered(raw)


def _ordered(raw: Tensor) -> Tensor:
    median = raw[..., _MEDIAN : _MEDIAN + 1]
    below = functional.softplus(raw[..., :_MEDIAN] - 1)
    above = functional.softplus(raw[..., _MEDIAN + 1 :] - 1)
    falling = torch.flip(torch.cumsum(torch.flip(below, [-1]), -1), [-1])
    return torch.cat([median - falling, median, median + torch.cumsum(above, -1)], -1)


def pinball(quantiles: Tensor, targets: Tensor) -> Tensor:
    """Mean quantile loss, doubled so that the median counts as an absolute error."""
    levels = torch.tensor(LEVELS, dtype=quantiles.dtype, device=quantiles.device)
    error = targets.unsqueeze(-1) - quantiles
    return 2 * torch.maximum(levels * error, (levels - 1) * error).mean()
