"""The reader as a torch module: a BERT encoder over packed rows, then start, end and null logits per field."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from exporters.extractor.mixture import LONGEST_SPAN, MOST_FIELDS, Example, padded

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
RANK = 96
FAR = -1e4


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded rows: `ids`, `part` (0 schema, 1 text) and `there` (B, T); `markers`, `asked` and `many` (B, F);
    `right` (B, F, T, LONGEST_SPAN) is true at [first token, length - 1] of every answer."""

    ids: Tensor
    part: Tensor
    there: Tensor
    markers: Tensor
    asked: Tensor
    many: Tensor
    right: Tensor


def collate(examples: Sequence[Example]) -> Batch:
    """Rows padded to one length and one number of fields."""
    rows, length = len(examples), padded(max(example.tokens for example in examples))
    most = MOST_FIELDS
    ids, part = torch.zeros(rows, length, dtype=torch.long), torch.zeros(rows, length, dtype=torch.long)
    there = torch.zeros(rows, length, dtype=torch.bool)
    markers = torch.zeros(rows, most, dtype=torch.long)
    asked, many = torch.zeros(rows, most, dtype=torch.bool), torch.zeros(rows, most, dtype=torch.bool)
    right = torch.zeros(rows, most, length, LONGEST_SPAN, dtype=torch.bool)
    for index, example in enumerate(examples):
        row, fields = example.row, len(example.answers)
        ids[index, : len(row.ids)] = torch.from_numpy(row.ids)
        there[index, : len(row.ids)] = True
        part[index, row.first : row.last] = 1
        markers[index, :fields] = torch.from_numpy(row.markers)
        asked[index, :fields] = True
        many[index, :fields] = torch.tensor(example.many)
        for field, answers in enumerate(example.answers):
            for first, last in answers:
                right[index, field, first, last - first] = True
    return Batch(ids, part, there, markers, asked, many, right)


class Layer(nn.Module):
    """One post-norm transformer layer. (B, T, D) -> (B, T, D)."""

    def __init__(self, width: int, *, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        query, key, value = (part(x).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        # Written out: the fused kernel's backward pass is slower than this on a CPU.
        scores = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5 + mask
        read = torch.softmax(scores, -1).to(value.dtype) @ value
        x = self.norm1(x + self.out(read.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Reader(nn.Module):
    """Packed rows -> logits of where each field's answer starts and ends, and of it being absent.

    The word table is frozen: names of unseen schemas need the words that training rarely shows. The marker tokens
    learn an addition to their rows.
    """

    def __init__(self, config: dict[str, Any], *, marks: tuple[int, ...]) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.mark_ids = marks
        self.words = nn.Embedding(config["vocab_size"], width)
        self.words.weight.requires_grad_(False)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.marks = nn.Parameter(torch.zeros(len(marks), width))
        self.layers = nn.ModuleList(
            Layer(width, heads=config["num_attention_heads"], inner=config["intermediate_size"])
            for _ in range(config["num_hidden_layers"])
        )
        self.head_asks = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2 * RANK))
        self.head_holds = nn.Linear(width, 2 * RANK)
        self.head_edges = nn.Linear(width, 2)
        self.head_null = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def encode(self, ids: Tensor, part: Tensor, there: Tensor) -> Tensor:
        """(B, T) columns -> (B, T, D)."""
        x = self.words(ids) + self.places.weight[: ids.shape[1]] + self.kinds(part)
        for index, mark in enumerate(self.mark_ids):
            x = x + (ids == mark)[..., None] * self.marks[index]
        x, mask = self.norm(x), torch.where(there, 0.0, FAR)[:, None, None]
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(self, ids: Tensor, part: Tensor, there: Tensor, markers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of start (B, F, T) and end (B, F, T), far below zero outside the text, and of null (B, F)."""
        x = self.encode(ids, part, there)
        field = x.gather(1, markers[..., None].expand(-1, -1, x.shape[-1]))
        asks, holds = self.head_asks(field), self.head_holds(x)
        edges = [
            (asks[..., at : at + RANK] @ holds[..., at : at + RANK].transpose(1, 2)).float() * RANK**-0.5
            for at in (0, RANK)
        ]
        own, outside = self.head_edges(x).float(), torch.where(part == 1, 0.0, FAR)
        start, end = (edge + own[:, None, :, side] + outside[:, None] for side, edge in enumerate(edges))
        return start, end, self.head_null(field).squeeze(-1).float()


def from_base(folder: Path, *, marks: tuple[int, ...]) -> Reader:
    """A reader on the weights of a BERT encoder (`config.json`, `model.safetensors`); the heads are new."""
    config = json.loads((folder / "config.json").read_text())
    model = Reader(config, marks=marks)
    weights = {name.removeprefix("bert."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    state = model.state_dict()
    state["words.weight"] = weights["embeddings.word_embeddings.weight"]
    state["places.weight"] = weights["embeddings.position_embeddings.weight"]
    state["kinds.weight"] = weights["embeddings.token_type_embeddings.weight"]
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
        for index in range(config["num_hidden_layers"]):
            for own, theirs in NAMES.items():
                state[f"layers.{index}.{own}.{part}"] = weights[f"encoder.layer.{index}.{theirs}.{part}"]
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    return model


def spans(start: Tensor, end: Tensor) -> Tensor:
    """(B, F, T) start and end logits -> (B, F, T, LONGEST_SPAN) of every span by first token and length."""
    reach = functional.pad(end, (0, LONGEST_SPAN - 1), value=2 * FAR).unfold(-1, LONGEST_SPAN, 1)
    return start[..., None] + reach


def loss(start: Tensor, end: Tensor, null: Tensor, batch: Batch) -> Tensor:
    """Conditional logit over all spans and null, averaged over fields.

    A field with one value: the probability of any of its places, or of null. A list: every place against null and all
    that is not right, and null against all that is not right, so that null is the threshold (as ATLOP, Zhou 2021).
    """
    flat = spans(start, end).flatten(2)
    right, present = batch.right.flatten(2), batch.right.flatten(2).any(-1)
    good = flat.masked_fill(~right, 2 * FAR).logsumexp(-1)
    bad = torch.logaddexp(flat.masked_fill(right, 2 * FAR).logsumexp(-1), null)
    whole = torch.logaddexp(good, bad)
    single = whole - torch.where(present, good, null)
    each = functional.softplus(bad[..., None] - flat).masked_fill(~right, 0).sum(-1) / right.sum(-1).clamp(min=1)
    several = each + bad - null
    value = torch.where(batch.many, several, single)
    return value[batch.asked].mean()
