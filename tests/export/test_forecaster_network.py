"""The network and its training; needs torch, which only the export environment has."""

from pathlib import Path

import numpy as np
import pytest
import torch

from exporters.forecaster.model import LEVELS, Network, pinball
from exporters.forecaster.train import Recipe, Trainer, learning_rate
from services.forecaster.scaling import CONTEXT, FEATURES


def given(rows: int, steps: int) -> tuple[object, ...]:
    g = torch.Generator().manual_seed(0)
    mask = (torch.rand(rows, CONTEXT, generator=g) < 0.8).float()
    periods = torch.tensor([[12.0, 1.0]]).repeat(rows, 1)
    ahead = torch.arange(1.0, steps + 1).repeat(rows, 1)
    return torch.randn(rows, CONTEXT, generator=g) * mask, mask, torch.zeros(rows, FEATURES), periods, ahead


def test_quantiles_never_cross() -> None:
    q = Network()(*given(4, 30)).detach()
    assert q.shape == (4, 30, len(LEVELS))
    assert (q.diff(dim=-1) > 0).all()


def test_steps_are_independent() -> None:
    network = Network().eval()
    z, mask, features, periods, ahead = given(2, 30)
    whole = network(z, mask, features, periods, ahead)
    part = network(z, mask, features, periods, ahead[:, 7:9])
    torch.testing.assert_close(part, whole[:, 7:9], atol=1e-5, rtol=1e-5)


def test_the_loss_of_the_true_median_is_half_an_absolute_error() -> None:
    q = torch.zeros(1, 1, len(LEVELS))
    loss = pinball(q, torch.ones(1, 1), torch.ones(1, 1))
    assert float(loss) == pytest.approx(2 * float(np.mean(LEVELS)))


def test_the_learning_rate_warms_up_and_cools_down() -> None:
    recipe = Recipe(steps=1_000, warm_up=100)
    rates = [learning_rate(recipe, s) for s in (0, 99, 500, 850, 999)]
    assert rates[0] < rates[1] == rates[2] == recipe.learning_rate
    assert rates[2] > rates[3] > rates[4] > 0


def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path) -> None:
    recipe = Recipe(steps=4, batch=16, asked=3, pool=60)

    def train(trainer: Trainer, until: int) -> None:
        pools = trainer.pools()
        while trainer.step < until:
            trainer.train_one(next(iter(pools.values())))

    whole = Trainer(recipe, tmp_path)
    train(whole, 4)
    first = Trainer(recipe, tmp_path)
    train(first, 2)
    first.save()
    second = Trainer(recipe, tmp_path)
    second.resume()
    train(second, 4)
    for name, value in whole.average.items():
        torch.testing.assert_close(second.average[name], value)
