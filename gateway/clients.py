"""Channels to the four services, and the calls that the edge makes on them."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from quartet.v1 import (
    classifier_pb2,
    classifier_pb2_grpc,
    common_pb2,
    extractor_pb2,
    extractor_pb2_grpc,
    forecaster_pb2,
    forecaster_pb2_grpc,
    llm_pb2,
    llm_pb2_grpc,
)
from services.runtime.server import channel_options
from services.runtime.telemetry.rpc import outgoing

SERVICES: Final = ("classifier", "extractor", "forecaster", "llm")
MAX_MESSAGE_BYTES: Final = 16 << 20
CALL_S: Final = 60.0
"""Deadline of a call that answers once."""
GENERATE_S: Final = 600.0
"""Deadline of a generation, which shows progress while it runs."""
PROBE_S: Final = 2.0
"""Deadline of a health check or a listing: these never wait for a model."""

# A service that was restarted must be found again at once, not after the default two minutes.
_RECONNECT: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]
_STUBS: Final[dict[str, Any]] = {
    "classifier": classifier_pb2_grpc.ClassifierServiceStub,
    "extractor": extractor_pb2_grpc.ExtractorServiceStub,
    "forecaster": forecaster_pb2_grpc.ForecasterServiceStub,
    "llm": llm_pb2_grpc.LlmServiceStub,
}


class Clients:
    """One channel per service; connects at the first call and again whenever a service comes back.

    Must be made on the event loop that uses it. All calls raise `grpc.aio.AioRpcError`; a service that is away fails
    the call at once instead of holding it. `request_id` goes along as `x-request-id`, with the current trace.
    """

    def __init__(self, targets: Mapping[str, str], *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        """`targets` maps each name of `SERVICES` to a gRPC target such as `127.0.0.1:50051` or `dns:///name:50051`."""
        options = [*channel_options(max_message_bytes), *_RECONNECT]
        self._channels = {name: grpc.aio.insecure_channel(targets[name], options=options) for name in SERVICES}
        self._health: dict[str, Any] = {
            name: health_pb2_grpc.HealthStub(channel) for name, channel in self._channels.items()
        }
        stubs = {name: _STUBS[name](channel) for name, channel in self._channels.items()}
        self.classifier: Any = stubs["classifier"]
        self.extractor: Any = stubs["extractor"]
        self.forecaster: Any = stubs["forecaster"]
        self.llm: Any = stubs["llm"]
        self._stubs = stubs

    async def decide(
        self, request: classifier_pb2.DecideRequest, *, request_id: str = ""
    ) -> classifier_pb2.DecideResponse:
        """All answers of a request, within a minute."""
        reply = await self.classifier.Decide(request, timeout=CALL_S, metadata=_metadata(request_id))
        return cast(classifier_pb2.DecideResponse, reply)

    async def extract(
        self, request: extractor_pb2.ExtractRequest, *, request_id: str = ""
    ) -> extractor_pb2.ExtractResponse:
        """All fields of a request, within a minute."""
        reply = await self.extractor.Extract(request, timeout=CALL_S, metadata=_metadata(request_id))
        return cast(extractor_pb2.ExtractResponse, reply)

    async def forecast(
        self, request: forecaster_pb2.ForecastRequest, *, request_id: str = ""
    ) -> forecaster_pb2.ForecastResponse:
        """All forecasts of a request, within a minute."""
        reply = await self.forecaster.Forecast(request, timeout=CALL_S, metadata=_metadata(request_id))
        return cast(forecaster_pb2.ForecastResponse, reply)

    async def estimate(
        self, request: forecaster_pb2.EstimateRequest, *, request_id: str = ""
    ) -> forecaster_pb2.EstimateResponse:
        """All estimates of a request, within a minute."""
        reply = await self.forecaster.Estimate(request, timeout=CALL_S, metadata=_metadata(request_id))
        return cast(forecaster_pb2.EstimateResponse, reply)

    async def generate(
        self, request: llm_pb2.GenerateRequest, *, request_id: str = ""
    ) -> AsyncGenerator[llm_pb2.GenerateResponse, None]:
        """The text as it is written; closing the iterator early cancels the call."""
        call = self.llm.Generate(request, timeout=GENERATE_S, metadata=_metadata(request_id))
        try:
            async for piece in call:
                yield piece
        finally:
            call.cancel()

    async def models(self, service: str) -> list[common_pb2.Model]:
        """All models of a service, in order of id."""
        found: list[common_pb2.Model] = []
        token = ""
        while True:
            page = await self._stubs[service].ListModels(
                common_pb2.ListModelsRequest(page_token=token), timeout=PROBE_S, metadata=_metadata("")
            )
            found += page.models
            token = page.next_page_token
            if not token:
                return found

    async def health(self, service: str) -> str:
        """SERVING, NOT_SERVING, or UNREACHABLE when the service does not answer."""
        try:
            reply = await self._health[service].Check(health_pb2.HealthCheckRequest(), timeout=PROBE_S)
        except grpc.aio.AioRpcError:
            return "UNREACHABLE"
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(reply.status))

    async def close(self) -> None:
        """Ends all calls and closes the channels."""
        await asyncio.gather(*(channel.close() for channel in self._channels.values()))


def _metadata(request_id: str) -> tuple[tuple[str, str], ...]:
    return outgoing({"x-request-id": request_id} if request_id else None)
