"""One child process: started, watched, started again when it dies, stopped when asked."""

import asyncio
import re
import signal
import time
from collections import deque
from collections.abc import Callable

from gateway.supervisor.orphans import die_with_parent
from gateway.supervisor.plan import ChildSpec
from gateway.supervisor.probe import serves

FIRST_BACKOFF_S = 0.5
LAST_BACKOFF_S = 10.0
STEADY_S = 30.0
"""After this time of serving, the next death counts as the first again."""
STARTS = 3
"""Deaths before it has ever served, after which a process is given up."""
PROBE_EVERY_S = 0.1
KEPT_LINES = 12

Say = Callable[[str, str], None]
_WORTH_SHOWING = re.compile(r"\b(warning|error|critical|WRN|ERR|FTL)\b|^Traceback", re.IGNORECASE)


class Child:
    """Keeps one process alive. `say(name, words)` hears of every event."""

    def __init__(self, spec: ChildSpec, say: Say, *, verbose: bool = False) -> None:
        self.spec = spec
        self.ready = asyncio.Event()
        self.given_up = asyncio.Event()
        self._say = say
        self._verbose = verbose
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()
        self._last_lines: deque[str] = deque(maxlen=KEPT_LINES)

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def run(self) -> None:
        """Starts the process and starts it again until `stop` is called or it is given up."""
        deaths = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            status = await self._live_once(first=deaths == 0)
            if self._stopping.is_set():
                return
            served = self.ready.is_set()
            deaths = 1 if served and time.monotonic() - began > STEADY_S else deaths + 1
            self._say(self.spec.name, f"ended with {_describe(status)}")
            if not self._verbose and deaths == 1:
                for line in self._last_lines:
                    self._say(self.spec.name, f"| {line}")
            if not served and deaths >= STARTS:
                self._say(self.spec.name, f"could not start {STARTS} times; given up")
                self.given_up.set()
                return
            delay = min(LAST_BACKOFF_S, FIRST_BACKOFF_S * 2 ** (deaths - 1))
            self._say(self.spec.name, f"starts again in {delay:g} s")
            await _wait(self._stopping, delay)

    async def _live_once(self, *, first: bool) -> int:
        self._last_lines.clear()
        if self.spec.ready_file is not None:
            self.spec.ready_file.unlink(missing_ok=True)
        process = await asyncio.create_subprocess_exec(
            *self.spec.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            # Ctrl-C of the terminal goes to the supervisor alone, which stops its children in order.
            start_new_session=True,
            preexec_fn=die_with_parent(),
        )
        self._process = process
        if self._stopping.is_set():  # asked to stop while it was being started
            process.terminate()
        watch = asyncio.create_task(self._watch(first=first))
        try:
            await self._read(process)
            return await process.wait()
        finally:
            watch.cancel()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                raw = await process.stdout.readline()
            except ValueError:  # a line longer than the reader's buffer; the rest of it is read as the next line
                continue
            if not raw:
                return
            line = raw.decode(errors="replace").rstrip()
            self._last_lines.append(line)
            if self._verbose or (self.ready.is_set() and _WORTH_SHOWING.search(line)):
                self._say(self.spec.name, f"| {line}")

    async def _watch(self, *, first: bool) -> None:
        began = time.monotonic()
        while not await serves(self.spec):
            await asyncio.sleep(PROBE_EVERY_S)
        again = "" if first else " again"
        self._say(self.spec.name, f"serves{again} on {self.spec.address} after {time.monotonic() - began:.1f} s")
        self.ready.set()

    async def stop(self, grace_s: float) -> None:
        """SIGTERM, then SIGKILL after `grace_s`."""
        self._stopping.set()
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), grace_s)
        except TimeoutError:
            self._say(self.spec.name, f"did not stop within {grace_s:g} s; killed")
            process.kill()
            await process.wait()


def _describe(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
