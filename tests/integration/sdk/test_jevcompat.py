"""The conformance suite of the System One contract, with and without a key."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from gateway.clients import SERVICES
from gateway.rest.settings import RestSettings
from gateway.supervisor.background import RunningStack
from tests.contract.rest.edge import served


async def report(url: str, folder: Path, *flags: str) -> dict[str, Any]:
    out = folder / "report.json"
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("jevcompat")), "test", url, "--json", str(out), *flags,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    text, _ = await process.communicate()
    assert process.returncode == 0, text.decode()
    return dict(json.loads(out.read_text()))


def unmet(found: dict[str, Any]) -> list[str]:
    return [item["id"] for item in found["results"] if item["status"] not in ("pass", "skip")]


async def test_every_requirement_without_a_key(stack: RunningStack, tmp_path: Path) -> None:
    assert unmet(await report(stack.http, tmp_path)) == []


async def test_every_requirement_with_a_key(stack: RunningStack, tmp_path: Path) -> None:
    targets = {name: getattr(stack, name) for name in SERVICES}
    async with served(RestSettings(api_key="s3cret"), targets=targets) as client:
        found = await report(str(client.base_url), tmp_path, "--key", "s3cret")
    assert unmet(found) == []
    passed = [item["id"] for item in found["results"] if item["status"] == "pass"]
    assert {"auth.bearer", "auth.missing", "auth.invalid"} <= set(passed)
