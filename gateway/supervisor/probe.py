"""Asks a process whether it serves.

A process of ours writes a file once it takes calls; asking it over gRPC would bring gRPC's threads into the supervisor,
which forks. The message broker is asked by connecting to it.
"""

import asyncio

from gateway.supervisor.addresses import Address
from gateway.supervisor.plan import ChildSpec

TIMEOUT_S = 2.0


async def serves(spec: ChildSpec) -> bool:
    """Whether the process takes calls."""
    if spec.ready_file is not None:
        return spec.ready_file.exists()
    return await _accepts(spec.address)


async def _accepts(address: Address) -> bool:
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(address.host, address.port), TIMEOUT_S)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
