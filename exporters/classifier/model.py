"""The classifier as a torch module: a small BERT encoder under a block mask, and one logit per option marker."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}
"""Part of `Layer` -> its name in BERT checkpoints."""


def block_mask(question: Tensor, option: Tensor) -> Tensor:
    """(B, T) question and option numbers -> (B, 1, T, T) bool, true where token i may read token j.

    `question`: 0 for the state, -1 for padding. `option`: 0 for a question's own words.
    """
    qi, qj, oi, oj = question[:, :, None], question[:, None, :], option[:, :, None], option[:, None, :]
    return ((qj == 0) | ((qi == qj) & (qj > 0) & ((oj == 0) | (oj == oi))))[:, None]


class Layer(nn.Module):
    """One post-norm transformer layer. (B, T, D) -> (B, T, D)."""

    def __init__(self, width: int, *, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        query, key, value = (part(x).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5 + bias
        read = torch.softmax(scores, -1).to(value.dtype) @ value
        x = self.norm1(x + self.out(read.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Decider(nn.Module):
    """Packed rows -> one logit per option marker.

    The word table is frozen: questions of unseen domains need the words that training rarely shows. The two marker
    tokens learn an addition to their rows, which export folds into the table.
    """

    def __init__(self, config: dict[str, Any], *, markers: tuple[int, int]) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.marker_ids = markers
        self.words = nn.Embedding(config["vocab_size"], width)
        self.words.weight.requires_grad_(False)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.kind = nn.Parameter(torch.zeros(width))
        self.norm = nn.LayerNorm(width, 1e-12)
        self.marks = nn.Parameter(torch.zeros(2, width))
        self.layers = nn.ModuleList(
            Layer(width, heads=config["num_attention_heads"], inner=config["intermediate_size"])
            for _ in range(config["num_hidden_layers"])
        )
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def embed(self, ids: Tensor, positions: Tensor) -> Tensor:
        """(B, T) ids and positions -> (B, T, D)."""
        mark = (ids == self.marker_ids[0])[..., None] * self.marks[0] + (ids == self.marker_ids[1])[
            ..., None
        ] * self.marks[1]
        return self.norm(self.words(ids) + self.places(positions) + self.kind + mark)

    def encode(self, ids: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids and positions, (B, 1, T, T) mask -> (B, T, D)."""
        x, bias = self.embed(ids, positions), torch.where(mask, 0.0, -1e4)
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def forward(self, ids: Tensor, positions: Tensor, question: Tensor, option: Tensor, markers: Tensor) -> Tensor:
        """(B, T) columns of packed rows, (M,) places of markers in the flattened batch -> (M,) logits."""
        x = self.encode(ids, positions, block_mask(question, option))
        logits: Tensor = self.head(x.flatten(0, 1)[markers]).squeeze(-1).float()
        return logits


def from_base(folder: Path, *, markers: tuple[int, int]) -> Decider:
    """A decider on the weights of a BERT encoder (`config.json`, `model.safetensors`); the head is new."""
    config = json.loads((folder / "config.json").read_text())
    model = Decider(config, markers=markers)
    weights = {name.removeprefix("bert."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    state = model.state_dict()
    state["words.weight"] = weights["embeddings.word_embeddings.weight"]
    state["places.weight"] = weights["embeddings.position_embeddings.weight"]
    state["kind"] = weights["embeddings.token_type_embeddings.weight"][0]
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
        for index in range(config["num_hidden_layers"]):
            for own, theirs in NAMES.items():
                state[f"layers.{index}.{own}.{part}"] = weights[f"encoder.layer.{index}.{theirs}.{part}"]
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    return model
