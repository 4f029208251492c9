import numpy as np
import pytest

from services.llm.chat import Turn
from services.llm.generation import Ending, Finish, Generation, Request
from services.llm.model import LanguageModel
from services.llm.sampling import Sampling
from services.runtime.errors import InputTooLong

WARM = Sampling(temperature=1.0, seed=11)


def request(text: str = "the rain and the sun", **fields: object) -> Request:
    return Request(turns=(Turn("user", text),), **{"max_tokens": 40, "sampling": WARM, **fields})  # type: ignore[arg-type]


def write(model: LanguageModel, asked: Request, *, chunk: int = 128) -> tuple[str, Ending]:
    generation = Generation(model, asked, prefill_tokens=chunk)
    text = ""
    while True:
        delta = generation.step()
        if delta is None:
            continue
        text += delta.text
        if delta.ending:
            generation.close()
            return text, delta.ending


def test_the_cache_gives_what_reading_everything_again_gives(tiny: LanguageModel) -> None:
    tokens = tiny.encode([Turn("user", "on and on")])
    cache, fresh = tiny.open(len(tokens)), tiny.open(len(tokens))
    for at in range(0, len(tokens), 7):
        found = tiny.forward(cache, tokens[at : at + 7])
    np.testing.assert_allclose(found, tiny.forward(fresh, tokens), rtol=0, atol=2e-4)


@pytest.mark.parametrize("chunk", [1, 5, 16, 512])
def test_the_chunk_does_not_change_the_text(tiny: LanguageModel, chunk: int) -> None:
    assert write(tiny, request(), chunk=chunk)[0] == write(tiny, request())[0]


def test_counts_and_reason_at_max_tokens(tiny: LanguageModel) -> None:
    asked = request(max_tokens=7)
    _, ending = write(tiny, asked)
    assert ending.finish is Finish.LENGTH
    assert (ending.input_tokens, ending.output_tokens) == (len(tiny.encode(asked.turns)), 7)
    assert ending.total_s >= ending.prefill_s + ending.decode_s > 0


def test_the_context_ends_a_text_and_a_longer_prompt_is_refused_with_counts(tiny: LanguageModel) -> None:
    overhead = len(tiny.encode([Turn("user", "")]))
    fits = request("x" * (tiny.context - overhead - 3), max_tokens=100)
    _, ending = write(tiny, fits)
    assert (ending.finish, ending.output_tokens) == (Finish.LENGTH, 3)
    with pytest.raises(InputTooLong) as caught:
        Generation(tiny, request("x" * (tiny.context - overhead)), prefill_tokens=8)
    assert (caught.value.limit, caught.value.actual) == (tiny.context - 1, tiny.context)
    assert caught.value.fields[0].path == "messages"


def test_a_stop_string_ends_the_text_before_it_wherever_tokens_break(tiny: LanguageModel) -> None:
    whole, _ = write(tiny, request())
    for start in range(1, len(whole) - 3):
        stop = whole[start : start + 3]
        text, ending = write(tiny, request(stop=(stop,)))
        assert text == whole[: whole.index(stop)]
        assert ending.finish is Finish.STOP


def test_a_seed_decides_and_greedy_ignores_it(tiny: LanguageModel) -> None:
    other = Sampling(temperature=1.0, seed=12)
    assert write(tiny, request())[0] != write(tiny, request(sampling=other))[0]
    assert write(tiny, request(sampling=Sampling()))[0] == write(tiny, request(sampling=Sampling(seed=9)))[0]


def test_a_cache_refuses_more_than_it_has_room_for(tiny: LanguageModel) -> None:
    cache = tiny.open(4)
    tiny.forward(cache, [5, 6, 7])
    with pytest.raises(ValueError, match="2 tokens do not fit after 3 of 4"):
        tiny.forward(cache, [8, 9])


def test_closing_twice_is_closing_once(tiny: LanguageModel) -> None:
    generation = Generation(tiny, request(), prefill_tokens=8)
    generation.step()
    generation.close()
    generation.close()
