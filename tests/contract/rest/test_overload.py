"""A service that is full, and one that dies and comes back, seen from outside."""

import asyncio
from pathlib import Path

from tests.contract.rest.edge import NOBODY, error_of, served
from tests.contract.runtime.process import running

CLASSIFIER = "services.classifier"
ASKED = {
    "model": "jev-latest",
    "state": "The parcel arrived soaked. " * 40,
    "questions": {"q": {"type": "noul", "instructions": "Is it wet?"}},
}


async def test_a_full_queue_is_529_with_the_time_to_come_back(tmp_path: Path) -> None:
    with running(tmp_path, CLASSIFIER, "--queue-capacity", "1") as service:
        async with served(targets=NOBODY | {"classifier": service.grpc}) as client:
            responses = await asyncio.gather(*(client.post("/v1/systemone", json=ASKED) for _ in range(24)))
            assert {response.status_code for response in responses} == {200, 529}
            refused = next(response for response in responses if response.status_code == 529)
            assert refused.headers["retry-after"] == "1"
            assert error_of(refused)["detail"]["error_type"] == "overloaded_error"


async def test_a_service_that_died_is_503_until_it_is_back(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with running(first, CLASSIFIER) as service:
        async with served(targets=NOBODY | {"classifier": service.grpc}) as client:
            assert (await client.post("/v1/systemone", json=ASKED)).status_code == 200
            service.process.kill()
            service.process.wait()
            assert (await client.post("/v1/systemone", json=ASKED)).status_code == 503
            assert (await client.get("/readyz")).json()["services"]["classifier"] == "UNREACHABLE"
            with running(second, CLASSIFIER, "--port", service.grpc.rpartition(":")[2]):
                async with asyncio.timeout(60):
                    while (await client.post("/v1/systemone", json=ASKED)).status_code != 200:
                        await asyncio.sleep(0.05)
