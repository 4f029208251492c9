"""What the HTTP edge can be told. Flags and environment variables are read elsewhere; this is the result."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RestSettings:
    """Settings of the HTTP edge.

    Raises:
        ValueError: a limit or time that is not positive, or an API key that cannot stand in a header.
    """

    api_key: str | None = field(default=None, repr=False)
    """When set, every route but the health checks wants `Authorization: Bearer <key>`."""
    max_body_bytes: int = 8 << 20
    """Largest body as it comes over the wire."""
    max_decoded_bytes: int = 16 << 20
    """Largest body after Content-Encoding is undone."""

    def __post_init__(self) -> None:
        if self.max_body_bytes <= 0 or self.max_decoded_bytes <= 0:
            raise ValueError("body limits must be positive")
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable() and self.api_key):
            raise ValueError("api_key must be printable ASCII and not empty")
