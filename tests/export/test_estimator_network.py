"""The network and its training; needs torch, which only the export environment has."""

from pathlib import Path

import torch

from exporters.estimator.model import LEVELS, Network
from exporters.estimator.train import Recipe, Trainer, draw_batch, learning_rate


def test_quantiles_never_cross() -> None:
    batch = draw_batch((1,), rows=9, tables=24)
    q = Network()(batch.stated, batch.asked, batch.base).detach()
    assert q.shape[-1] == len(LEVELS) and (q.diff(dim=-1) > 0).all()


def test_asked_rows_do_not_see_each_other_and_order_does_not_matter() -> None:
    batch, network = draw_batch((2,), rows=9, tables=24), Network().eval()
    whole = network(batch.stated, batch.asked, batch.base)
    part = network(batch.stated.flip(1), batch.asked[:, 3:5], batch.base[:, 3:5])
    torch.testing.assert_close(part, whole[:, 3:5], atol=1e-4, rtol=1e-4)


def test_a_resumed_run_sees_what_an_unbroken_one_sees(tmp_path: Path) -> None:
    recipe = Recipe(steps=4)
    unbroken = Trainer(recipe, tmp_path)
    for step in range(4):
        if step == 2:
            unbroken.save()
        unbroken.train_one(step / 4)
    resumed = Trainer(recipe, tmp_path)
    resumed.resume()
    for step in range(2, 4):
        resumed.train_one(step / 4)
    for name, value in unbroken.average.items():
        torch.testing.assert_close(resumed.average[name], value)


def test_the_learning_rate_rises_stays_and_falls() -> None:
    recipe = Recipe(steps=1_000)
    rates = [learning_rate(recipe, step, step / 1_000) for step in (0, 400, 800, 999)]
    assert rates[0] < rates[1] == recipe.learning_rate > rates[2] > rates[3] > 0
