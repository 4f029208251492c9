"""Trains the estimator on synthetic tables made on the fly; stops and goes on anywhere.

    python -m exporters.estimator.train --out runs/estimator --steps 6000

A checkpoint holds weights, optimiser, moving average, step and seed; batches are a function of (seed, step), so a
resumed run sees what an unbroken one would have seen. `--minutes` ends a run that is running out of time properly: the
learning rate falls to its end from wherever the run is.
"""

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from exporters.estimator.model import Network, pinball
from exporters.estimator.priors import draw_tables
from services.forecaster.estimation.tokens import encode
from services.forecaster.scaling import compress

_VALIDATION_SEED: Final = 7919
_BETAS: Final = (0.9, 0.98)
_ASKED: Final = 16
_FEWEST, _MOST = 3, 128
_CELLS: Final = 3_000
_EDGE: Final = 20.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides what a training run does."""

    steps: int = 6_000
    learning_rate: float = 1.5e-3
    weight_decay: float = 0.02
    warm_up: int = 150
    cool_down: float = 0.4
    average: float = 0.995
    seed: int = 1


DEFAULT: Final = Recipe()


@dataclass(frozen=True, slots=True)
class Batch:
    """Tokens of tables with the same number of rows, and the compressed truths of the asked rows."""

    stated: Tensor
    asked: Tensor
    base: Tensor
    truth: Tensor


def draw_batch(seed: tuple[int, ...], *, rows: int | None = None, tables: int | None = None) -> Batch:
    """Tables of one size; small tables come in larger batches."""
    r = np.random.default_rng(seed)
    n = rows or round(float(np.exp(r.uniform(np.log(_FEWEST), np.log(_MOST)))))
    count = tables or int(np.clip(_CELLS // (n + _ASKED), 24, 96))
    x, y = draw_tables(r, count, n + _ASKED)
    varied = np.ptp(y[:, :n], axis=1) > 0
    x, y = x[varied], y[varied]
    tokens = encode(x[:, :n], y[:, :n], x[:, n:])
    truth = compress((y[:, n:] - tokens.centre[:, None]) / tokens.unit[:, None])
    given = (tokens.stated, tokens.asked, tokens.base, np.clip(truth, -_EDGE, _EDGE).astype(np.float32))
    return Batch(*(torch.from_numpy(part) for part in given))


def batch_loss(network: Network, batch: Batch) -> Tensor:
    """Pinball loss of one batch."""
    return pinball(network(batch.stated, batch.asked, batch.base), batch.truth)


class Trainer:
    """One run: network, optimiser and moving average."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.folder = recipe, folder
        self.network = Network()
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=_BETAS
        )
        self.average = {k: v.clone() for k, v in self.network.state_dict().items()}
        self.step = 0

    def resume(self) -> None:
        """Go on from the checkpoint in the folder, if there is one."""
        path = self.folder / "checkpoint.pt"
        if path.exists():
            state = torch.load(path, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.average, self.step = state["average"], state["step"]

    def save(self) -> None:
        """Write the checkpoint in one move."""
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average,
            "step": self.step,
            "recipe": asdict(self.recipe),
        }
        draft = self.folder / "checkpoint.tmp"
        torch.save(state, draft)
        os.replace(draft, self.folder / "checkpoint.pt")

    def train_one(self, progress: float) -> float:
        """One optimiser step, `progress` of the run being done; returns its loss."""
        batch = draw_batch((self.recipe.seed, self.step))
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.recipe, self.step, progress)
        loss = batch_loss(self.network, batch)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        keep = min(self.recipe.average, self.step / (self.step + 10))
        with torch.no_grad():
            for name, value in self.network.state_dict().items():
                self.average[name].lerp_(value, 1 - keep)
        return float(loss.item())

    def validate(self, batches: dict[int, Batch]) -> dict[str, float]:
        """Loss of the moving average on tables that no step has seen, by their rows."""
        network = Network()
        network.load_state_dict(self.average)
        with torch.no_grad():
            return {f"rows_{n}": round(float(batch_loss(network, b)), 4) for n, b in batches.items()}


def learning_rate(recipe: Recipe, step: int, progress: float) -> float:
    """Warm-up, constant, then a straight line to 1 % over the last share of the run."""
    left = (1 - progress) / recipe.cool_down
    return recipe.learning_rate * min(1.0, (step + 1) / recipe.warm_up, max(left, 0.01))


def validation_batches(*, tables: int = 150) -> dict[int, Batch]:
    """One fixed batch per number of rows."""
    return {n: draw_batch((_VALIDATION_SEED, n), rows=n, tables=tables) for n in (4, 16, 64)}


def run(recipe: Recipe, folder: Path, *, minutes: float, log_every: int, save_every: int) -> None:
    """Train to the end of the recipe, or for `minutes` of wall time, whichever is first."""
    folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(recipe, folder)
    trainer.resume()
    held_out = validation_batches()
    smooth: float | None = None
    began, cpu = time.monotonic(), time.process_time()
    progress = trainer.step / recipe.steps
    while progress < 1:
        loss = trainer.train_one(progress)
        smooth = loss if smooth is None else 0.99 * smooth + 0.01 * loss
        progress = max(trainer.step / recipe.steps, (time.monotonic() - began) / 60 / minutes)
        if trainer.step % log_every == 0 or progress >= 1:
            line = {"step": trainer.step, "loss": round(smooth, 4), **trainer.validate(held_out)}
            print(json.dumps(line | {"cpu_s": round(time.process_time() - cpu)}), flush=True)
        if trainer.step % save_every == 0 or progress >= 1:
            trainer.save()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--steps", type=int, default=DEFAULT.steps)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="wall time after which to be done")
    parser.add_argument("--seed", type=int, default=DEFAULT.seed)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=250)
    parser.add_argument("--save-every", type=int, default=250)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    recipe = Recipe(steps=args.steps, seed=args.seed)
    run(recipe, args.out, minutes=args.minutes, log_every=args.log_every, save_every=args.save_every)


if __name__ == "__main__":
    main()
