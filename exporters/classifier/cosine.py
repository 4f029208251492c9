"""The baseline that costs nothing: mean-pooled sentence vectors of the untrained encoder, compared by cosine."""

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from exporters.classifier.data import Item, Sample
from exporters.classifier.model import Decider
from services.classifier.packing import Pieces
from services.classifier.text import option_text, render

LONGEST = 254


@torch.no_grad()
def vector(model: Decider, pieces: Pieces, text: str) -> torch.Tensor:
    """(D,) unit vector of a text, of its first tokens when it is long."""
    ids = torch.tensor([pieces.state(pieces.text(text)[:LONGEST])])
    size = ids.shape[1]
    mask = torch.ones(1, 1, size, size, dtype=torch.bool)
    hidden = model.encode(ids, torch.arange(size)[None], mask)
    return functional.normalize(hidden[0].mean(0), dim=-1)


def option_texts(item: Item) -> list[str]:
    """What the state is compared with: the options, behind the question where they say little alone."""
    lead = "" if item.kind == "choice" else f"{item.instructions} "
    return [lead + option_text(name, told) for name, told in item.options]


def right(model: Decider, pieces: Pieces, samples: Sequence[Sample]) -> float:
    """Accuracy over all questions of the samples."""
    hits = []
    for sample in samples:
        state = vector(model, pieces, render(sample.state))
        for item in sample.items:
            scores = [float(state @ vector(model, pieces, text)) for text in option_texts(item)]
            hits.append(int(np.argmax(scores)) == item.answer)
    return float(np.mean(hits))
