"""The gateway process put together: clients of the services, cascade runs, gRPC and HTTP."""

from pathlib import Path

import grpc
from starlette.applications import Starlette

from gateway.app import create_app
from gateway.cascades.http import cascade_routes
from gateway.cascades.library import Library
from gateway.cascades.servicer import CascadeRuns, CascadeServicer
from gateway.clients import SERVICES, Clients
from gateway.config import GatewayConfig
from gateway.http_server import HttpServer
from gateway.rest.settings import RestSettings
from quartet.v1.cascade_pb2_grpc import add_CascadeServiceServicer_to_server
from services.runtime.errors import QuartetError
from services.runtime.lifecycle import Host


def load(config: GatewayConfig) -> Library:
    """Reads and checks all cascades, so that a wrong one stops the start."""
    try:
        return Library.load(Path(config.cascades) if config.cascades else None)
    except QuartetError as error:
        raise OSError(error.message) from error


class Edge:
    """What the process holds between start and stop."""

    def __init__(self) -> None:
        self._clients: Clients | None = None
        self._runs: CascadeRuns | None = None

    def register(self, server: grpc.aio.Server, host: Host[GatewayConfig, Library]) -> None:
        """Adds CascadeService; calls get MODEL_LOADING until the cascades are read."""
        self._clients = connect(host.config)
        self._runs = CascadeRuns(lambda: host.model, self._clients, host.admission)
        add_CascadeServiceServicer_to_server(CascadeServicer(self._runs), server)  # type: ignore[no-untyped-call]

    async def started(self, host: Host[GatewayConfig, Library]) -> None:
        """Opens the HTTP edge; it closes before the clients do."""
        assert self._clients is not None and self._runs is not None
        http = HttpServer(build_app(host.config, self._clients, self._runs), host.config.http_address())
        await http.start()
        host.on_close += [http.stop, self._clients.close]


def connect(config: GatewayConfig) -> Clients:
    """The clients of the services that the settings name."""
    targets = {name: str(getattr(config, name)) for name in SERVICES}
    return Clients(targets, max_message_bytes=config.max_message_bytes)


def build_app(config: GatewayConfig, clients: Clients, runs: CascadeRuns) -> Starlette:
    """The HTTP application."""
    settings = RestSettings(
        api_key=config.api_key or None,
        max_body_bytes=config.max_body_bytes,
        max_decoded_bytes=config.max_decoded_bytes,
    )
    return create_app(clients, settings, routes=cascade_routes(runs))
