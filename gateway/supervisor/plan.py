"""Which processes `quartet up` runs, with which commands, and where each will answer."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gateway.supervisor.addresses import SERVICES, Address, Ports, parse_address
from gateway.supervisor.nats import find_nats, nats_config

NAMES = ("nats", *SERVICES, "gateway")
DEFAULTS = {
    "http": "127.0.0.1:8080",
    "gateway": "127.0.0.1:50050",
    "classifier": "127.0.0.1:50051",
    "extractor": "127.0.0.1:50052",
    "forecaster": "127.0.0.1:50053",
    "llm": "127.0.0.1:50054",
    "metrics": "127.0.0.1:9090",
    "nats": "127.0.0.1:0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """What `quartet up` was asked for.

    `addresses` holds HOST:PORT texts by name of DEFAULTS; with `free_ports` what is not given takes a free port.
    The gateway's metrics are on `metrics`, those of the services on the ports after it.
    """

    addresses: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    free_ports: bool = False
    data_dir: Path | None = None
    ready_file: Path | None = None
    cascades: Path | None = None
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """One process: its command, the address where it will answer, and the file that it writes once it does."""

    name: str
    command: tuple[str, ...]
    address: Address
    ready_file: Path | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """All processes, and the addresses for the ready file."""

    children: tuple[ChildSpec, ...]
    addresses: Mapping[str, str]
    notes: tuple[str, ...]


def check_names(only: Sequence[str]) -> tuple[str, ...]:
    """The names of `--only`. Raises ValueError for an unknown one."""
    for name in only:
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a process; known are {', '.join(NAMES)}")
    return tuple(only)


def make_plan(options: UpOptions, folder: Path) -> Plan:
    """Settles all ports and writes what the children need below `folder`. Raises ValueError and PortTaken."""
    wanted = set(check_names(options.only) or NAMES)
    ports = Ports()
    named = sorted(options.addresses, key=lambda name: name not in wanted)
    addresses = {name: _settle(options, ports, name, wanted) for name in dict.fromkeys([*named, *DEFAULTS])}
    metrics = {name: _metrics(addresses["metrics"], index, ports) for index, name in enumerate(("gateway", *SERVICES))}
    children: list[ChildSpec] = []
    notes: list[str] = []
    if "nats" in wanted:
        program = find_nats()
        if program is None:
            notes.append("nats        not installed: asynchronous work is off, everything else goes on")
            wanted.discard("nats")
        else:
            children.append(_nats(program, addresses["nats"], options.data_dir or folder))
    children += [_service(name, addresses[name], metrics[name], folder) for name in SERVICES if name in wanted]
    if "gateway" in wanted:
        children.append(_gateway(addresses, metrics["gateway"], options, folder, with_nats="nats" in wanted))
    return Plan(tuple(children), _ready(addresses, metrics["gateway"], wanted), tuple(notes))


def _settle(options: UpOptions, ports: Ports, name: str, wanted: set[str]) -> Address:
    owner = "gateway" if name in ("http", "metrics") else name
    default = "127.0.0.1:0" if options.free_ports else DEFAULTS[name]
    address = parse_address(options.addresses.get(name, default))
    # An address of something that is not started here belongs to something that runs already.
    return ports.settle(address) if owner in wanted or not address.port else address


def _metrics(first: Address, index: int, ports: Ports) -> Address:
    if index == 0:
        return first
    try:
        return ports.settle(Address(first.host, first.port + index))
    except OSError:
        return ports.settle(Address(first.host, 0))


def _nats(program: Path, address: Address, folder: Path) -> ChildSpec:
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "nats.conf"
    config.write_text(nats_config(address, folder), encoding="utf-8")
    return ChildSpec("nats", (str(program), "-c", str(config)), address)


def _service(name: str, address: Address, metrics: Address, folder: Path) -> ChildSpec:
    ready = folder / f"{name}.ready"
    command = (sys.executable, "-m", f"services.{name}", "--host", address.host, "--port", str(address.port))
    return ChildSpec(name, (*command, "--metrics-port", str(metrics.port), "--ready-file", str(ready)), address, ready)


def _gateway(
    addresses: Mapping[str, Address], metrics: Address, options: UpOptions, folder: Path, *, with_nats: bool
) -> ChildSpec:
    ready = folder / "gateway.ready"
    own = addresses["gateway"]
    command = [sys.executable, "-m", "gateway", "--host", own.host, "--port", str(own.port)]
    command += ["--http", str(addresses["http"]), "--metrics-port", str(metrics.port), "--ready-file", str(ready)]
    for name in SERVICES:
        command += [f"--{name}", str(addresses[name])]
    if with_nats:
        command += ["--nats", f"nats://{addresses['nats']}"]
    if options.cascades:
        command += ["--cascades", str(options.cascades)]
    return ChildSpec("gateway", tuple(command), own, ready)


def _ready(addresses: Mapping[str, Address], metrics: Address, wanted: set[str]) -> dict[str, str]:
    ready = {name: str(addresses[name]) for name in SERVICES if name in wanted}
    if "gateway" in wanted:
        http = f"http://{addresses['http']}"
        ready |= {"http": http, "gateway": str(addresses["gateway"]), "metrics": str(metrics)}
    if "nats" in wanted:
        ready["nats"] = f"nats://{addresses['nats']}"
    return ready
