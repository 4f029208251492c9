"""Settings of the forecaster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.runtime.config import ConfigError, ServiceConfig, option

WEIGHTS: Final = Path(__file__).parent / "weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecasterConfig(ServiceConfig):
    """Flags, and `QUARTET_FORECASTER_*` names."""

    OWNER = "FORECASTER"

    port: int = option(50053, "gRPC port; 0 takes a free one")
    batch_points: int = option(500_000, "points read and predicted by requests that share one run")
    stream_requests: int = option(32, "requests of one stream that are inside at once")

    def check(self) -> None:
        ServiceConfig.check(self)
        for name in ("batch_points", "stream_requests"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
