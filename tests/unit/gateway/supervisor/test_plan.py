import socket
import sys
from pathlib import Path

import pytest

from gateway.supervisor.addresses import FREE, Address, Ports, PortTaken, parse_address
from gateway.supervisor.nats import find_nats
from gateway.supervisor.plan import UpOptions, make_plan


def test_addresses_are_read_and_shown() -> None:
    assert parse_address("0.0.0.0:80") == Address("0.0.0.0", 80)
    assert parse_address(":80") == Address("127.0.0.1", 80)
    assert str(parse_address("[::1]:80")) == "[::1]:80"


@pytest.mark.parametrize("text", ["", "80", "host", "host:", "host:x", "host:70000"])
def test_other_texts_are_not_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT"):
        parse_address(text)


def test_free_ports_are_real_and_handed_out_once() -> None:
    ports = Ports()
    found = {ports.settle(Address("127.0.0.1", 0)).port for _ in range(20)}
    assert len(found) == 20
    assert all(port in FREE for port in found)


def test_a_taken_port_is_refused() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        with pytest.raises(PortTaken, match="is taken"):
            Ports().settle(Address("127.0.0.1", holder.getsockname()[1]))


def test_everything_is_planned_on_free_ports(tmp_path: Path) -> None:
    plan = make_plan(UpOptions(free_ports=True), tmp_path)
    names = [child.name for child in plan.children]
    assert names == ["nats", "classifier", "extractor", "forecaster", "llm", "gateway"]
    assert set(plan.addresses) == {*names, "http", "metrics"}
    gateway = plan.children[-1].command
    for name in ("classifier", "extractor", "forecaster", "llm"):
        assert gateway[gateway.index(f"--{name}") + 1] == plan.addresses[name]
    assert gateway[0] == sys.executable
    assert plan.addresses["http"].startswith("http://")
    assert "jetstream" in (tmp_path / "nats.conf").read_text()


def test_only_what_is_named_is_planned_and_others_are_found_where_they_are(tmp_path: Path) -> None:
    options = UpOptions(free_ports=True, only=("gateway",), addresses={"llm": "127.0.0.1:50999"})
    plan = make_plan(options, tmp_path)
    assert [child.name for child in plan.children] == ["gateway"]
    assert set(plan.addresses) == {"gateway", "http", "metrics"}
    command = plan.children[0].command
    assert command[command.index("--llm") + 1] == "127.0.0.1:50999"
    assert "--nats" not in command


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'clasifier' is not a process"):
        make_plan(UpOptions(only=("clasifier",)), tmp_path)


def test_the_broker_comes_with_the_package() -> None:
    program = find_nats()
    assert program is not None
    assert program.exists()


def test_without_the_broker_everything_else_is_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    plan = make_plan(UpOptions(free_ports=True), tmp_path)
    assert "nats" not in [child.name for child in plan.children]
    assert "not installed" in plan.notes[0]
