"""Starts a service process on free ports and stops it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Running:
    """A service process and its addresses."""

    process: subprocess.Popen[bytes]
    grpc: str
    metrics: str
    log: Path

    def stop(self) -> int:
        """SIGTERM and wait; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def running(folder: Path, module: str, *flags: str, env: dict[str, str] | None = None) -> Iterator[Running]:
    """Run `python -m module` until the block ends. Waits until it says that it is ready."""
    ready, log = folder / "ready.json", folder / "log.txt"
    command = [sys.executable, "-m", module, "--port", "0", "--metrics-port", "0", "--ready-file", str(ready), *flags]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=out, stderr=out)
    try:
        facts = wait_ready(process, ready, log)
        yield Running(process, facts["grpc"], facts["metrics"], log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)


def wait_ready(process: subprocess.Popen[bytes], ready: Path, log: Path, *, seconds: float = 60) -> dict[str, str]:
    """Wait for the ready file; fails with the log when the process ends or takes too long."""
    end = time.monotonic() + seconds
    while not ready.exists():
        assert process.poll() is None and time.monotonic() < end, log.read_text()
        time.sleep(0.02)
    facts: dict[str, str] = json.loads(ready.read_text())
    return facts
