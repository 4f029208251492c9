import asyncio
from contextlib import aclosing

import pytest

from services.llm.engine import Engine
from services.llm.generation import Delta, Generation
from services.llm.model import LanguageModel
from services.runtime.deadline import Deadline
from services.runtime.errors import DeadlineExceeded, InputTooLong, ModelFailure
from services.runtime.runner import Runner
from tests.unit.services.llm.test_generation import request, write

TEXTS = ("the rain", "and the sun " * 20, "in", "on a hill, 42 trees 🌲")


def generation(model: LanguageModel, text: str, **fields: object) -> Generation:
    return Generation(model, request(text, **fields), prefill_tokens=16)


async def read(engine: Engine, item: Generation, deadline: Deadline | None = None) -> str:
    return "".join([delta.text async for delta in engine.write(item, deadline=deadline)])


async def idle(engine: Engine) -> None:
    await engine.close()
    assert (engine.active, engine.waiting) == (0, 0)


async def test_beside_others_a_text_is_what_it_is_alone(tiny: LanguageModel, runner: Runner) -> None:
    alone = [write(tiny, request(text), chunk=16)[0] for text in TEXTS]
    engine = Engine(runner, sequences=3, cache_tokens=2000)
    assert await asyncio.gather(*(read(engine, generation(tiny, text)) for text in TEXTS)) == alone
    await idle(engine)


async def test_texts_take_turns(tiny: LanguageModel, runner: Runner) -> None:
    engine = Engine(runner, sequences=2, cache_tokens=2000)
    order: list[str] = []

    async def note(name: str) -> None:
        async for _ in engine.write(generation(tiny, "the", max_tokens=20)):
            order.append(name)

    await asyncio.gather(note("a"), note("b"))
    assert "".join(order[:20]) == "ab" * 10


async def test_a_long_prompt_does_not_stop_a_text_that_is_being_written(tiny: LanguageModel, runner: Runner) -> None:
    engine = Engine(runner, sequences=2, cache_tokens=2000)
    seen: list[str] = []

    async def note(name: str, item: Generation) -> None:
        async for _ in engine.write(item):
            seen.append(name)

    long = generation(tiny, "x" * 320, max_tokens=1)
    await asyncio.gather(note("long", long), note("short", generation(tiny, "in", max_tokens=30)))
    assert seen.index("long") >= 10


async def test_what_does_not_fit_waits_and_what_never_can_is_refused(tiny: LanguageModel, runner: Runner) -> None:
    item = generation(tiny, "the")
    engine = Engine(runner, sequences=4, cache_tokens=item.room + 1)
    most = 0

    async def watched(one: Generation) -> None:
        nonlocal most
        async for _ in engine.write(one):
            most = max(most, engine.active)

    await asyncio.gather(*(watched(generation(tiny, "the")) for _ in range(3)))
    assert most == 1
    with pytest.raises(InputTooLong) as caught:
        await read(engine, generation(tiny, "the", max_tokens=60))
    assert caught.value.limit == item.room + 1
    await idle(engine)


async def test_leaving_frees_the_slot(tiny: LanguageModel, runner: Runner) -> None:
    engine = Engine(runner, sequences=1, cache_tokens=2000)
    for _ in range(200):
        async with aclosing(engine.write(generation(tiny, "the", max_tokens=400))) as deltas:
            assert isinstance(await anext(deltas), Delta)
    await idle(engine)


async def test_a_cancelled_reader_frees_the_slot_while_waiting_and_while_active(
    tiny: LanguageModel, runner: Runner
) -> None:
    engine = Engine(runner, sequences=1, cache_tokens=2000)
    tasks = [asyncio.create_task(read(engine, generation(tiny, "the", max_tokens=400))) for _ in range(3)]
    while not engine.active:
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await idle(engine)


async def test_a_deadline_ends_active_and_waiting_texts(tiny: LanguageModel, runner: Runner) -> None:
    engine = Engine(runner, sequences=1, cache_tokens=2000)
    items = [generation(tiny, "the", max_tokens=400) for _ in range(2)]
    found = await asyncio.gather(*(read(engine, item, Deadline.after(0.001)) for item in items), return_exceptions=True)
    assert [type(error) for error in found] == [DeadlineExceeded, DeadlineExceeded]
    await idle(engine)


async def test_a_failed_run_fails_its_text_alone(
    tiny: LanguageModel, runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    engine = Engine(runner, sequences=2, cache_tokens=2000)
    broken = generation(tiny, "the")
    broken.room = 3  # its cache is too small for its prompt: the run itself fails
    found, text = await asyncio.gather(
        read(engine, broken), read(engine, generation(tiny, "in")), return_exceptions=True
    )
    assert isinstance(found, ModelFailure)
    assert text == write(tiny, request("in"), chunk=16)[0]
    assert "model run failed" in caplog.text
    await idle(engine)
