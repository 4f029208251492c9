import numpy as np
import pytest

from services.llm.sampling import Sampler, Sampling, scores

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
        (Sampling(temperature=1.0, min_p=0.6), {1, 3}),
        (Sampling(temperature=1.0, min_p=1.0), {1}),
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


def test_penalties_count_what_was_written_and_not_the_prompt() -> None:
    logits = np.array([2.0, 1.5, 0.9], np.float32)
    once = Sampler(Sampling(presence_penalty=0.7), prompt=(0, 0, 0))
    assert [once.choose(logits) for _ in range(4)] == [0, 1, 0, 0]
    often = Sampler(Sampling(frequency_penalty=0.4), prompt=(0, 0, 0))
    assert [often.choose(logits) for _ in range(4)] == [0, 0, 1, 0]


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=50.0, seed=2)])
def test_only_allowed_tokens_are_chosen(sampling: Sampling) -> None:
    sampler = Sampler(sampling, ())
    allowed = np.array([True, False, True, False])
    assert {sampler.choose(LOGITS, allowed) for _ in range(50)} <= {0, 2}


def test_scores_are_the_logarithms_of_the_probabilities() -> None:
    chosen, *top = scores(LOGITS * np.float32(1) + np.float32(7), 2, 3)
    assert (chosen.token, [one.token for one in top]) == (2, [1, 3, 2])
    np.testing.assert_allclose(np.exp([s.logprob for s in (chosen, *top)]), [0.2, 0.4, 0.3, 0.2], rtol=1e-5)
    assert len(scores(LOGITS, 0, 0)) == 1
