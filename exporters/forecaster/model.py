"""The network: a context encoder and one head, shared by all steps, that looks up the seasonal lags of its step.

The head of a step h reads the values one, two, ... seasons before it, for up to two seasonal periods, each with both
neighbours. The median starts from a learned mixture of these values and the last value; the other quantiles are the
median plus or minus sums of positive increments, so they cannot cross. Steps are independent, so any set of them can be
asked; features of the step stop growing at the trained horizon while the looked-up lags stay the right ones.
"""

import math
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from services.forecaster.scaling import CONTEXT, FEATURES

LEVELS: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Quantile levels of the last axis of the answer."""
HORIZON: Final = 128
"""Steps ahead that training covers."""

_MEDIAN: Final = LEVELS.index(0.5)
_RECENT: Final = 192
_BLOCK: Final = 16
_LAGS: Final = (4, 3)
_MEANS: Final = (4, 3)
_ERRORS: Final = 8
_SHRINK: Final = 1 / 3
_MISSING: Final = -30.0


class Residual(nn.Module):
    """Pre-norm residual block of two linear layers."""

    def __init__(self, width: int, *, factor: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width * factor)
        self.down = nn.Linear(width * factor, width)

    def forward(self, x: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        out: Tensor = x + self.down(functional.gelu(self.up(self.norm(x))))
        return out


class Network(nn.Module):
    """Compressed histories in, ordered compressed quantiles out."""

    def __init__(self, *, width: int = 256, head_width: int = 96) -> None:
        super().__init__()
        blocks = CONTEXT // _BLOCK
        context = 2 * (_RECENT + blocks + sum(_MEANS) + 2 * _ERRORS) + FEATURES + 2
        self.read = nn.Linear(context, width)
        self.encode = nn.ModuleList(Residual(width, factor=1) for _ in range(3))
        self.hand_over = nn.Linear(width, head_width)
        self.look = nn.Linear(4 * sum(_LAGS) + 10, head_width)
        self.head = nn.ModuleList(Residual(head_width, factor=2) for _ in range(2))
        self.answer = nn.Linear(head_width, len(LEVELS) + sum(_LAGS) + 1)
        with torch.no_grad():
            self.answer.weight.mul_(0.1)

    def forward(self, z: Tensor, mask: Tensor, features: Tensor, periods: Tensor, steps: Tensor) -> Tensor:
        """Quantiles of the asked steps.

        Args:
            z: (n, CONTEXT) compressed values, right-aligned, 0 where missing.
            mask: (n, CONTEXT) 1 where observed.
            features: (n, FEATURES).
            periods: (n, 2) steps per season, shorter first, 1 for none.
            steps: (n, s) steps ahead, from 1.

        Returns:
            (n, s, 11) compressed quantiles at `LEVELS`.
        """
        periods = periods.clamp(1, CONTEXT)
        u = self.hand_over(self._context(z, mask, features, periods)).unsqueeze(1)
        looked, values, present = self._lags(z, mask, periods, steps)
        u = u + self.look(looked)
        for block in self.head:
            u = block(u)
        out = self.answer(u)
        raw, votes = out[..., : len(LEVELS)], out[..., len(LEVELS) :]
        weights = torch.softmax(votes + (1 - present) * _MISSING, dim=-1)
        return _ordered(raw, (weights * values).sum(-1, keepdim=True))

    def _context(self, z: Tensor, mask: Tensor, features: Tensor, periods: Tensor) -> Tensor:
        """(n, width) summary of the history."""
        n = z.shape[0]
        held = mask.reshape(n, CONTEXT // _BLOCK, _BLOCK).sum(-1)
        blocks = z.reshape(n, CONTEXT // _BLOCK, _BLOCK).sum(-1) / held.clamp(min=1)
        parts = [z[:, -_RECENT:] * _SHRINK, mask[:, -_RECENT:], blocks * _SHRINK, held / _BLOCK]
        for slot, count in enumerate(_MEANS):
            parts += _season_means(z, mask, periods[:, slot : slot + 1], count)
        for slot in range(2):
            parts += _season_errors(z, mask, periods[:, slot : slot + 1])
        c = self.read(torch.cat([*parts, features, torch.log(periods) / 4], 1))
        for block in self.encode:
            c = block(c)
        return c

    def _lags(self, z: Tensor, mask: Tensor, periods: Tensor, steps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What the head of each step reads, and the candidates (n, s, lags + 1) of its median with their presence."""
        n, s = steps.shape
        near = steps.clamp(max=HORIZON)
        parts = [near.unsqueeze(-1) / 64, torch.log(near).unsqueeze(-1) / 3]
        values = [torch.zeros_like(near).unsqueeze(-1)]
        present = [torch.ones_like(near).unsqueeze(-1)]
        for slot, count in enumerate(_LAGS):
            period = periods[:, slot : slot + 1]
            seasons = torch.ceil(steps / period)
            behind = seasons.unsqueeze(-1) + torch.arange(count, dtype=z.dtype, device=z.device)
            position = CONTEXT - 1 + steps.unsqueeze(-1) - behind * period.unsqueeze(-1)
            after = position + 1
            after = torch.where(after > CONTEXT - 1, after - period.unsqueeze(-1), after)
            value, there = _take(z, mask, position)
            before, _ = _take(z, mask, position - 1)
            beyond, _ = _take(z, mask, after)
            # A second period of 1 means none: its lags would only repeat the last value.
            real = (
                (period > 1).to(z.dtype).unsqueeze(-1) if slot else torch.ones(1, 1, 1, dtype=z.dtype, device=z.device)
            )
            there = there * real
            angle = (2 * math.pi * steps / period).unsqueeze(-1)
            parts += [value * _SHRINK * real, there, before * _SHRINK * real, beyond * _SHRINK * real]
            parts += [torch.sin(angle), torch.cos(angle), torch.ceil(near / period).unsqueeze(-1) / 8]
            parts += [(torch.log(period) / 4).expand(n, s).unsqueeze(-1)]
            values.append(value)
            present.append(there)
        return torch.cat(parts, -1), torch.cat(values, -1), torch.cat(present, -1)


def _take(z: Tensor, mask: Tensor, position: Tensor) -> tuple[Tensor, Tensor]:
    """Values and presence (n, s, k) at real-valued positions; before the start nothing is present."""
    n = z.shape[0]
    index = position.clamp(0, CONTEXT - 1).to(torch.int64).reshape(n, -1)
    inside = (position >= 0).to(z.dtype)
    there = mask.gather(1, index).reshape(position.shape) * inside
    return z.gather(1, index).reshape(position.shape) * there, there


def _season_means(z: Tensor, mask: Tensor, period: Tensor, count: int) -> list[Tensor]:
    """Means and presence (n, count) of the last `count` whole seasons, latest first."""
    age = CONTEXT - 1 - torch.arange(CONTEXT, dtype=z.dtype, device=z.device)
    season = torch.floor(age / period)
    means, held = [], []
    for k in range(count):
        member = (season == k).to(z.dtype) * mask
        total = member.sum(1, keepdim=True)
        means.append((z * member).sum(1, keepdim=True) / total.clamp(min=1) * _SHRINK)
        held.append((total / period).clamp(max=1))
    return means + held


def _season_errors(z: Tensor, mask: Tensor, period: Tensor) -> list[Tensor]:
    """What the last points differ from one season before: values and presence (n, 8)."""
    lag = period.to(torch.int64)
    last = torch.arange(CONTEXT - _ERRORS, CONTEXT, device=z.device).unsqueeze(0)
    index = (last - lag).clamp(min=0)
    inside = (last >= lag).to(z.dtype)
    both = mask[:, -_ERRORS:] * mask.gather(1, index) * inside
    return [(z[:, -_ERRORS:] - z.gather(1, index)) * both * _SHRINK, both]


def _ordered(raw: Tensor, base: Tensor) -> Tensor:
    """Median plus base, and positive increments away from it on both sides."""
    median = raw[..., _MEDIAN : _MEDIAN + 1] + base
    below = functional.softplus(raw[..., :_MEDIAN] - 1)
    above = functional.softplus(raw[..., _MEDIAN + 1 :] - 1)
    falling = torch.flip(torch.cumsum(torch.flip(below, [-1]), -1), [-1])
    return torch.cat([median - falling, median, median + torch.cumsum(above, -1)], -1)


def pinball(quantiles: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Mean quantile loss, doubled so that the median counts as an absolute error."""
    levels = torch.tensor(LEVELS, dtype=quantiles.dtype, device=quantiles.device)
    error = targets.unsqueeze(-1) - quantiles
    loss = 2 * torch.maximum(levels * error, (levels - 1) * error).mean(-1)
    return (loss * weights).sum() / (weights.sum() * loss.shape[1])
