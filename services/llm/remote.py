"""The one model of engine `openai`, from the settings."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from services.llm.config import LlmConfig
from services.llm.upstream import Server, UpstreamModel
from services.runtime.onnx.card import Card, CardError
from services.runtime.onnx.registry import Registry

VERSION: Final = "upstream"
_CHARACTERS: Final = 8
"""Most characters of a request, per token of the context."""


class UpstreamModels(Registry[UpstreamModel]):
    """A registry without folders."""

    def __init__(self, model: UpstreamModel) -> None:
        self._cards, self._models, self._names = {}, {}, {}
        self._add(model.card, model)
        self.default = model.card.id


def upstream(config: LlmConfig) -> UpstreamModels:
    """The model that `config` names; raises CardError when its key cannot be read."""
    server = Server(
        url=config.upstream_url.rstrip("/"),
        model=config.upstream_model,
        key=_key(config.upstream_key_file),
        connect_s=config.upstream_connect_s,
        idle_s=config.upstream_idle_s,
        retries=config.upstream_retries,
    )
    return UpstreamModels(UpstreamModel(_card(config), server))


def _key(path: str) -> str:
    if not path:
        return ""
    try:
        key = Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise CardError(f"upstream_key_file cannot be read: {error}") from error
    if not key.isprintable() or not key:
        raise CardError(f"upstream_key_file {path} must hold one line with the key")
    return key


def _card(config: LlmConfig) -> Card:
    context = config.upstream_context
    return Card(
        name=config.upstream_model,
        version=VERSION,
        description="Writes on an OpenAI-compatible server.",
        license="the server's own terms",
        released=datetime.now(UTC).date().isoformat(),
        limits={"context_tokens": context, "characters": _CHARACTERS * context, "messages": 1024},
    )
