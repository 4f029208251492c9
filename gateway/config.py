"""Settings of the gateway process."""

from dataclasses import dataclass

from gateway.supervisor.addresses import Address, parse_address
from services.runtime.config import ConfigError, ServiceConfig, option


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig(ServiceConfig):
    """Where the gateway listens, and where the services are."""

    OWNER = "GATEWAY"

    port: int = option(50050, "gRPC port; 0 takes a free one")
    http: str = option("127.0.0.1:8080", "HOST:PORT of the REST edge")
    classifier: str = option(
        "127.0.0.1:50051", "HOST:PORT of the classifier, or a gRPC target such as dns:///name:port"
    )
    extractor: str = option("127.0.0.1:50052", "HOST:PORT of the extractor")
    forecaster: str = option("127.0.0.1:50053", "HOST:PORT of the forecaster")
    llm: str = option("127.0.0.1:50054", "HOST:PORT of the language model")
    nats: str = option("", "URL of the message broker; empty means no asynchronous work")
    cascades: str = option("", "folder with more cascades (*.yaml)")
    api_key: str = option("", "key that REST callers must send; empty means none", secret=True)
    max_body_bytes: int = option(8 * 1024 * 1024, "largest HTTP body as it comes over the wire")
    max_decoded_bytes: int = option(16 * 1024 * 1024, "largest HTTP body after its Content-Encoding is undone")
    queue_capacity: int = option(64, "cascade runs at once; more are refused instead of waiting")

    def check(self) -> None:
        # Explicit, since zero-argument super() does not work in a class that slots=True makes anew.
        ServiceConfig.check(self)
        for name in ("max_body_bytes", "max_decoded_bytes"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
        self.http_address()

    def http_address(self) -> Address:
        """The REST edge's address. Raises ConfigError."""
        try:
            return parse_address(self.http)
        except ValueError as error:
            raise ConfigError(f"http: {error}") from None
