"""A stack of one's own for a demo or a test: `quartet up` on free ports as a child of this process."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.supervisor.orphans import die_with_parent

START_S = 120.0
STOP_S = 60.0


class StackFailed(RuntimeError):
    """The stack did not come up; the message holds its last lines."""


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Where a running stack answers: `http` and `nats` are URLs, the rest HOST:PORT; empty when not started."""

    http: str = ""
    gateway: str = ""
    classifier: str = ""
    extractor: str = ""
    forecaster: str = ""
    llm: str = ""
    metrics: str = ""
    nats: str = ""
    pid: int = 0
    """Process id of the supervisor."""


@contextmanager
def background_stack(*, only: Sequence[str] = (), extra: Sequence[str] = ()) -> Iterator[RunningStack]:
    """Starts a stack on free ports, yields its addresses once all serve, and stops it. Raises StackFailed."""
    with tempfile.TemporaryDirectory(prefix="quartet-") as name:
        ready, output = Path(name) / "ready.json", Path(name) / "output"
        command = [sys.executable, "-m", "gateway.cli.main", "up", "--free-ports", "--ready-file", str(ready), *extra]
        command += ["--only", ",".join(only)] if only else []
        with output.open("wb") as sink:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )
        try:
            addresses = _wait(process, ready, output)
            yield RunningStack(**addresses, pid=process.pid)
        finally:
            _stop(process)


def _wait(process: subprocess.Popen[bytes], ready: Path, output: Path) -> dict[str, str]:
    limit = time.monotonic() + START_S
    while not ready.exists():
        if process.poll() is not None:
            raise StackFailed(f"the stack did not start:\n{_tail(output)}")
        if time.monotonic() > limit:
            raise StackFailed(f"the stack did not serve within {START_S:g} s:\n{_tail(output)}")
        time.sleep(0.05)
    return dict(json.loads(ready.read_text(encoding="utf-8")))


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(output: Path) -> str:
    lines = output.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-20:])
