"""The life of a service process: start, load, serve, drain.

The server listens before the model is loaded, so that probes are answered; calls get MODEL_LOADING until then.
On SIGTERM or SIGINT: readiness off, no new calls, calls in flight finish within `drain_s`, the model is closed last.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import grpc

from services.runtime.admission import Admission
from services.runtime.config import ConfigError, ServiceConfig
from services.runtime.errors import ModelLoading
from services.runtime.health import Readiness, Sidecar
from services.runtime.onnx.card import CardError
from services.runtime.runner import Runner
from services.runtime.server import build_server
from services.runtime.telemetry import setup

C = TypeVar("C", bound=ServiceConfig)
M = TypeVar("M")
log = logging.getLogger("quartet")


class Host(Generic[C, M]):
    """What a servicer gets: settings, the runner, admission, and the model once it is there."""

    def __init__(self, config: C) -> None:
        self.config = config
        self.runner = Runner()
        self.admission = Admission(config.queue_capacity)
        self.on_close: list[Callable[[], Awaitable[None]]] = []
        """Called after the last request and before the runner ends."""
        self._model: M | None = None

    @property
    def model(self) -> M:
        """The loaded model; raises ModelLoading before that."""
        if self._model is None:
            raise ModelLoading
        return self._model

    async def load(self, loader: Callable[[C], M]) -> None:
        """Load the model on the runner's thread."""
        self._model = await self.runner.call(loader, self.config)


@dataclass(frozen=True, slots=True)
class ServiceSpec(Generic[C, M]):
    """What makes a service of the runtime."""

    name: str
    """Short name, `classifier`."""
    service: str
    """Full gRPC name, `quartet.v1.ClassifierService`."""
    config: type[C]
    load: Callable[[C], M]
    """Loads and warms the model; blocking, runs on the runner's thread."""
    register: Callable[[grpc.aio.Server, Host[C, M]], None]
    """Adds the servicer. It is called before the model is loaded."""
    started: Callable[[Host[C, M]], Awaitable[None]] | None = field(default=None)
    """Called on the event loop once the model is loaded, before the service is ready."""


def main(spec: ServiceSpec[C, M], argv: Sequence[str] | None = None) -> None:
    """Run a service until it is told to stop; the exit status is 2 for wrong settings, 1 for a failed start."""
    try:
        config = spec.config.load(sys.argv[1:] if argv is None else argv)
    except ConfigError as error:
        print(f"{spec.name}: {error}", file=sys.stderr)
        raise SystemExit(2) from error
    setup.start_logging(spec.name, level=config.log_level, style=config.log_format)
    try:
        asyncio.run(serve(spec, config))
    except (CardError, OSError) as error:
        log.error("cannot start: %s", error)
        raise SystemExit(1) from error


async def serve(spec: ServiceSpec[C, M], config: C) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = _stop_signal()
    log.debug("settings", extra=config.shown())
    with ExitStack() as stack:
        stack.callback(setup.start(f"quartet-{spec.name}"))
        host: Host[C, M] = Host(config)
        stack.callback(host.runner.close)
        readiness = Readiness(spec.service)
        server = await build_server(spec.service, readiness, max_message_bytes=config.max_message_bytes)
        spec.register(server, host)
        port = _bind(server, config)
        sidecar = _sidecar(config, stack)
        await server.start()
        began = time.monotonic()
        try:
            await host.load(spec.load)
            if spec.started:
                await spec.started(host)
        except BaseException:
            await server.stop(grace=None)  # else grpc complains while it is collected, and hides the reason
            raise
        await readiness.set(True)
        _announce(spec.name, config, port, sidecar)
        log.info("ready", extra={"grpc": f"{config.host}:{port}", "load_s": f"{time.monotonic() - began:.2f}"})
        await stop.wait()
        await _drain(server, host, readiness)
        log.info("stopped")


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        # Process 1 of a container has no default action for SIGTERM: it must install one.
        loop.add_signal_handler(number, stop.set)
    return stop


def _bind(server: grpc.aio.Server, config: ServiceConfig) -> int:
    address = f"{config.host}:{config.port}"
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}") from error
    if not port:
        raise OSError(f"cannot listen on {address}")
    return int(port)


def _sidecar(config: ServiceConfig, stack: ExitStack) -> Sidecar | None:
    if config.metrics_port < 0:
        return None
    sidecar = Sidecar(config.host, config.metrics_port)
    stack.callback(sidecar.close)
    return sidecar


def _announce(name: str, config: ServiceConfig, port: int, sidecar: Sidecar | None) -> None:
    if not config.ready_file:
        return
    facts = {"name": name, "pid": os.getpid(), "grpc": f"{config.host}:{port}"}
    if sidecar:
        facts["metrics"] = f"{config.host}:{sidecar.port}"
    write_atomic(Path(config.ready_file), json.dumps(facts) + "\n")


def write_atomic(path: Path, text: str) -> None:
    """Write a file so that a reader sees all of it or nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


async def _drain(server: grpc.aio.Server, host: Host[C, M], readiness: Readiness) -> None:
    log.info("draining", extra={"in_flight": host.admission.held})
    await readiness.set(False)
    host.admission.close()
    if not await host.admission.drained(host.config.drain_s):
        log.warning("drain timed out", extra={"in_flight": host.admission.held})
    await server.stop(grace=1.0)
    for close in host.on_close:
        await close()
