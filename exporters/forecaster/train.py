"""Trains the forecaster on synthetic series; stops and goes on anywhere.

    python -m exporters.forecaster.train --out runs/forecaster --steps 12000

A checkpoint holds weights, optimiser, moving average, step and seed; batches are a function of (seed, step), so a
resumed run sees what an unbroken one would have seen.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from exporters.forecaster.model import Network, pinball
from exporters.forecaster.pool import LONG, SHORT, Batch, Pool, Regime, draw_batch, draw_pool

_LONG_EVERY: Final = 3
_VALIDATION_SEED: Final = 7919
_BETAS: Final = (0.9, 0.98)


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides what a training run does."""

    steps: int = 12_000
    batch: int = 512
    asked: int = 12
    learning_rate: float = 2e-3
    weight_decay: float = 0.02
    warm_up: int = 200
    cool_down: float = 0.3
    average: float = 0.999
    pool: int = 150_000
    pool_every: int = 3_000
    seed: int = 1


DEFAULT: Final = Recipe()


def learning_rate(recipe: Recipe, step: int) -> float:
    """Warm-up, constant, then a straight line to 1 % over the last share of the run."""
    left = (recipe.steps - step) / (recipe.cool_down * recipe.steps)
    return recipe.learning_rate * min(1.0, (step + 1) / recipe.warm_up, max(left, 0.01))


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

    def pools(self) -> dict[Regime, Pool]:
        """Fresh series for the current stretch of steps."""
        seed = self.recipe.seed * 1_000 + self.step // self.recipe.pool_every
        sizes = ((SHORT, self.recipe.pool), (LONG, self.recipe.pool // 3))
        return {regime: draw_pool(regime, size=size, seed=seed) for regime, size in sizes}

    def train_one(self, pool: Pool) -> float:
        """One optimiser step; returns its loss."""
        recipe = self.recipe
        batch = draw_batch(pool, size=recipe.batch, steps=recipe.asked, seed=(recipe.seed, self.step))
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(recipe, self.step)
        loss = batch_loss(self.network, batch)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        keep = min(recipe.average, self.step / (self.step + 10))
        with torch.no_grad():
            for name, value in self.network.state_dict().items():
                self.average[name].lerp_(value, 1 - keep)
        return float(loss.item())

    def validate(self, batches: Mapping[str, Batch]) -> dict[str, float]:
        """Loss of the moving average on series that no step has seen."""
        network = Network()
        network.load_state_dict(self.average)
        with torch.no_grad():
            return {name: round(float(batch_loss(network, b)), 4) for name, b in batches.items()}


def batch_loss(network: Network, batch: Batch) -> Tensor:
    """Pinball loss of one batch."""
    s = batch.scaled
    given = (s.z, s.mask, s.features, batch.periods, batch.steps)
    quantiles: Tensor = network(*(torch.from_numpy(v) for v in given))
    return pinball(quantiles, torch.from_numpy(batch.targets), torch.from_numpy(batch.weights))


def validation_batches(*, size: int = 2_000) -> dict[str, Batch]:
    """One fixed batch per regime."""
    pools = {"short": SHORT, "long": LONG}
    return {
        name: draw_batch(
            draw_pool(regime, size=size, seed=_VALIDATION_SEED), size=size, steps=24, seed=(_VALIDATION_SEED,)
        )
        for name, regime in pools.items()
    }


def run(recipe: Recipe, folder: Path, *, log_every: int, save_every: int) -> None:
    """Train to the end of the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(recipe, folder)
    trainer.resume()
    held_out = validation_batches()
    pools: dict[Regime, Pool] = {}
    smooth: float | None = None
    started = time.process_time()
    while trainer.step < recipe.steps:
        if not pools or trainer.step % recipe.pool_every == 0:
            pools = trainer.pools()
        regime = LONG if trainer.step % _LONG_EVERY == 2 else SHORT
        loss = trainer.train_one(pools[regime])
        smooth = loss if smooth is None else 0.99 * smooth + 0.01 * loss
        if trainer.step % log_every == 0:
            line: dict[str, Any] = {"step": trainer.step, "loss": round(smooth, 4), **trainer.validate(held_out)}
            print(json.dumps(line | {"cpu_s": round(time.process_time() - started)}), flush=True)
        if trainer.step % save_every == 0 or trainer.step == recipe.steps:
            trainer.save()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--steps", type=int, default=DEFAULT.steps)
    parser.add_argument("--seed", type=int, default=DEFAULT.seed)
    parser.add_argument("--pool", type=int, default=DEFAULT.pool)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=500)
    parser.add_argument("--save-every", type=int, default=500)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    recipe = Recipe(steps=args.steps, seed=args.seed, pool=args.pool)
    run(recipe, args.out, log_every=args.log_every, save_every=args.save_every)


if __name__ == "__main__":
    main()
