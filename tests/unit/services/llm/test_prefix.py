from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.llm.chat import Turn
from services.llm.generation import Request
from services.llm.model import LanguageModel
from services.llm.prefix import LEAST_CHUNK, PrefixCache, cuts
from services.llm.sampling import Sampling
from services.runtime.onnx.card import Card
from tests.unit.services.llm.test_generation import write

TOKENS = st.lists(st.integers(0, 5), min_size=1, max_size=300)
HEAD = (
    Turn("system", "the rain and the sun, " * 3),
    Turn("user", "on a hill in the rain " * 3),
    Turn("assistant", "and then there were trees and the sun on and on"),
)


def values(tokens: int) -> np.ndarray:
    return np.full((4, 2, tokens, 3), tokens, np.float32)


@given(tokens=TOKENS, more=TOKENS, most=st.integers(1, 100))
def test_where_chunks_end_depends_on_the_tokens_before_alone(tokens: list[int], more: list[int], most: int) -> None:
    ends = cuts(tokens, most=most, turn_end=0)
    assert ends[-1] == len(tokens)
    assert cuts(tokens + more, most=most, turn_end=0)[: len(ends) - 1] == ends[:-1]
    sizes = np.diff((0, *ends))
    assert sizes.min() > 0
    assert sizes.max() <= most
    for size, end in zip(sizes[:-1], ends[:-1], strict=True):
        assert size == most or (size >= LEAST_CHUNK and tokens[end - 1] == 0)


@given(
    prompts=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=60), max_size=30), capacity=st.integers(0, 200)
)
def test_it_stays_within_its_tokens_and_all_of_them_can_be_found(prompts: list[list[int]], capacity: int) -> None:
    cache = PrefixCache(capacity)
    for prompt in prompts:
        ends = cuts(prompt, most=10, turn_end=-1)
        found = cache.find(prompt, ends)
        for index in range(len(found), len(ends) - 1):
            cache.keep(prompt, ends[: index + 1], values(10))
        assert cache.tokens <= capacity
    reachable = {tuple(p[:end]) for p in prompts for end in cuts(p, most=10, turn_end=-1)[:-1]}
    kept = [head for head in reachable if len(cache.find((*head, 0), range(10, len(head) + 11, 10))) == len(head) // 10]
    assert cache.tokens == 10 * len(kept)


def test_what_was_used_last_stays() -> None:
    cache = PrefixCache(20)
    for prompt in ([1] * 11, [2] * 11, [1] * 11, [3] * 11):
        if not cache.find(prompt, (10, 11)):
            cache.keep(prompt, (10,), values(10))
    assert [bool(cache.find([n] * 11, (10, 11))) for n in (1, 2, 3)] == [True, False, True]


def asked(last: str, **fields: object) -> Request:
    options = Sampling(temperature=1.0, seed=3)
    return Request(turns=(*HEAD, Turn("user", last)), max_tokens=30, sampling=options, **fields)  # type: ignore[arg-type]


@pytest.fixture
def caching(tiny_folder: Path) -> LanguageModel:
    return LanguageModel.load(tiny_folder, Card.load(tiny_folder), prefix_tokens=1000)


@pytest.mark.parametrize("chunk", [40, 128])
def test_a_text_is_the_same_with_and_without_the_cache(tiny: LanguageModel, caching: LanguageModel, chunk: int) -> None:
    for number, last in enumerate(("the rain", "on a tree", "the rain")):
        expected, cold = write(tiny, asked(last), chunk=chunk)
        found, ending = write(caching, asked(last), chunk=chunk)
        assert found == expected
        assert cold.cached_tokens == 0
        assert (ending.cached_tokens >= 100) == (number > 0)


def test_taken_from_the_cache_the_logits_are_the_same_bits(caching: LanguageModel) -> None:
    prompt = caching.encode((*HEAD, Turn("user", "in the sun")))
    ends = cuts(prompt, most=50, turn_end=caching.turn_end)
    found = []
    for _ in range(2):
        cache = caching.open(len(prompt))
        for chunk in caching.prefixes.find(prompt, ends):
            cache.restore(chunk)
        for index, end in enumerate(ends):
            if end > cache.used:
                start = cache.used
                logits = caching.forward(cache, prompt[start:end]).copy()
                caching.prefixes.keep(prompt, ends[: index + 1], cache.copy(start, end))
        found.append(logits)
        cache.close()
    np.testing.assert_array_equal(found[0], found[1])


def test_without_room_nothing_is_kept(tiny: LanguageModel) -> None:
    write(tiny, asked("the rain"))
    assert tiny.prefixes.tokens == 0
