"""The models of a service, by id and alias."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from services.runtime.errors import ModelNotFound
from services.runtime.onnx.card import CARD, Card, CardError

M = TypeVar("M")


class Registry(Generic[M]):
    """Loads every model folder under a root and finds models by id, alias, or "" for the default."""

    def __init__(self, root: Path, loader: Callable[[Path, Card], M], *, default: str = "") -> None:
        """Load all models; `default` is an id or alias, the newest version by name order when empty.

        Raises CardError when there is no model, a card is wrong, or a file does not match its sha256.
        """
        folders = sorted(p.parent for p in root.glob(f"*/{CARD}"))
        if not folders:
            raise CardError(f"no model under {root}")
        self._cards: dict[str, Card] = {}
        self._models: dict[str, M] = {}
        self._names: dict[str, str] = {}
        for folder in folders:
            card = Card.load(folder)
            card.verify(folder)
            self._add(card, loader(folder, card))
        self.default = self._resolve(default) if default else next(reversed(self._cards))

    def _add(self, card: Card, model: M) -> None:
        self._cards[card.id], self._models[card.id] = card, model
        # Folders come in name order, so a later version takes over the aliases of an earlier one.
        self._names.update(dict.fromkeys((card.name, *card.aliases, card.id), card.id))

    def _resolve(self, name: str) -> str:
        if not name:
            return self.default
        if name not in self._names:
            raise ModelNotFound(name)
        return self._names[name]

    def get(self, name: str = "") -> M:
        """The model behind an id or alias; raises ModelNotFound."""
        return self._models[self._resolve(name)]

    def card(self, name: str = "") -> Card:
        """The card behind an id or alias; raises ModelNotFound."""
        return self._cards[self._resolve(name)]

    def cards(self) -> list[Card]:
        """All cards in order of id."""
        return [self._cards[key] for key in sorted(self._cards)]

    def models(self) -> list[M]:
        """All models in order of id."""
        return [self._models[key] for key in sorted(self._models)]
