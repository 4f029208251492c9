"""The whole house on one machine: starts everything, says when it serves, keeps it up, and drains it."""

import asyncio
import json
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from gateway.supervisor.child import Child
from gateway.supervisor.plan import Plan, UpOptions, make_plan

GRACE_S = 25.0
"""Longer than the services' own drain time, so that they are killed only when that did not work."""


async def run_stack(options: UpOptions, write: Callable[[str], None]) -> int:
    """Runs until SIGINT or SIGTERM; `write` gets one line per event.

    Returns 0, or 1 when a process could not be started. Raises ValueError and PortTaken before anything is started.
    """
    began = time.monotonic()

    def say(name: str, words: str) -> None:
        write(f"{time.monotonic() - began:7.1f} s  {name:<11} {words}")

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quartet-")))
        plan = make_plan(options, folder)
        if options.ready_file:
            # A file of an earlier run must not look like this one's.
            options.ready_file.unlink(missing_ok=True)
            stack.callback(options.ready_file.unlink, missing_ok=True)
        for note in plan.notes:
            write(f"{0:7.1f} s  {note}")
        children = [Child(spec, say, verbose=options.verbose) for spec in plan.children]
        return await _supervise(children, plan, options.ready_file, say)


async def _supervise(
    children: list[Child], plan: Plan, ready_file: Path | None, say: Callable[[str, str], None]
) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    tasks = [asyncio.create_task(child.run()) for child in children]
    announced = asyncio.create_task(_announce(children, plan, ready_file, say))
    failed = asyncio.create_task(_given_up(children))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([stopped, failed], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    lost = failed.done()
    say("up", "stops: a process could not be started" if lost else "stops")
    announced.cancel()
    failed.cancel()
    await _drain(children)
    await asyncio.gather(*tasks, return_exceptions=True)
    say("up", "stopped")
    return 1 if lost else 0


async def _drain(children: list[Child]) -> None:
    """The gateway first, so that no new work arrives; then the services; the broker last."""
    order = {"gateway": 0, "nats": 2}
    for rank in (0, 1, 2):
        await asyncio.gather(*(child.stop(GRACE_S) for child in children if order.get(child.spec.name, 1) == rank))


async def _announce(
    children: list[Child], plan: Plan, ready_file: Path | None, say: Callable[[str, str], None]
) -> None:
    # NATS serves asynchronous work alone: nothing else waits for it.
    await asyncio.gather(*(child.ready.wait() for child in children if child.spec.name != "nats"))
    say("up", f"all serve{': ' + plan.addresses['http'] if 'http' in plan.addresses else ''}")
    if ready_file:
        beside = ready_file.with_name(f".{ready_file.name}.new")
        beside.write_text(json.dumps(plan.addresses) + "\n", encoding="utf-8")
        beside.replace(ready_file)  # a reader sees all of it or nothing


async def _given_up(children: list[Child]) -> None:
    needed = [child for child in children if child.spec.name != "nats"]
    if not needed:
        await asyncio.Event().wait()
    waits = [asyncio.create_task(child.given_up.wait()) for child in needed]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
