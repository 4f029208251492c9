"""The forecaster: histories in, quantiles out. No grpc, no messages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from services.forecaster import backtest, calibration, coarse, paths, quantiles, short
from services.forecaster.backtest import Backtest
from services.forecaster.calibration import Origin
from services.forecaster.history import History
from services.forecaster.levels import DEFAULT_LEVELS
from services.forecaster.paths import Fan
from services.forecaster.scaling import CONTEXT, Bools, Floats, Scaled, expand, is_flat, scale
from services.forecaster.season import LOOKED_UP
from services.runtime.errors import ModelFailure, QuartetError
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Session, open_session

_CELLS: Final = 16_384
_LEAST_ROWS, _MOST_ROWS = 8, 128
_LOW, _MEDIAN, _HIGH = 0.1, 0.5, 0.9

Narrow: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Query:
    """One request: histories and what to say about their next `horizon` steps."""

    histories: tuple[History, ...]
    horizon: int
    levels: tuple[float, ...] = DEFAULT_LEVELS
    """Rising, each inside (0, 1)."""
    non_negative: bool = False
    calibrate: bool = False
    low: float | None = None
    """Answers are not below it."""
    high: float | None = None
    """Answers are not above it."""
    integer: bool = False
    """Medians and quantiles are whole numbers."""
    backtest: bool = False

    def clip(self, values: Floats) -> Floats:
        """The nearest values that may be."""
        out: Floats = np.clip(values, self._floor(), np.inf if self.high is None else self.high)
        return out

    def whole(self, values: Floats) -> Floats:
        """Values as they may be answered; bounds that are no whole numbers are not passed by rounding."""
        if not self.integer:
            return values
        high = np.inf if self.high is None else np.floor(self.high)
        out: Floats = np.clip(np.round(values), np.ceil(self._floor()), high)
        return out

    def _floor(self) -> float:
        return max(0.0 if self.non_negative else -np.inf, -np.inf if self.low is None else self.low)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The next steps of one series: `mean` and `median` (horizon,), `quantiles` (levels, horizon), all finite."""

    mean: Floats
    median: Floats
    quantiles: Floats
    season: int
    """Steps per season that were used, 0 for none."""
    notes: tuple[str, ...]
    backtest: Backtest | None = None


class Forecaster:
    """A loaded model. Blocking; use it from one thread."""

    def __init__(self, session: Session, card: Card) -> None:
        self.card = card
        self._session = session
        self._levels: tuple[float, ...] = tuple(card.calibration["levels"])
        self._trained = int(card.extra["horizon"])
        if card.extra["context"] != CONTEXT:
            raise ValueError(f"{card.id} reads {card.extra['context']} steps, this code {CONTEXT}")
        self._mean = quantiles.mean_weights(self._levels)
        self._scores = quantiles.scores(self._levels)

    @classmethod
    def load(cls, folder: Path, card: Card, *, threads: int = 1, provider: str = "auto") -> "Forecaster":
        """Open the graph of a model folder and run it once."""
        model = cls(open_session(folder / "model.onnx", threads=threads, provider=provider), card)
        model.run([Query((History(np.arange(4.0)),), 2)])
        return model

    def run(self, queries: Sequence[Query]) -> list[tuple[Forecast, ...] | QuartetError]:
        """Answer requests; each is answered as if it were alone."""
        pairs = [(history, query.horizon) for query in queries for history in query.histories]
        fans = iter(self._fans(pairs))
        return [self._answer(query, [next(fans) for _ in query.histories]) for query in queries]

    def _answer(self, query: Query, fans: list[Fan]) -> tuple[Forecast, ...] | QuartetError:
        notes: tuple[str, ...] = ()
        if query.calibrate:
            factor, notes = self._calibration(query)
            fans = [Fan(fan.median, fan.distance * factor) for fan in fans]
        weights = quantiles.interpolation(self._levels, query.levels)
        answers = tuple(
            self._forecast(query, history, fan, weights, notes)
            for history, fan in zip(query.histories, fans, strict=True)
        )
        finite = all(np.isfinite(a.quantiles).all() and np.isfinite(a.mean).all() for a in answers)
        return answers if finite else ModelFailure()

    def _forecast(self, query: Query, history: History, fan: Fan, weights: Floats, notes: tuple[str, ...]) -> Forecast:
        knots = quantiles.ordered(fan.median[:, None] + fan.distance)
        asked = quantiles.ordered(knots @ weights)
        notes = (*history.notes, *notes, *self._notes(query, history, lowest=float(asked.min())))
        knots, asked = query.clip(knots), query.clip(asked)
        judged = self._backtest(query, history) if query.backtest else None
        if query.backtest and judged is None:
            notes = (*notes, "no_backtest_history_too_short")
        return Forecast(
            mean=query.clip(knots @ self._mean),
            median=query.whole(knots[:, self._index(_MEDIAN)]),
            quantiles=query.whole(asked.T),
            season=history.seasons.asked,
            notes=notes,
            backtest=judged,
        )

    def _backtest(self, query: Query, history: History) -> Backtest | None:
        cut = list(calibration.origins([history], query.horizon))
        fans = self._fans([(origin.history, query.horizon) for origin in cut])
        middle, low, high = (self._index(level) for level in (_MEDIAN, _LOW, _HIGH))
        knots = [query.clip(fan.median[:, None] + fan.distance)[:, [low, middle, high]] for fan in fans]
        return backtest.judge(cut, knots)

    def _notes(self, query: Query, history: History, *, lowest: float) -> Iterator[str]:
        """What the caller should know about one answer; `lowest` is its lowest quantile before clipping."""
        if lowest < 0 <= np.nanmin(history.values) and not query.non_negative:
            yield "below_zero_unlike_history"
        if (query.low is not None and np.nanmin(history.values) < query.low) or (
            query.high is not None and np.nanmax(history.values) > query.high
        ):
            yield "history_outside_bounds"
        if coarse.applies(history):
            yield f"season_read_in_blocks_of_{coarse.block_size(history.seasons.first)}"
        elif len(history.values) > CONTEXT:
            yield f"last_{CONTEXT}_steps_read"
        if query.horizon > self._trained:
            yield f"beyond_trained_horizon_{self._trained}"
        if not self._levels[0] <= query.levels[0] <= query.levels[-1] <= self._levels[-1]:
            yield "outer_levels_extrapolated"
        if history.observed > 1 and is_flat(history.values):
            yield "constant_history"

    def _calibration(self, query: Query) -> tuple[float, tuple[str, ...]]:
        """Factor of the request and what to say about it."""
        cut = list(calibration.origins(query.histories, query.horizon))
        fans = self._fans([(origin.history, query.horizon) for origin in cut])
        scores = [self._conformity(origin, fan) for origin, fan in zip(cut, fans, strict=True)]
        pooled = np.concatenate(scores) if scores else np.zeros(0)
        if len(pooled) < calibration.LEAST_SCORES:
            return 1.0, ("not_calibrated_too_few_points",)
        factor = calibration.factor(pooled)
        return factor, (f"calibrated_x{factor:.2f}_from_{len(pooled)}_points",)

    def _conformity(self, origin: Origin, fan: Fan) -> Floats:
        return calibration.scores(origin, fan, low=self._index(_LOW), high=self._index(_HIGH))

    def _index(self, level: float) -> int:
        return self._levels.index(level)

    def _fans(self, pairs: Sequence[tuple[History, int]]) -> list[Fan]:
        """One fan per history and horizon, in order, from the step after the history's end."""
        wanted = [(history, history.gap + horizon) for history, horizon in pairs]
        plans = {i: coarse.plan(*pair) for i, pair in enumerate(wanted) if coarse.applies(pair[0])}
        near = [(history, plans[i].steps if i in plans else steps) for i, (history, steps) in enumerate(wanted)]
        fans = self._direct(near + [(plan.history, plan.blocks) for plan in plans.values()])
        for (i, plan), far in zip(plans.items(), fans[len(pairs) :], strict=True):
            history, steps = wanted[i]
            whole = coarse.join(plan, fans[i], far, steps, float(history.values[-1]))
            fans[i] = paths.never_shrinking(whole, period=history.seasons.first)
        return [Fan(fan.median[h.gap :], fan.distance[h.gap :]) for fan, (h, _) in zip(fans, pairs, strict=False)]

    def _direct(self, pairs: Sequence[tuple[History, int]]) -> list[Fan]:
        """Fans from the step after the last value, by rule or by the network in chunks of equal length."""
        out: list[Fan | None] = [None] * len(pairs)
        groups: dict[int, list[int]] = defaultdict(list)
        for i, (history, steps) in enumerate(pairs):
            if short.applies(history.values):
                out[i] = short.fan(history.values, steps, self._scores)
            else:
                groups[steps].append(i)
        for steps, members in groups.items():
            rows = max(1, min(_MOST_ROWS, _CELLS // steps))
            for start in range(0, len(members), rows):
                chunk = members[start : start + rows]
                for i, fan in zip(chunk, self._run_rows([pairs[i][0] for i in chunk], steps), strict=True):
                    out[i] = fan
        return [fan for fan in out if fan is not None]

    def _run_rows(self, histories: list[History], steps: int) -> Iterable[Fan]:
        """Fans from step 1 of the network, stretched past its trained horizon where asked."""
        # Matrix kernels for a handful of rows round differently: with companions of its own, a row never needs them.
        rows = [*histories, *histories[:1] * (_LEAST_ROWS - len(histories))]
        scaled = _scaled(rows)
        periods = _periods(rows)
        ahead = np.broadcast_to(np.arange(1, steps + 1, dtype=np.float32), (len(rows), steps))
        (z,) = self._session.run(
            {
                "z": scaled.z,
                "mask": scaled.mask,
                "features": scaled.features,
                "periods": periods.astype(np.float32),
                "steps": np.ascontiguousarray(ahead),
            }
        )
        spread = expand(z.astype(np.float64)) * scaled.scale[:, None, None]
        for row, history in enumerate(histories):
            yield self._fan(spread[row], float(scaled.anchor[row]), history)

    def _fan(self, spread: Floats, anchor: float, history: History) -> Fan:
        median = spread[:, self._index(_MEDIAN)]
        first, second = history.seasons.first, history.seasons.second
        fan = Fan(median, spread - median[:, None])
        fan = paths.extend(fan, period=first, trained=self._trained)
        fan = paths.never_shrinking(fan, period=max(first, second))
        return replace(fan, median=fan.median + anchor)


def _scaled(histories: Sequence[History]) -> Scaled:
    x = np.zeros((len(histories), CONTEXT))
    observed: Bools = np.zeros((len(histories), CONTEXT), np.bool_)
    for row, history in enumerate(histories):
        values = history.values[-CONTEXT:]
        x[row, CONTEXT - len(values) :] = values
        observed[row, CONTEXT - len(values) :] = np.isfinite(values)
    return scale(x, observed, _periods(histories).astype(np.float64))


def _periods(histories: Sequence[History]) -> npt.NDArray[np.int64]:
    """(n, 2) periods; 1 where a season is longer than the network can look up."""
    periods = np.array([(h.seasons.first, h.seasons.second) for h in histories], np.int64)
    return np.where(periods > LOOKED_UP, 1, periods)
