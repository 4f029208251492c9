"""Closed forms against doing it the long way."""

import numpy as np

from services.forecaster.estimation.experts import opinions
from services.forecaster.estimation.tokens import encode


def test_leaving_one_out_is_what_it_says() -> None:
    r = np.random.default_rng(0)
    f = r.normal(size=(1, 12, 3))
    z = f @ np.array([1.0, -2.0, 0.5]) + r.normal(size=(1, 12)) / 5
    weights = np.ones((1, 3))
    whole = opinions(f, f[:, :1], z, weights)[0]
    keep = np.arange(12) != 4
    # For one noise level the two agree exactly; the weights of the levels differ a little without the row.
    without = opinions(f[:, keep], f[:, 4:5], z[:, keep], weights)[0]
    assert abs(whole.mean[0, 4] - without.asked_mean[0, 0]) < 0.02


def test_a_line_is_continued_and_unknown_rows_are_less_sure() -> None:
    f = np.linspace(-1, 1, 10)[None, :, None]
    said = opinions(f, np.array([[[0.5], [6.0]]]), f[..., 0] * 2, np.ones((1, 1)))
    assert abs(said[0].asked_mean[0, 0] - 1) < 0.05
    assert said[1].asked_spread[0, 1] > 3 * said[1].asked_spread[0, 0]


def test_tokens_are_finite_whatever_is_missing() -> None:
    x = np.full((1, 5, 20), np.nan)
    x[0, 0, 0] = 3.0
    tokens = encode(x, np.arange(5.0)[None], np.full((1, 2, 20), np.nan))
    assert np.isfinite(tokens.stated).all() and np.isfinite(tokens.asked).all() and np.isfinite(tokens.base).all()
    none = encode(np.zeros((1, 4, 0)), np.arange(4.0)[None], np.zeros((1, 1, 0)))
    assert np.isfinite(none.stated).all() and np.isfinite(none.base).all()
