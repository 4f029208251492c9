"""Weights of a Llama-family model as a GGUF file stores them, without a change of value.

Every block-quantised format that is read here is brought to one form, `BlockMatrix`:

    w[n, k] = scale[n, b] * (code[n, k] - 2 ** (bits - 1)) + offset[n, b],   b = k // block

which is exact for Q4_0, Q4_1 and Q8_0. The layout of the blocks is that of the GGUF specification.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader
from numpy.typing import NDArray

Floats = NDArray[np.float32]
BLOCK = 32


class UnsupportedWeights(ValueError):
    """The file holds an architecture or a tensor format that cannot be mapped exactly."""


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """A matrix of `rows` x `columns` weights in blocks along the columns.

    codes: uint8 [rows, blocks, BLOCK], 0 <= code < 2 ** bits. scale: float32 [rows, blocks].
    offset: float32 [rows, blocks], or None where every block is centred on code 2 ** (bits - 1).
    """

    bits: int
    codes: NDArray[np.uint8]
    scale: Floats
    offset: Floats | None = None

    @property
    def rows(self) -> int:
        return int(self.codes.shape[0])

    @property
    def columns(self) -> int:
        return int(self.codes.shape[1] * self.codes.shape[2])

    def floats(self) -> Floats:
        """The weights as float32 [rows, columns]."""
        centred = self.codes.astype(np.float32) - np.float32(2 ** (self.bits - 1))
        dense = centred * self.scale[..., None]
        if self.offset is not None:
            dense += self.offset[..., None]
        return dense.reshape(self.rows, self.columns)

    def take(self, rows: NDArray[np.int64]) -> "BlockMatrix":
        """The same matrix with its rows in another order."""
        offset = None if self.offset is None else self.offset[rows]
        return BlockMatrix(self.bits, self.codes[rows], self.scale[rows], offset)


def stack(*parts: BlockMatrix) -> BlockMatrix:
    """One matrix from several with the same input: their rows one after the other."""
    if len({(part.bits, part.columns) for part in parts}) != 1:
        raise UnsupportedWeights("matrices that share an input differ in bits or columns")
    offset = None
    if any(part.offset is not None for part in parts):
        offset = np.concatenate([np.zeros_like(p.scale) if p.offset is None else p.offset for p in parts])
    codes = np.concatenate([part.codes for part in parts])
    return BlockMatrix(parts[0].bits, codes, np.concatenate([part.scale for part in parts]), offset)


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """Sizes and constants of the architecture."""

    layers: int
    width: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    context: int
    rope_base: float
    norm_epsilon: float


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer block. Rows of q and k are in half-split rotary order (see `_half_split`)."""

    attention_norm: Floats
    q: BlockMatrix
    k: BlockMatrix
    v: BlockMatrix
    o: BlockMatrix
    mlp_norm: Floats
    gate: BlockMatrix
    up: BlockMatrix
    down: BlockMatrix


@dataclass(frozen=True, slots=True)
class LlamaWeights:
    """A whole model; `head` is the embedding itself where the file ties the two."""

    shape: LlamaShape
    embedding: BlockMatrix
    layers: tuple[Layer, ...]
    final_norm: Floats
    head: BlockMatrix
    metadata: Mapping[str, Any]


def read_gguf(path: Path) -> LlamaWeights:
    """Read a GGUF file of architecture `llama`.

    Raises UnsupportedWeights for another architecture, scaled rotary positions, biases, or a tensor
    format without an exact mapping.
    """
    reader = GGUFReader(str(path))
    metadata = {key: field.contents() for key, field in reader.fields.items()}
    if metadata.get("general.architecture") != "llama":
        raise UnsupportedWeights(f"architecture {metadata.get('general.architecture')!r} is not llama")
    if any(key.startswith("llama.rope.scaling") for key in metadata):
        raise UnsupportedWeights("scaled rotary positions are not supported")
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    surplus = [name for name in tensors if name.endswith(".bias") or name.startswith("rope_")]
    if surplus:
        raise UnsupportedWeights(f"tensors that the graph has no place for: {', '.join(surplus)}")
    embedding = _matrix(tensors["token_embd.weight"])
    shape = _shape(metadata, vocabulary=embedding.rows)
    return LlamaWeights(
        shape=shape,
        embedding=embedding,
        layers=tuple(_layer(tensors, shape, index) for index in range(shape.layers)),
        final_norm=_vector(tensors["output_norm.weight"]),
        head=_matrix(tensors["output.weight"]) if "output.weight" in tensors else embedding,
        metadata=metadata,
    )


def _shape(metadata: Mapping[str, Any], *, vocabulary: int) -> LlamaShape:
    heads = int(metadata["llama.attention.head_count"])
    width = int(metadata["llama.embedding_length"])
    head_size = int(metadata.get("llama.attention.key_length", width // heads))
    if int(metadata.get("llama.rope.dimension_count", head_size)) != head_size:
        raise UnsupportedWeights("rotary positions on a part of the head are not supported")
    return LlamaShape(
        layers=int(metadata["llama.block_count"]),
        width=width,
        hidden=int(metadata["llama.feed_forward_length"]),
        heads=heads,
        kv_heads=int(metadata.get("llama.attention.head_count_kv", heads)),
        head_size=head_size,
        vocabulary=vocabulary,
        context=int(metadata["llama.context_length"]),
        rope_base=float(metadata.get("llama.rope.freq_base", 10000.0)),
        norm_epsilon=float(metadata["llama.attention.layer_norm_rms_epsilon"]),
    )


def _layer(tensors: Mapping[str, Any], shape: LlamaShape, index: int) -> Layer:
    def matrix(name: str) -> BlockMatrix:
        return _matrix(tensors[f"blk.{index}.{name}.weight"])

    def vector(name: str) -> Floats:
        return _vector(tensors[f"blk.{index}.{name}.weight"])

    return Layer(
        attention_norm=vector("attn_norm"),
        q=matrix("attn_q").take(_half_split(shape.heads, shape.head_size)),
        k=matrix("attn_k").take(_half_split(shape.kv_heads, shape.head_size)),
        v=matrix("attn_v"),
        o=matrix("attn_output"),
        mlp_norm=vector("ffn_norm"),
        gate=matrix("ffn_gate"),
        up=matrix("ffn_up"),
        down=matrix("ffn_down"),
    )


def _half_split(heads: int, head_size: int) -> NDArray[np.int64]:
    """Row order that undoes GGUF's interleaving of q and k.

    GGUF stores the pair (i, i + head_size / 2) of a head at rows (2i, 2i + 1), for interleaved rotation;
    taking even rows first, then odd ones, gives back the order in which the two halves rotate together.
    """
    within = np.concatenate([np.arange(0, head_size, 2), np.arange(1, head_size, 2)])
    rows: NDArray[np.int64] = (np.arange(heads)[:, None] * head_size + within).reshape(-1)
    return rows


def _vector(tensor: Any) -> Floats:
    if tensor.tensor_type != GGMLQuantizationType.F32:
        raise UnsupportedWeights(f"{tensor.name} is {tensor.tensor_type.name}; only F32 vectors are read")
    return np.array(tensor.data, dtype=np.float32)


def _matrix(tensor: Any) -> BlockMatrix:
    unpack = _FORMATS.get(tensor.tensor_type)
    if unpack is None:
        known = ", ".join(kind.name for kind in _FORMATS)
        raise UnsupportedWeights(f"{tensor.name} is {tensor.tensor_type.name}; read exactly are {known}")
    columns, rows = (int(size) for size in tensor.shape)
    return unpack(np.asarray(tensor.data).reshape(rows, columns // BLOCK, -1))


def _half(data: NDArray[np.uint8], start: int) -> Floats:
    """The float16 at byte `start` of every block."""
    return np.ascontiguousarray(data[..., start : start + 2]).view(np.float16)[..., 0].astype(np.float32)


def _nibbles(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """16 bytes a block: weights 0-15 in the low halves, 16-31 in the high ones."""
    return np.concatenate([data & 15, data >> 4], axis=-1)


def _q4_0(data: NDArray[np.uint8]) -> BlockMatrix:
    return BlockMatrix(4, _nibbles(data[..., 2:]), _half(data, 0))


def _q4_1(data: NDArray[np.uint8]) -> BlockMatrix:
    scale, minimum = _half(data, 0), _half(data, 2)
    return BlockMatrix(4, _nibbles(data[..., 4:]), scale, minimum + 8 * scale)


def _q8_0(data: NDArray[np.uint8]) -> BlockMatrix:
    return BlockMatrix(8, np.ascontiguousarray(data[..., 2:]) ^ np.uint8(128), _half(data, 0))


_FORMATS: dict[GGMLQuantizationType, Callable[[NDArray[np.uint8]], BlockMatrix]] = {
    GGMLQuantizationType.Q4_0: _q4_0,
    GGMLQuantizationType.Q4_1: _q4_1,
    GGMLQuantizationType.Q8_0: _q8_0,
}
