import numpy as np
import pytest

from services.llm.sampling import Sampler, Sampling

LOGITS = np.log(np.array([0.1, 0.4, 0.2, 0.3], np.float32))


def draws(sampling: Sampling, count: int = 400) -> list[int]:
    sampler = Sampler(sampling, ())
    return [sampler.choose(LOGITS) for _ in range(count)]


def test_greedy_takes_the_likeliest_and_the_first_of_equals() -> None:
    assert draws(Sampling(), 3) == [1, 1, 1]
    assert Sampler(Sampling(), ()).choose(np.array([1, 2, 2], np.float32)) == 1


def test_a_seed_repeats_and_another_differs() -> None:
    assert draws(Sampling(temperature=1.0, seed=5)) == draws(Sampling(temperature=1.0, seed=5))
    assert draws(Sampling(temperature=1.0, seed=5)) != draws(Sampling(temperature=1.0, seed=6))


def test_draws_follow_the_distribution() -> None:
    share = np.bincount(draws(Sampling(temperature=1.0, seed=1), 4000), minlength=4) / 4000
    np.testing.assert_allclose(share, [0.1, 0.4, 0.2, 0.3], atol=0.04)


@pytest.mark.parametrize(
    ("sampling", "kept"),
    [
        (Sampling(temperature=1.0, top_k=1), {1}),
        (Sampling(temperature=1.0, top_k=2), {1, 3}),
        (Sampling(temperature=1.0, top_p=0.01), {1}),
        (Sampling(temperature=1.0, top_p=0.6), {1, 3}),
        (Sampling(temperature=1.0, top_p=0.85), {1, 2, 3}),
        (Sampling(temperature=1.0, top_k=3, top_p=0.5), {1, 3}),
        (Sampling(temperature=1.0), {0, 1, 2, 3}),
        (Sampling(temperature=0.01), {1}),
        (Sampling(temperature=1e-300), {1}),
    ],
)
def test_the_smallest_set_with_the_mass_is_kept(sampling: Sampling, kept: set[int]) -> None:
    assert set(draws(sampling)) == kept


def test_the_penalty_lowers_seen_tokens_of_either_sign_and_keeps_the_logits() -> None:
    logits = np.array([2.0, 1.9, -0.1, -0.11], np.float32)
    before = logits.copy()
    sampler = Sampler(Sampling(repetition_penalty=1.5), prompt=(0,))
    assert [sampler.choose(logits) for _ in range(2)] == [1, 0]
    negative = np.array([-0.1, -0.11], np.float32)
    assert Sampler(Sampling(repetition_penalty=1.5), prompt=(0,)).choose(negative) == 1
    np.testing.assert_array_equal(logits, before)
