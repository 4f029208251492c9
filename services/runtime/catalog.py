"""GetModel and ListModels, the same for every service."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from quartet.v1 import common_pb2
from services.runtime.errors import FieldViolation, InvalidField
from services.runtime.onnx.card import Card
from services.runtime.onnx.registry import Registry

PAGE = 100


def get_model(registry: Registry[Any], request: common_pb2.GetModelRequest) -> common_pb2.GetModelResponse:
    """Describe one model; raises ModelNotFound."""
    return common_pb2.GetModelResponse(model=describe(registry.card(request.model), registry.default))


def list_models(registry: Registry[Any], request: common_pb2.ListModelsRequest) -> common_pb2.ListModelsResponse:
    """A page of models in order of id; raises InvalidField for a token that no page gave."""
    cards = registry.cards()
    start = 0
    if request.page_token:
        ids = [card.id for card in cards]
        if request.page_token not in ids:
            raise InvalidField(FieldViolation("page_token", "is not a token of a page before", "unknown"))
        start = ids.index(request.page_token)
    end = start + (request.page_size or PAGE)
    return common_pb2.ListModelsResponse(
        models=[describe(card, registry.default) for card in cards[start:end]],
        next_page_token=cards[end].id if end < len(cards) else "",
    )


def describe(card: Card, default: str) -> common_pb2.Model:
    """A model card as its message."""
    model = common_pb2.Model(
        id=card.id,
        aliases=(card.name, *card.aliases),
        description=card.description,
        license=card.license,
        limits=[common_pb2.Limit(name=name, value=value) for name, value in card.limits.items()],
        quality=[common_pb2.Quality(name=name, value=value) for name, value in card.quality.items()],
        card=common_pb2.JsonValue(json=json.dumps(asdict(card), ensure_ascii=False).encode()),
        is_default=card.id == default,
    )
    model.release_time.FromDatetime(datetime.fromisoformat(card.released).replace(tzinfo=UTC))
    return model
