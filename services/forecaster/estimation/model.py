"""The estimator: columns of numbers in, quantiles of the unstated target out. No grpc, no messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

import numpy as np

from services.forecaster import quantiles
from services.forecaster.estimation import few
from services.forecaster.estimation.limits import MAX_READ
from services.forecaster.estimation.tokens import STATED, Tokens, encode
from services.forecaster.scaling import Bools, Floats, compress, expand
from services.runtime.errors import ModelFailure, QuartetError
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Session, open_session

CALIBRATED: Final = 10
"""Stated records from which on the intervals are calibrated on the records themselves."""

_GRID: Final = tuple((k + 0.5) / 200 for k in range(200))
_EACH: Final = 24
_FOLDS: Final = 8
_LOW, _MEDIAN, _HIGH = 0.1, 0.5, 0.9
_COVERAGE: Final = 0.8
_PRIOR: Final = 20.0
_FACTORS: Final = (0.6, 2.5)


class Scale(Enum):
    """How a target varies."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What answers may be: between `low` and `high`, in whole `step`s from `low` or 0."""

    low: float | None = None
    high: float | None = None
    step: float | None = None

    def clip(self, values: Floats) -> Floats:
        """The nearest allowed values; order is kept."""
        if self.step is not None:
            start = self.low or 0.0
            values = start + np.round((values - start) / self.step) * self.step
            if self.high is not None:
                most = start + np.floor((self.high - start) / self.step * (1 + 1e-12)) * self.step
                values = np.minimum(values, most)
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        out: Floats = np.clip(values, low, high)
        return out


@dataclass(frozen=True, slots=True)
class Question:
    """`stated` (n, c) with targets `y` (n,), n >= 1, and `asked` (q, c); NaN where missing."""

    stated: Floats
    y: Floats
    asked: Floats
    levels: tuple[float, ...]
    """Rising, each inside (0, 1)."""
    bounds: Bounds = Bounds()
    scale: Scale = Scale.LINEAR


@dataclass(frozen=True, slots=True)
class Estimates:
    """For the asked rows: `mean` and `median` (q,), `quantiles` (q, levels), mass outside the bounds (q,) or None."""

    mean: Floats
    median: Floats
    quantiles: Floats
    below: Floats | None
    above: Floats | None
    notes: tuple[str, ...]


class Estimator:
    """A loaded model. Blocking; use it from one thread."""

    def __init__(self, session: Session, card: Card) -> None:
        self.card = card
        self._session = session
        self._levels: tuple[float, ...] = tuple(card.calibration["levels"])
        self._low, self._median, self._high = (self._levels.index(level) for level in (_LOW, _MEDIAN, _HIGH))
        if card.extra["token"] != STATED:
            raise ValueError(f"{card.id} reads tokens of {card.extra['token']}, this code makes {STATED}")

    @classmethod
    def load(cls, folder: Path, card: Card, *, threads: int = 1, provider: str = "auto") -> "Estimator":
        """Open the graph of a model folder and run it once."""
        model = cls(open_session(folder / "model.onnx", threads=threads, provider=provider), card)
        rows = np.arange(4.0)[:, None]
        model.run([Question(rows, rows[:, 0], rows[:1], (_MEDIAN,))])
        return model

    def run(self, questions: Sequence[Question]) -> list[Estimates | QuartetError]:
        """Answer questions, each as if it were alone."""
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Estimates | QuartetError:
        y = np.log(question.y) if question.scale is Scale.LOG else question.y
        wanted = (*question.levels, _MEDIAN, *_GRID)
        order = np.argsort(wanted, kind="stable")
        rising = tuple(wanted[i] for i in order)
        raw, notes = self._raw(question, y, rising)
        if question.scale is Scale.LOG:
            raw = np.exp(np.clip(raw, -700, 700))
        if not np.isfinite(raw).all():
            return ModelFailure()
        back = np.argsort(order)
        whole = raw[:, back]
        count = len(question.levels)
        allowed = question.bounds.clip(whole)
        return Estimates(
            mean=_within(allowed[:, count + 1 :].mean(1), question.bounds),
            median=allowed[:, count],
            quantiles=allowed[:, :count],
            below=None if question.bounds.low is None else _mass(whole[:, count + 1 :] < question.bounds.low),
            above=None if question.bounds.high is None else _mass(whole[:, count + 1 :] > question.bounds.high),
            notes=notes,
        )

    def _raw(self, question: Question, y: Floats, levels: tuple[float, ...]) -> tuple[Floats, tuple[str, ...]]:
        """(q, levels) rising quantiles before bounds, on the scale of `y`."""
        asked = len(question.asked)
        if len(y) <= few.FEW:
            low, high = question.bounds.low, question.bounds.high
            linear = question.scale is Scale.LINEAR
            span = high - low if linear and low is not None and high is not None else None
            row, notes = few.quantiles(y, levels, span)
            return np.tile(row, (asked, 1)), notes
        if np.ptp(y) <= 1e-12 * np.abs(y).max():
            return np.full((asked, len(levels)), y[0]), ("constant_target",)
        x, y, notes = _selected(question.stated, y)
        tokens = encode(x[None], y[None], question.asked[None])
        z = self._network(tokens)[0]
        if len(y) >= CALIBRATED:
            factor = self._factor(x, y)
            middle = z[:, self._median, None]
            z = middle + (z - middle) * factor
            notes = (*notes, f"calibrated_x{factor:.2f}_from_{len(y)}_records")
        asked_z = quantiles.ordered(z @ quantiles.interpolation(self._levels, levels))
        return tokens.centre[0] + tokens.unit[0] * expand(asked_z), notes

    def _network(self, tokens: Tokens) -> Floats:
        """(b, q, 11) compressed quantiles."""
        feeds = {"stated": tokens.stated, "asked": tokens.asked, "base": tokens.base}
        (z,) = self._session.run(feeds)
        return quantiles.ordered(z.astype(np.float64))

    def _factor(self, x: Floats, y: Floats) -> float:
        """How much the intervals must be stretched to hold 80 % of the records, each asked of the others.

        One record at a time is left out of up to 24 records, an eighth of more. Few records say little about the 80 %
        point of their errors, so the factor is drawn towards 1 by as much as 20 records would.
        """
        scores = np.concatenate([self._left_out(x, y, held) for held in _folds(len(y))])
        rank = min(int(np.ceil(_COVERAGE * (len(scores) + 1))), len(scores))
        raw = max(float(np.sort(scores)[rank - 1]), 1e-3)
        return float(np.clip(raw ** (len(scores) / (len(scores) + _PRIOR)), *_FACTORS))

    def _left_out(self, x: Floats, y: Floats, held: list[list[int]]) -> Floats:
        """Errors of held-out records in parts of the distance of the 10 or 90 % quantile on their side."""
        pairs = [(np.setdiff1d(np.arange(len(y)), fold), fold) for fold in held]
        pairs = [(rest, fold) for rest, fold in pairs if np.ptp(y[rest]) > 0]
        if not pairs:
            return np.zeros(0)
        tokens = encode(
            np.stack([x[r] for r, _ in pairs]), np.stack([y[r] for r, _ in pairs]), np.stack([x[h] for _, h in pairs])
        )
        z = self._network(tokens)
        truth = compress((np.stack([y[h] for _, h in pairs]) - tokens.centre[:, None]) / tokens.unit[:, None])
        error = truth - z[..., self._median]
        side = np.where(error < 0, z[..., self._low], z[..., self._high])
        reach = np.maximum(np.abs(side - z[..., self._median]), 1e-9)
        return (np.abs(error) / reach).ravel()


def _selected(x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Rows in an order of their own, so that theirs does not matter; an even selection where there are too many."""
    order = np.lexsort([*x.T[::-1], y])
    notes: tuple[str, ...] = ()
    if len(order) > MAX_READ:
        notes = (f"read_{MAX_READ}_of_{len(order)}_records",)
        order = order[np.round(np.linspace(0, len(order) - 1, MAX_READ)).astype(np.int64)]
    return x[order], y[order], notes


def _folds(count: int) -> Iterator[list[list[int]]]:
    """Rows to hold out, folds of equal size together."""
    folds = count if count <= _EACH else _FOLDS
    held = [list(range(k, count, folds)) for k in range(folds)]
    for size in sorted({len(fold) for fold in held}):
        yield [fold for fold in held if len(fold) == size]


def _within(mean: Floats, bounds: Bounds) -> Floats:
    """A mean of allowed values lies within the bounds but need not be on a step."""
    low = -np.inf if bounds.low is None else bounds.low
    high = np.inf if bounds.high is None else bounds.high
    out: Floats = np.clip(mean, low, high)
    return out


def _mass(outside: Bools) -> Floats:
    share: Floats = outside.mean(1)
    return share
