"""A grpc.aio server with our limits, the standard services and one edge interceptor."""

from __future__ import annotations

import grpc
from grpc_reflection.v1alpha import reflection

from services.runtime.health import Readiness
from services.runtime.interceptors import EdgeInterceptor


def channel_options(max_message_bytes: int) -> list[tuple[str, int | str]]:
    """Options of a client channel: the server's message limits, and dead links found within half a minute."""
    return [
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.lb_policy_name", "round_robin"),
    ]


async def build_server(service: str, readiness: Readiness, *, max_message_bytes: int) -> grpc.aio.Server:
    """A server with health and reflection for `service`, not started; add the servicer and a port."""
    server = grpc.aio.server(
        interceptors=[EdgeInterceptor()],
        options=[
            ("grpc.max_send_message_length", max_message_bytes),
            ("grpc.max_receive_message_length", max_message_bytes),
            ("grpc.so_reuseport", 0),  # a second process on the port must fail, not share it silently
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            # Clients reconnect now and then, so that new replicas get their share.
            ("grpc.max_connection_age_ms", 30 * 60_000),
            ("grpc.max_connection_age_grace_ms", 5 * 60_000),
        ],
    )
    await readiness.register(server)
    names = (service, "grpc.health.v1.Health", reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    return server
