"""Every command and program of the README runs as it is written there, only the ports differ."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.supervisor.background import RunningStack

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVICES = {"classifier": 50051, "extractor": 50052, "forecaster": 50053, "llm": 50054, "gateway": 50050}
PLACEHOLDER = '"..."'


def programs() -> list[str]:
    """Python blocks; later ones use the imports of the first."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    header = "import grpc\nfrom quartet.v1 import common_pb2\n"
    return [header + block for block in blocks]


def commands() -> list[str]:
    """Indented commands of the shell that ask a running stack."""
    text = README.replace(" \\\n", " ")
    found: list[str] = []
    for block in re.findall(r"(?:^    .+\n)+", text, re.MULTILINE):
        lines = [line[4:] for line in block.splitlines()]
        if lines[0].startswith(("curl", "buf curl")) or re.match(
            r"quartet (decide|extract|forecast|generate)", lines[0]
        ):
            joined = "\n".join(lines)
            found += re.split(r"\n(?=curl |quartet |buf )", joined)
    return [command for command in found if PLACEHOLDER not in command]


def local(text: str, stack: RunningStack) -> str:
    """The same text with the ports of the test's stack."""
    for name, port in SERVICES.items():
        text = text.replace(f"127.0.0.1:{port}", getattr(stack, name))
    return text.replace("127.0.0.1:8080", stack.http.removeprefix("http://"))


def environment(stack: RunningStack) -> dict[str, str]:
    own = {f"QUARTET_CLI_{name.upper()}": getattr(stack, name) for name in SERVICES}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **own, "PATH": path}


@pytest.mark.parametrize("number", range(len(programs())))
def test_programs(stack: RunningStack, number: int) -> None:
    code = local(programs()[number], stack)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("command", commands(), ids=lambda c: " ".join(c.split()[:3]))
def test_commands(stack: RunningStack, command: str) -> None:
    if command.startswith("curl"):
        assert shutil.which("curl"), "the README's examples need curl"
        command = command.replace("curl -s", "curl -sS --fail-with-body", 1)
    done = subprocess.run(
        ["bash", "-c", local(command, stack)], capture_output=True, text=True, timeout=100, env=environment(stack)
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert done.stdout.strip()


def test_the_readme_has_an_example_of_each_kind_for_each_service() -> None:
    assert len(programs()) == 4
    for tool, least in (("quartet ", 4), ("curl ", 4), ("buf curl ", 4)):
        assert sum(command.startswith(tool) for command in commands()) >= least
