"""Bodies made from `/openapi.json`, and whether every answer is one that it describes."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from gateway.supervisor.background import RunningStack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


async def test_every_answer_is_described(stack: RunningStack, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "schemathesis.cli", "run", f"{stack.http}/openapi.json", "--checks", CHECKS,
        "--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--no-color",
        "--exclude-path", "/v1/chat/completions", "--request-timeout", "60",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path, env=os.environ | {"COLUMNS": "120"},
    )  # fmt: skip
    text, _ = await process.communicate()
    assert process.returncode == 0, text.decode()[-6000:]
