"""Health: grpc.health.v1 for readiness, and a thread of its own for liveness and metrics.

Liveness must answer while the event loop is busy, so it does not live on the loop.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Readiness:
    """Readiness of one service under its full name and under ""."""

    def __init__(self, service: str) -> None:
        self._names = ("", service)
        self._servicer = health.aio.HealthServicer()

    async def register(self, server: grpc.aio.Server) -> None:
        """Add the standard health service, not serving yet."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        await self.set(False)

    async def set(self, ready: bool) -> None:
        """Tell watchers and probes whether the service takes calls."""
        for name in self._names:
            await self._servicer.set(name, SERVING if ready else NOT_SERVING)


class Sidecar:
    """`/metrics` and `/livez` over plain HTTP on a daemon thread."""

    def __init__(self, host: str, port: int) -> None:
        """Bind at once; port 0 takes a free one. Raises OSError when the port is taken."""
        self._server = ThreadingHTTPServer((host, port), _Pages)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="sidecar", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/metrics":
            self._reply(200, generate_latest(), CONTENT_TYPE_LATEST)
        elif self.path == "/livez":
            self._reply(200, b"ok\n", "text/plain; charset=utf-8")
        else:
            self._reply(404, b"not found\n", "text/plain; charset=utf-8")

    def _reply(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Probes are not events."""
