"""Three regressions with closed-form leave-one-out answers, which the network weighs and corrects.

Each is a Gaussian process on standardised columns: linear (ridge), local (squared exponential), and both on columns
weighted by their correlation with the target. Noise and length scale are averaged by how well they predict each row
from the others. For the inverse M of a kernel matrix with noise, row i left out is predicted with error (M y)_i / M_ii
and variance 1 / M_ii (Rasmussen, Williams 2006, section 5.4.2), so nothing is fitted twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

EXPERTS: Final = 3

_LINEAR_NOISE: Final = (0.01, 0.1, 1.0, 10.0)
_LOCAL_NOISE: Final = (0.03, 0.3, 1.5)
_LENGTHS: Final = (0.5, 2.0)
_INTERCEPT: Final = 1.0
_LEAST_ERROR: Final = 1e-6
_SURE: Final = 12.0

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one regression says of `b` tables with `n` stated and `q` asked rows.

    `mean` and `spread` (b, n) are leave-one-out for the stated rows, `asked_mean` and `asked_spread` (b, q) use all of
    them; `error` (b,) is the root mean square leave-one-out error.
    """

    mean: Floats
    spread: Floats
    asked_mean: Floats
    asked_spread: Floats
    error: Floats


def opinions(f: Floats, g: Floats, z: Floats, weights: Floats) -> tuple[Opinion, ...]:
    """The three opinions.

    Args:
        f: (b, n, c) standardised columns of the stated rows, 0 where missing.
        g: (b, q, c) the same of the asked rows.
        z: (b, n) targets, centred.
        weights: (b, c) importance of the columns, not negative.
    """
    live = (np.abs(f).max(1) > 0).astype(np.float64)
    even = live / np.maximum(live.sum(1, keepdims=True), 1)
    skewed = weights * live + 1e-9 * live
    skewed = skewed / np.maximum(skewed.sum(1, keepdims=True), 1e-12)
    return (
        _opinion(list(_linear(f, g, even)), z),
        _opinion(list(_local(f, g, even)), z),
        _opinion(list(_weighted(f, g, skewed)), z),
    )


@dataclass(frozen=True, slots=True)
class _Kernel:
    """Covariances of stated rows (b, n, n) with noise, of asked with stated rows (b, q, n), of asked rows (b, q)."""

    stated: Floats
    across: Floats
    asked: Floats


def _noisy(stated: Floats, across: Floats, asked: Floats, noise: float) -> _Kernel:
    return _Kernel(stated + noise * np.eye(stated.shape[1]), across, asked + noise)


def _linear(f: Floats, g: Floats, w: Floats) -> Iterator[_Kernel]:
    fw, gw = f * w[:, None], g * w[:, None]
    stated = fw @ f.transpose(0, 2, 1) + _INTERCEPT
    across = gw @ f.transpose(0, 2, 1) + _INTERCEPT
    asked = (gw * g).sum(-1) + _INTERCEPT
    for noise in _LINEAR_NOISE:
        yield _noisy(stated, across, asked, noise)


def _distances(f: Floats, g: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Squared distances among stated rows and from asked to stated ones, in parts of their mean among stated rows."""
    root = np.sqrt(w)[:, None]
    f, g = f * root, g * root
    ff, gg = np.square(f).sum(-1), np.square(g).sum(-1)
    stated = np.maximum(ff[:, :, None] + ff[:, None] - 2 * f @ f.transpose(0, 2, 1), 0)
    across = np.maximum(gg[:, :, None] + ff[:, None] - 2 * g @ f.transpose(0, 2, 1), 0)
    unit = np.maximum(stated.mean((1, 2)), 1e-12)[:, None, None]
    return stated / unit, across / unit


def _local(f: Floats, g: Floats, w: Floats) -> Iterator[_Kernel]:
    stated, across = _distances(f, g, w)
    asked = np.ones(g.shape[:2])
    for length in _LENGTHS:
        for noise in _LOCAL_NOISE:
            yield _noisy(np.exp(-stated / length), np.exp(-across / length), asked, noise)


def _weighted(f: Floats, g: Floats, w: Floats) -> Iterator[_Kernel]:
    stated, across = _distances(f, g, w)
    line = next(_linear(f, g, w))
    for noise in _LOCAL_NOISE:
        yield _noisy(
            np.exp(-stated) + 0.5 * (line.stated - _LINEAR_NOISE[0] * np.eye(f.shape[1])),
            np.exp(-across) + 0.5 * line.across,
            1 + 0.5 * (line.asked - _LINEAR_NOISE[0]),
            noise,
        )


def _opinion(kernels: list[_Kernel], z: Floats) -> Opinion:
    """The average of one regression over its settings, by their leave-one-out errors."""
    parts = [_one(kernel, z) for kernel in kernels]
    square = np.stack([np.square(p.error) for p in parts])
    loss = 0.5 * z.shape[1] * np.log(square + _LEAST_ERROR)
    votes = np.exp(-np.minimum(loss - loss.min(0), _SURE))
    votes /= votes.sum(0)

    def mixed(name: str) -> Floats:
        out: Floats = np.einsum("kb,kbr->br", votes, np.stack([getattr(p, name) for p in parts]))
        return out

    error: Floats = np.sqrt((votes * square).sum(0))
    return Opinion(mixed("mean"), mixed("spread"), mixed("asked_mean"), mixed("asked_spread"), error)


def _one(kernel: _Kernel, z: Floats) -> Opinion:
    inverse = np.linalg.inv(kernel.stated)
    variance = 1 / np.maximum(np.diagonal(inverse, axis1=1, axis2=2), 1e-9)
    alpha = (inverse @ z[..., None])[..., 0]
    left_out = alpha * variance
    size = np.sqrt((np.square(left_out) / variance).mean(1, keepdims=True)) + 1e-6
    shrink = ((kernel.across @ inverse) * kernel.across).sum(-1)
    return Opinion(
        mean=z - left_out,
        spread=size * np.sqrt(variance),
        asked_mean=(kernel.across @ alpha[..., None])[..., 0],
        asked_spread=size * np.sqrt(np.maximum(kernel.asked - shrink, 1e-9)),
        error=np.sqrt(np.square(left_out).mean(1)),
    )
