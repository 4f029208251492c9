"""`quartet up` with real processes; the forecaster stands for every service, since it starts fastest."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

WAIT_S = 60.0
COMMAND = [sys.executable, "-m", "gateway.cli.main", "up", "--free-ports"]


class Up:
    """A supervisor with its output."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.ready = folder / "ready.json"
        self.output = folder / "output"
        with self.output.open("wb") as sink:
            command = [*COMMAND, "--ready-file", str(self.ready), *arguments]
            self.process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT)

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait_for(self, condition: Callable[[], bool]) -> None:
        limit = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < limit, self.text()
            time.sleep(0.05)

    def addresses(self) -> dict[str, str]:
        self.wait_for(self.ready.exists)
        return dict(json.loads(self.ready.read_text(encoding="utf-8")))

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WAIT_S)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    made: list[Up] = []

    def go(*arguments: str) -> Up:
        made.append(Up(tmp_path, *arguments))
        return made[-1]

    yield go
    for up in made:
        if up.process.poll() is None:
            up.process.kill()
            up.process.wait()


def children(pid: int) -> dict[str, int]:
    """Module or program name -> process id of the children of a process."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            stat = (folder / "stat").read_text()
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        if int(stat.rpartition(")")[2].split()[1]) == pid:
            name = words[2] if len(words) > 2 and words[1] == b"-m" else words[0].rpartition(b"/")[2]
            found[name.decode()] = int(folder.name)
    return found


def serving(address: str) -> bool:
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]
        try:
            reply = stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
        except grpc.RpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@linux
def test_a_service_that_dies_is_named_and_comes_back_on_its_port(start: Callable[..., Up]) -> None:
    up = start("--only", "nats,forecaster")
    addresses = up.addresses()
    assert set(addresses) == {"nats", "forecaster"}
    assert serving(addresses["forecaster"])
    before = children(up.process.pid)
    os.kill(before["services.forecaster"], signal.SIGKILL)
    up.wait_for(lambda: "forecaster  serves again" in up.text())
    assert "forecaster  ended with signal SIGKILL" in up.text()
    assert serving(addresses["forecaster"])
    after = children(up.process.pid)
    assert after["nats-server"] == before["nats-server"]
    assert after["services.forecaster"] != before["services.forecaster"]
    assert up.stop() == 0
    assert not up.ready.exists()
    assert all(gone(pid) for pid in after.values())
    assert "Traceback" not in up.text()


@linux
def test_no_child_outlives_a_killed_supervisor(start: Callable[..., Up]) -> None:
    up = start("--only", "nats,forecaster")
    up.addresses()
    pids = list(children(up.process.pid).values())
    assert len(pids) == 2
    up.process.kill()
    up.process.wait()
    up.wait_for(lambda: all(gone(pid) for pid in pids))


def test_a_taken_port_is_one_line(start: Callable[..., Up]) -> None:
    first = start("--only", "nats")
    taken = first.addresses()["nats"].removeprefix("nats://")
    second = subprocess.run(
        [*COMMAND, "--only", "nats", "--nats", taken], capture_output=True, text=True, timeout=WAIT_S
    )
    assert second.returncode == 1
    assert second.stderr.startswith("PORT_TAKEN: ")
    assert second.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--only", "nats,nope"), ("--nats", "4222")])
def test_wrong_usage_is_one_line(arguments: tuple[str, ...]) -> None:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 2
    assert done.stderr.startswith("USAGE: ")


def test_a_process_that_cannot_start_ends_the_stack(start: Callable[..., Up], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARTET_FORECASTER_WEIGHTS", "/nonexistent")
    up = start("--only", "nats,forecaster")
    assert up.process.wait(WAIT_S) == 1
    assert "forecaster  could not start 3 times; given up" in up.text()
    assert not up.ready.exists()


def test_data_is_kept_where_it_was_asked(start: Callable[..., Up], tmp_path: Path) -> None:
    up = start("--only", "nats", "--data-dir", str(tmp_path / "data"))
    up.wait_for(lambda: "nats        serves" in up.text())
    assert up.stop() == 0
    assert (tmp_path / "data" / "jetstream").exists()
