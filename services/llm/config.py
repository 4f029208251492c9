"""Settings of the llm service."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from services.runtime.config import ConfigError, ServiceConfig, option

WEIGHTS: Final = Path(__file__).parent / "weights"
MOST_THREADS: Final = 4
"""A small model's matrices are too small to keep more cores busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmConfig(ServiceConfig):
    """Flags, and `QUARTET_LLM_*` names."""

    OWNER = "LLM"

    port: int = option(50054, "gRPC port; 0 takes a free one")
    provider: str = option("cpu", "where the model runs; its 4-bit kernels are the CPU's", choices=("cpu", "auto"))
    threads: int = option(0, "threads of one model run; 0 means the CPU quota, but at most 4. Writing is the slow step")
    queue_capacity: int = option(32, "requests held at once; more are refused instead of waiting")
    sequences: int = option(4, "texts written at the same time, a token each in turn")
    cache_tokens: int = option(8192, "tokens of all texts being written, prompts included; memory grows with use")
    prefill_tokens: int = option(128, "tokens of a prompt read at once, before the other texts get their turn")
    prefix_tokens: int = option(2048, "tokens of prompts kept for requests that begin alike, 45 KiB each; 0 keeps none")
    engine: str = option("onnx", "what writes: a model here or an OpenAI-compatible server", choices=("onnx", "openai"))
    upstream_url: str = option("", "the server's address up to and with /v1; for --engine openai")
    upstream_model: str = option("", "the name of the model there")
    upstream_key_file: str = option("", "file with the server's key; empty sends none")
    upstream_context: int = option(8192, "tokens that the model there reads and writes at most")
    upstream_connect_s: float = option(5.0, "seconds to connect to the server")
    upstream_idle_s: float = option(60.0, "longest silence of the server within an answer, in seconds")
    upstream_retries: int = option(2, "how often to ask again when the server was busy and has written nothing")

    def check(self) -> None:
        ServiceConfig.check(self)
        for name in ("sequences", "cache_tokens", "prefill_tokens"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
        if self.prefix_tokens < 0:
            raise ConfigError("prefix_tokens must not be negative")
        if self.engine == "openai":
            self._check_upstream()

    def _check_upstream(self) -> None:
        url = urlsplit(self.upstream_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ConfigError("engine openai needs upstream_url, http://... or https://...")
        if not self.upstream_model:
            raise ConfigError("engine openai needs upstream_model")
        if self.upstream_context < 1 or self.upstream_retries < 0:
            raise ConfigError("upstream_context must be at least 1 and upstream_retries not negative")
        if not (self.upstream_connect_s > 0 and self.upstream_idle_s > 0):
            raise ConfigError("upstream_connect_s and upstream_idle_s must be above 0")
