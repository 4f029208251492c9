"""The float32 forward pass that the built graph is judged by: plain numpy over the dequantised weights."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from exporters.llm.weights import BlockMatrix, Floats, Layer, LlamaShape, LlamaWeights


class Reference:
    """A model with its weights as floats: four bytes a weight, so of small models only."""

    def __init__(self, weights: LlamaWeights) -> None:
        self.shape = weights.shape
        self._embedding = weights.embedding.floats()
        self._head = self._embedding if weights.head is weights.embedding else weights.head.floats()
        self._layers = tuple(_Dense.of(layer) for layer in weights.layers)
        self._final_norm = weights.final_norm

    def logits(self, tokens: NDArray[np.int64]) -> Floats:
        """Logits float32 [len(tokens), vocabulary] of one sequence, position by position."""
        cos, sin = rotary_tables(self.shape, len(tokens))
        x = self._embedding[tokens]
        for layer in self._layers:
            x = x + _attention(layer, self.shape, x, cos, sin)
            x = x + _mlp(layer, self.shape, x)
        return _rms_norm(x, self._final_norm, self.shape.norm_epsilon) @ self._head.T


@dataclass(frozen=True, slots=True)
class _Dense:
    """A layer with float matrices."""

    attention_norm: Floats
    q: Floats
    k: Floats
    v: Floats
    o: Floats
    mlp_norm: Floats
    gate: Floats
    up: Floats
    down: Floats

    @classmethod
    def of(cls, layer: Layer) -> "_Dense":
        values = {item.name: getattr(layer, item.name) for item in fields(layer)}
        return cls(**{name: v.floats() if isinstance(v, BlockMatrix) else v for name, v in values.items()})


def rotary_tables(shape: LlamaShape, positions: int) -> tuple[Floats, Floats]:
    """cos and sin, float32 [positions, head_size / 2], of the rotary positions (Su et al., 2021)."""
    frequency = shape.rope_base ** (-np.arange(0, shape.head_size, 2, dtype=np.float64) / shape.head_size)
    angle = np.arange(positions, dtype=np.float64)[:, None] * frequency
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def _rms_norm(x: Floats, gain: Floats, epsilon: float) -> Floats:
    scale: Floats = 1 / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + np.float32(epsilon))
    return x * scale * gain


def _rotate(x: Floats, cos: Floats, sin: Floats) -> Floats:
    """x: [length, heads, head_size]."""
    first, second = np.split(x, 2, axis=-1)
    cos, sin = cos[:, None], sin[:, None]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def _attention(layer: _Dense, shape: LlamaShape, x: Floats, cos: Floats, sin: Floats) -> Floats:
    length = len(x)
    normed = _rms_norm(x, layer.attention_norm, shape.norm_epsilon)
    q = _rotate((normed @ layer.q.T).reshape(length, shape.heads, -1), cos, sin)
    k = _rotate((normed @ layer.k.T).reshape(length, shape.kv_heads, -1), cos, sin)
    v = (normed @ layer.v.T).reshape(length, shape.kv_heads, -1)
    group = shape.heads // shape.kv_heads
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = np.einsum("ihd,jhd->hij", q, k, optimize=True) / np.float32(np.sqrt(shape.head_size))
    scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weight = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weight /= weight.sum(axis=-1, keepdims=True)
    mixed = np.einsum("hij,jhd->ihd", weight, v, optimize=True).reshape(length, -1)
    return np.asarray(mixed @ layer.o.T, dtype=np.float32)


def _mlp(layer: _Dense, shape: LlamaShape, x: Floats) -> Floats:
    normed = _rms_norm(x, layer.mlp_norm, shape.norm_epsilon)
    gate = normed @ layer.gate.T
    gate = gate / (1 + np.exp(-gate))
    return np.asarray((gate * (normed @ layer.up.T)) @ layer.down.T, dtype=np.float32)
