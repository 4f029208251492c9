"""A plain BERT encoder in torch, small enough to export without surprises."""

import json
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

_EMBEDDINGS = {
    "words.weight": "embeddings.word_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "kinds.weight": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
_LAYER = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mix": "attention.output.dense",
    "norm_mix": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "norm_out": "output.LayerNorm",
}


class ByteEmbedding(nn.Module):
    """An embedding table in int8 with one scale per row: a quarter of the size, error below half a step per row."""

    def __init__(self, table: nn.Embedding) -> None:
        super().__init__()
        weight = table.weight.detach()
        scale = weight.abs().amax(1, keepdim=True).clamp_min(1e-12) / 127
        self.register_buffer("rows", (weight / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, ids: Tensor) -> Tensor:
        """ids of any shape to that shape + [width]."""
        rows, scale = self.get_buffer("rows"), self.get_buffer("scale")
        return nn.functional.embedding(ids, rows).float() * nn.functional.embedding(ids, scale)


class Dense(nn.Module):
    """A linear map that keeps its weight as [inputs, outputs], the layout in which the quantiser finds it."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(inputs, outputs)), nn.Parameter(torch.empty(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """[..., inputs] to [..., outputs]."""
        return x @ self.weight + self.bias


class Layer(nn.Module):
    """One transformer block, normalised after each half."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.mix = (Dense(width, width) for _ in range(4))
        self.norm_mix, self.norm_out = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
        self.widen, self.narrow = Dense(width, inner), Dense(inner, width)

    def forward(self, hidden: Tensor) -> Tensor:
        """[rows, tokens, width] to the same shape."""
        rows, tokens, width = hidden.shape
        per_head = width // self.heads

        def split(x: Tensor) -> Tensor:
            return x.view(rows, tokens, self.heads, per_head).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        weights = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(per_head), -1)
        mixed = (weights @ value).transpose(1, 2).reshape(rows, tokens, width)
        hidden = self.norm_mix(hidden + self.mix(mixed))
        out: Tensor = self.norm_out(hidden + self.narrow(nn.functional.gelu(self.widen(hidden))))
        return out


class Encoder(nn.Module):
    """Token ids of texts of one length to one vector per token.

    There is no attention mask: rows are never padded, because a text is always run alone.
    """

    def __init__(self, *, vocabulary: int, positions: int, width: int, heads: int, inner: int, layers: int) -> None:
        super().__init__()
        self.words: nn.Embedding | ByteEmbedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.kinds, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))

    def forward(self, ids: Tensor) -> Tensor:
        """ids [rows, tokens] int64 to vectors [rows, tokens, width] float32."""
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden: Tensor = self.norm(self.words(ids) + self.positions(places)[None] + self.kinds.weight[0])
        for layer in self.layers:
            hidden = layer(hidden)
        return hidden


def load(folder: Path) -> Encoder:
    """Reads config.json and model.safetensors of a BERT checkpoint."""
    config = json.loads((folder / "config.json").read_text())
    encoder = Encoder(
        vocabulary=config["vocab_size"],
        positions=config["max_position_embeddings"],
        width=config["hidden_size"],
        heads=config["num_attention_heads"],
        inner=config["intermediate_size"],
        layers=config["num_hidden_layers"],
    )
    stored = {name.removeprefix("bert."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    names = dict(_EMBEDDINGS)
    for index in range(config["num_hidden_layers"]):
        for own, theirs in _LAYER.items():
            for part in ("weight", "bias"):
                names[f"layers.{index}.{own}.{part}"] = f"encoder.layer.{index}.{theirs}.{part}"
    dense = {f"{name}.weight" for name, part in encoder.named_modules() if isinstance(part, Dense)}
    encoder.load_state_dict(
        {own: stored[theirs].T if own in dense else stored[theirs] for own, theirs in names.items()}
    )
    encoder.eval()
    return encoder
