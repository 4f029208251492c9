"""Timing in turn: every candidate in every round, so that a slow moment of the machine hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

IN_A_ROW = 5


def in_turn(rounds: int, calls: Mapping[str, Callable[[], float | None]]) -> dict[str, float]:
    """Median seconds of each call over `rounds` of a few in a row. A call that returns a number has timed itself.

    The first of each row is dropped: it pays for the caches that the call before it has filled with its own weights.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            row = [_timed(call) for _ in range(IN_A_ROW)][1:]
            taken[name] += row if number else []
    return {name: statistics.median(values) for name, values in taken.items()}


def _timed(call: Callable[[], float | None]) -> float:
    start = time.perf_counter()
    own = call()
    return time.perf_counter() - start if own is None else own


def resident_mib(pid: int) -> dict[str, float]:
    """Resident memory of a process's children by command, in MiB; shared pages count once for each."""
    found: dict[str, float] = {}
    for child in children(pid):
        status = Path(f"/proc/{child}/status").read_text()
        kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        words = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        name = next((w.removeprefix("services.") for w in words if w.startswith(("services.", "gateway"))), words[0])
        found[Path(name).name] = found.get(Path(name).name, 0.0) + kib / 1024
    return found


def children(pid: int) -> list[int]:
    """All processes under `pid`."""
    direct = [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [p for child in direct for p in (child, *children(child))]
