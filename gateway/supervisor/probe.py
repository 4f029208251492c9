"""Asks a process whether it serves."""

import asyncio
from typing import Any
from urllib.request import urlopen

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gateway.supervisor.addresses import Address
from gateway.supervisor.plan import ChildSpec

TIMEOUT_S = 2.0


async def serves(spec: ChildSpec) -> bool:
    """Whether the process answers as ready on every address it has."""
    if spec.probe == "tcp":
        return await _accepts(spec.address)
    if not await _healthy(spec.address):
        return False
    return spec.http is None or await asyncio.to_thread(_answers, spec.http)


async def _accepts(address: Address) -> bool:
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(address.host, address.port), TIMEOUT_S)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def _healthy(address: Address) -> bool:
    # A channel of its own for each question: a shared one would wait longer and longer before it connects again.
    async with grpc.aio.insecure_channel(str(address), options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            reply = await stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        except grpc.aio.AioRpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def _answers(address: Address) -> bool:
    try:
        with urlopen(f"http://{address}/healthz", timeout=TIMEOUT_S) as reply:
            return bool(reply.status == 200)
    except (OSError, ValueError):
        return False
