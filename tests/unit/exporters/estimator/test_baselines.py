import numpy as np

from exporters.estimator.baselines import column_mean


def test_the_mean_of_a_column_with_its_spread() -> None:
    levels = np.array([0.1, 0.5, 0.9])
    q = column_mean(np.zeros((5, 0)), np.array([1.0, 2, 3, 4, 5]), np.zeros((2, 0)), levels)
    assert q.shape == (2, 3) and (q[:, 1] == 3).all()
    assert q[0, 2] - 3 == 3 - q[0, 0] == 2.5
