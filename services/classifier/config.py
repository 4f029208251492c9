"""Settings of the classifier service."""

from dataclasses import dataclass
from pathlib import Path

from services.runtime.config import ConfigError, ServiceConfig, option

WEIGHTS = Path(__file__).parent / "weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierConfig(ServiceConfig):
    """Settings of every service, and how much a run and a stream may hold."""

    OWNER = "CLASSIFIER"

    port: int = option(50051, "gRPC port; 0 takes a free one")
    batch_tokens: int = option(1024, "tokens of requests answered in one turn of the model, longest x requests")
    stream_requests: int = option(32, "requests of one stream that are inside at once")

    def check(self) -> None:
        ServiceConfig.check(self)
        for name in ("batch_tokens", "stream_requests"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
