"""The gateway process put together: clients of the services, cascade runs, gRPC and HTTP."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from gateway.cascades.http import cascade_routes
from gateway.cascades.library import Library
from gateway.cascades.servicer import CascadeRuns, CascadeServicer
from gateway.config import GatewayConfig
from gateway.http_server import HttpServer
from gateway.rest.settings import RestSettings
from quartet.v1 import classifier_pb2_grpc, extractor_pb2_grpc, forecaster_pb2_grpc, llm_pb2_grpc
from quartet.v1.cascade_pb2_grpc import add_CascadeServiceServicer_to_server
from services.runtime.errors import QuartetError
from services.runtime.lifecycle import Host
from services.runtime.server import channel_options


def load(config: GatewayConfig) -> Library:
    """Reads and checks all cascades, so that a wrong one stops the start."""
    try:
        return Library.load(Path(config.cascades) if config.cascades else None)
    except QuartetError as error:
        raise OSError(error.message) from error


@dataclass(frozen=True, slots=True)
class Clients:
    """Stubs of the four services and the channels behind them."""

    classifier: Any
    extractor: Any
    forecaster: Any
    llm: Any
    channels: tuple[grpc.aio.Channel, ...]

    @classmethod
    def connect(cls, config: GatewayConfig) -> "Clients":
        """Channels connect when they are first used and again when a service comes back."""
        options = [
            *channel_options(config.max_message_bytes),
            # A service that was restarted must be found again at once, not after the default two minutes.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2_000),
        ]
        targets = (config.classifier, config.extractor, config.forecaster, config.llm)
        channels = tuple(grpc.aio.insecure_channel(target, options=options) for target in targets)
        makers: tuple[Any, ...] = (
            classifier_pb2_grpc.ClassifierServiceStub,
            extractor_pb2_grpc.ExtractorServiceStub,
            forecaster_pb2_grpc.ForecasterServiceStub,
            llm_pb2_grpc.LlmServiceStub,
        )
        classifier, extractor, forecaster, llm = (make(ch) for make, ch in zip(makers, channels, strict=True))
        return cls(classifier, extractor, forecaster, llm, channels)

    async def close(self) -> None:
        """Closes all channels."""
        await asyncio.gather(*(channel.close() for channel in self.channels))


class Edge:
    """What the process holds between start and stop."""

    def __init__(self) -> None:
        self._clients: Clients | None = None
        self._runs: CascadeRuns | None = None

    def register(self, server: grpc.aio.Server, host: Host[GatewayConfig, Library]) -> None:
        """Adds CascadeService; calls get MODEL_LOADING until the cascades are read."""
        self._clients = Clients.connect(host.config)
        self._runs = CascadeRuns(lambda: host.model, self._clients, host.admission)
        add_CascadeServiceServicer_to_server(CascadeServicer(self._runs), server)  # type: ignore[no-untyped-call]

    async def started(self, host: Host[GatewayConfig, Library]) -> None:
        """Opens the HTTP edge; it closes before the clients do."""
        assert self._clients is not None and self._runs is not None
        http = HttpServer(build_app(host.config, self._runs), host.config.http_address())
        await http.start()
        host.on_close += [http.stop, self._clients.close]


def build_app(config: GatewayConfig, runs: CascadeRuns) -> Starlette:
    """The HTTP application."""
    settings = RestSettings(
        api_key=config.api_key or None,
        max_body_bytes=config.max_body_bytes,
        max_decoded_bytes=config.max_decoded_bytes,
    )
    return Starlette(routes=[Route("/healthz", _healthz), *cascade_routes(runs, settings)])


async def _healthz(request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok\n")
