"""The NATS server of the wheel: where its program is and what it is told."""

import shutil
import sysconfig
from pathlib import Path

from gateway.supervisor.addresses import Address


def find_nats() -> Path | None:
    """The program in this environment's scripts folder, else on the path, else None."""
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    if beside.exists():
        return beside
    found = shutil.which("nats-server")
    return Path(found) if found else None


def nats_config(address: Address, folder: Path) -> str:
    """JetStream on, everything below `folder`."""
    return (
        'server_name: "quartet"\n'
        f'listen: "{address}"\n'
        f'pid_file: "{folder / "nats.pid"}"\n'
        "max_payload: 1MB\n"
        f'jetstream {{ store_dir: "{folder / "jetstream"}", max_memory_store: 64MB, max_file_store: 4GB }}\n'
    )
