"""Runs `quartet up` on free ports for the length of a block."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_S = 120.0


@contextmanager
def stack(*flags: str) -> Iterator[tuple[dict[str, str], int]]:
    """Start everything; gives the addresses of the ready file and the supervisor's process id."""
    with tempfile.TemporaryDirectory() as folder:
        ready, log = Path(folder, "ready.json"), Path(folder, "log.txt")
        command = [str(Path(sys.executable).with_name("quartet")), "up", "--http", "127.0.0.1:0"]
        command += ["--ready-file", str(ready), *flags]
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            end = time.monotonic() + START_S
            while not ready.exists():
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"quartet up did not start:\n{log.read_text()}")
                time.sleep(0.05)
            yield json.loads(ready.read_text()), process.pid
        finally:
            process.terminate()
            process.wait(60)
