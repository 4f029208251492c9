"""`python -m services.forecaster`: the forecaster alone."""

from functools import partial
from pathlib import Path

import grpc

from quartet.v1.forecaster_pb2_grpc import add_ForecasterServiceServicer_to_server
from services.forecaster.config import WEIGHTS, ForecasterConfig
from services.forecaster.estimation.model import Estimator
from services.forecaster.model import Forecaster
from services.forecaster.servicer import ForecasterServicer, Models
from services.runtime.lifecycle import Host, ServiceSpec, main
from services.runtime.onnx.card import Card
from services.runtime.onnx.registry import Registry
from services.runtime.onnx.threads import cpu_threads


def load(config: ForecasterConfig) -> Models:
    """Load every model folder."""
    threads = config.threads or cpu_threads()
    loader = partial(_load, threads=threads, provider=config.provider)
    return Registry(config.weights_root(WEIGHTS), loader, default=config.model)


def _load(folder: Path, card: Card, *, threads: int, provider: str) -> Forecaster | Estimator:
    # Only the estimator's cards say how large its tokens are.
    if "token" in card.extra:
        return Estimator.load(folder, card, threads=threads, provider=provider)
    return Forecaster.load(folder, card, threads=threads, provider=provider)


def register(server: grpc.aio.Server, host: Host[ForecasterConfig, Models]) -> None:
    """Add the servicer to a server."""
    add_ForecasterServiceServicer_to_server(ForecasterServicer(host), server)  # type: ignore[no-untyped-call]


SPEC = ServiceSpec(
    name="forecaster",
    service="quartet.v1.ForecasterService",
    config=ForecasterConfig,
    load=load,
    register=register,
)

if __name__ == "__main__":
    main(SPEC)
