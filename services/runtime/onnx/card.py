"""Model cards: the contract between whoever exports a model and the service that runs it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

CARD = "card.json"


class CardError(ValueError):
    """A model folder whose card is missing, incomplete or does not match its files."""


@dataclass(frozen=True, slots=True)
class BaseWeights:
    """Weights that a model was made from."""

    name: str
    license: str
    sha256: str
    source: str = ""
    """Package and version that carries them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a model is, what it was made from, what it takes and how good it is."""

    name: str
    version: str
    description: str
    license: str
    released: str
    """YYYY-MM-DD."""
    aliases: tuple[str, ...] = ()
    base: tuple[BaseWeights, ...] = ()
    training_data: tuple[str, ...] = ()
    limits: dict[str, int] = field(default_factory=dict)
    calibration: dict[str, Any] = field(default_factory=dict)
    quality: dict[str, float] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """File name -> sha256."""
    exporter: dict[str, Any] = field(default_factory=dict)
    """How it was made: command, commit, seed, steps."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Facts of one kind of model, for example a chat template."""

    @property
    def id(self) -> str:
        """Versioned id, `name-version`."""
        return f"{self.name}-{self.version}"

    @classmethod
    def load(cls, folder: Path) -> Card:
        """Read the card of a model folder; raises CardError with what is wrong."""
        path = folder / CARD
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CardError(f"{path}: {error}") from error
        known = {f.name for f in fields(cls)}
        if not isinstance(raw, dict) or set(raw) - known:
            raise CardError(f"{path}: unknown keys {sorted(set(raw) - known)}")
        try:
            card = cls(**_tuples(raw))
        except TypeError as error:
            raise CardError(f"{path}: {error}") from error
        if card.id != folder.name:
            raise CardError(f"{path}: the card says {card.id}, the folder {folder.name}")
        return card

    def save(self, folder: Path) -> None:
        """Write the card into a model folder."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")

    def verify(self, folder: Path) -> None:
        """Raise CardError unless every listed file is there with its sha256."""
        for name, expected in self.files.items():
            path = folder / name
            if not path.is_file():
                raise CardError(f"{path} is missing")
            if sha256(path) != expected:
                raise CardError(f"{path} does not have the sha256 of its card")


def sha256(path: Path) -> str:
    """Hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    out = dict(raw)
    out["base"] = tuple(BaseWeights(**b) for b in raw.get("base", ()))
    out["aliases"] = tuple(raw.get("aliases", ()))
    out["training_data"] = tuple(raw.get("training_data", ()))
    return out
