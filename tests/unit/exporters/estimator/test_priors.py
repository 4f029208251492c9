import numpy as np

from exporters.estimator.priors import WIDEST, draw_tables


def test_tables_are_tables() -> None:
    x, y = draw_tables(np.random.default_rng(0), 200, 20)
    assert x.shape == (200, 20, WIDEST) and np.isfinite(y).all()
    assert np.isfinite(x).any(axis=(1, 2)).all()
    assert (np.abs(x[np.isfinite(x)]) < 1e6).all() and (np.abs(y) < 1e6).all()


def test_the_same_seed_draws_the_same_tables() -> None:
    one, two = (draw_tables(np.random.default_rng(5), 10, 8) for _ in range(2))
    assert np.array_equal(one[0], two[0], equal_nan=True) and np.array_equal(one[1], two[1])
