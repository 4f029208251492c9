"""A service that is full, and one that dies and comes back, seen from outside."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.contract.rest.edge import NOBODY, error_of, served

ASKED = {
    "model": "jev-latest",
    "state": "The parcel arrived soaked. " * 40,
    "questions": {"q": {"type": "noul", "instructions": "Is it wet?"}},
}


@contextmanager
def classifier(folder: Path, *flags: str, port: str = "0") -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A classifier of one's own and its address."""
    ready = folder / "ready.json"
    ready.unlink(missing_ok=True)
    command = [sys.executable, "-m", "services.classifier", "--port", port, "--metrics-port", "-1"]
    command += ["--ready-file", str(ready), *flags]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while not ready.exists():
            assert process.poll() is None, "the classifier ended before it was ready"
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        yield process, json.loads(ready.read_text())["grpc"]
    finally:
        process.kill()
        process.wait()


async def test_a_full_queue_is_529_with_the_time_to_come_back(tmp_path: Path) -> None:
    with classifier(tmp_path, "--queue-capacity", "1") as (_, address):
        async with served(targets=NOBODY | {"classifier": address}) as client:
            responses = await asyncio.gather(*(client.post("/v1/systemone", json=ASKED) for _ in range(24)))
            assert {response.status_code for response in responses} == {200, 529}
            refused = next(response for response in responses if response.status_code == 529)
            assert refused.headers["retry-after"] == "1"
            assert error_of(refused)["detail"]["error_type"] == "overloaded_error"


async def test_a_service_that_died_is_503_until_it_is_back(tmp_path: Path) -> None:
    with classifier(tmp_path) as (process, address):
        async with served(targets=NOBODY | {"classifier": address}) as client:
            first = await client.post("/v1/systemone", json=ASKED)
            assert first.status_code == 200, first.text
            process.kill()
            process.wait()
            assert (await client.post("/v1/systemone", json=ASKED)).status_code == 503
            assert (await client.get("/readyz")).json()["services"]["classifier"] == "UNREACHABLE"
            with classifier(tmp_path, port=address.rpartition(":")[2]):
                async with asyncio.timeout(60):
                    while (await client.post("/v1/systemone", json=ASKED)).status_code != 200:
                        await asyncio.sleep(0.05)
