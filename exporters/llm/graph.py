"""The ONNX graph of a Llama-family model with a key/value cache, built node by node.

Inputs
    input_ids        int64 [batch, sequence]
    seqlens_k        int32 [batch]: positions of a row that are valid after this run, less one
    total_sequence_length  int32 scalar: the largest of them, plus one
    rows             int64 [n]: which of the batch * sequence positions get logits
    past_key_values.<i>.{key,value}  float32 [batch, kv_heads, past, head_size]
Outputs
    logits           float32 [n, vocabulary]
    present.<i>.{key,value}  as past; bind both to one buffer and the new positions are written in place

Block-quantised matrices stay as they are. ONNX Runtime multiplies them fast on a CPU only where a block is
centred on one integer code, so a matrix with free offsets becomes

    x @ w.T = MatMulNBits(x, codes, scale) + blocksum(x) @ offset.T

which is the same sum in another order.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from exporters.llm.reference import rotary_tables
from exporters.llm.weights import BLOCK, BlockMatrix, Layer, LlamaShape, LlamaWeights, stack

OPSET = 21
IR_VERSION = 10
CONTRIB = "com.microsoft"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How `MatMulNBits` multiplies: 0 in float32, 4 with activations rounded to int8 per block.

    Rounding the body's activations costs a small model a mean divergence of 0.007 nats, so they stay float32.
    The head has no fast float32 kernel at 8 bits: it is multiplied in int8, and then the `exact` highest logits
    of every row are computed again in float32.
    """

    body: int = 0
    head: int = 4
    exact: int = 64


@dataclass(slots=True)
class _Graph:
    """Nodes and weights gathered so far."""

    accuracy: Accuracy
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def node(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], output, domain=domain, **attributes))
        return output

    def weight(self, name: str, value: NDArray[np.generic]) -> str:
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name


def build_graph(weights: LlamaWeights, *, accuracy: Accuracy | None = None) -> onnx.ModelProto:
    """The model as ONNX; see the module for its inputs and outputs."""
    shape = weights.shape
    graph = _Graph(accuracy or Accuracy())
    _rotary(graph, shape)
    x = _embed(graph, weights)
    carried = ""
    for index, layer in enumerate(weights.layers):
        x, carried = _layer(graph, shape, layer, index, x, carried)
    x, _ = _norm(graph, shape, "final_norm", weights.final_norm, x, carried)
    picked = graph.node("Gather", [x, "rows"], "picked", axis=0)
    _head(graph, weights, picked)
    return _model(graph, shape)


def _embed(graph: _Graph, weights: LlamaWeights) -> str:
    """[batch * sequence, width] rows of the quantised embedding, whose codes a tied head shares."""
    matrix = weights.embedding
    if _gathers(matrix):
        rows = _gather(graph, "embedding", matrix, "input_ids", "embedding.rows")
    else:
        table = graph.weight("embedding.floats", matrix.floats())
        rows = graph.node("Gather", [table, "input_ids"], "embedding.rows")
    width = graph.weight("flat", np.array([-1, weights.shape.width], np.int64))
    return graph.node("Reshape", [rows, width], "embedded")


def _gathers(matrix: BlockMatrix) -> bool:
    """Whether rows of the matrix can be read without keeping a float copy of it."""
    return matrix.bits == 8 and matrix.offset is None


def _gather(graph: _Graph, name: str, matrix: BlockMatrix, ids: str, output: str) -> str:
    """Rows of the matrix as float32 [*ids, blocks, BLOCK]."""
    codes = graph.weight(f"{name}.codes", matrix.codes)
    scale = graph.weight(f"{name}.row_scale", matrix.scale[..., None])
    return graph.node(
        "GatherBlockQuantized", [codes, ids, scale], output,
        domain=CONTRIB, bits=8, block_size=BLOCK, quantize_axis=2, gather_axis=0,
    )  # fmt: skip


def _head(graph: _Graph, weights: LlamaWeights, x: str) -> None:
    """Logits of the rows of x."""
    matrix, accuracy = weights.head, graph.accuracy
    name = "embedding" if matrix is weights.embedding else "head"
    if not _gathers(matrix) or not accuracy.exact:
        _linear(graph, name, matrix, x, output="logits", accuracy=accuracy.body if matrix.bits == 4 else accuracy.head)
        return
    rough = _linear(graph, name, matrix, x, output="head.rough", accuracy=accuracy.head)
    count = graph.weight("head.count", np.array([min(accuracy.exact, matrix.rows)], np.int64))
    graph.nodes.append(helper.make_node("TopK", [rough, count], ["head.values", "head.ids"], sorted=0))
    best = _gather(graph, name, matrix, "head.ids", "head.best_blocks")
    best = graph.node("Reshape", [best, graph.weight("join_blocks", np.array([0, 0, -1], np.int64))], "head.best")
    last = graph.weight("last_axis", np.array([-1], np.int64))
    column = graph.node("Unsqueeze", [x, last], "head.column")
    exact = graph.node("Squeeze", [graph.node("MatMul", [best, column], "head.dots"), last], "head.exact")
    graph.node("ScatterElements", [rough, "head.ids", exact], "logits", axis=1)


def _rotary(graph: _Graph, shape: LlamaShape) -> None:
    cos, sin = rotary_tables(shape, shape.context)
    graph.weight("rotary.cos", cos)
    graph.weight("rotary.sin", sin)
    sizes = graph.node("Shape", ["input_ids"], "sizes")
    graph.weight("rest", np.array([-1], np.int64))
    graph.node("Concat", [sizes, "rest"], "rows_shape", axis=0)


def _layer(graph: _Graph, shape: LlamaShape, layer: Layer, index: int, x: str, carried: str) -> tuple[str, str]:
    """One block. `x` is the newest addend and `carried` the residual sum before it."""
    at = f"layer.{index}"
    normed, carried = _norm(graph, shape, f"{at}.attention_norm", layer.attention_norm, x, carried)
    qkv = _linear(graph, f"{at}.qkv", stack(layer.q, layer.k, layer.v), normed)
    mixed = _attention(graph, shape, at, index, qkv)
    x = _linear(graph, f"{at}.o", layer.o, mixed)
    normed, carried = _norm(graph, shape, f"{at}.mlp_norm", layer.mlp_norm, x, carried)
    both = _linear(graph, f"{at}.gate_up", stack(layer.gate, layer.up), normed)
    graph.nodes.append(helper.make_node("Split", [both], [f"{at}.gate", f"{at}.up"], axis=-1, num_outputs=2))
    gate = graph.node("QuickGelu", [f"{at}.gate"], f"{at}.silu", domain=CONTRIB, alpha=1.0)
    hidden = graph.node("Mul", [gate, f"{at}.up"], f"{at}.hidden")
    return _linear(graph, f"{at}.down", layer.down, hidden), carried


def _norm(
    graph: _Graph, shape: LlamaShape, name: str, gain: NDArray[np.float32], x: str, carried: str
) -> tuple[str, str]:
    """RMS norm (Zhang and Sennrich, 2019) of x + carried, and that sum."""
    gain_name = graph.weight(f"{name}.gain", gain)
    if not carried:
        graph.node(
            "SimplifiedLayerNormalization", [x, gain_name], name, axis=-1, epsilon=shape.norm_epsilon, stash_type=1
        )
        return name, x
    total = f"{name}.sum"
    graph.nodes.append(
        helper.make_node(
            "SkipSimplifiedLayerNormalization",
            [x, carried, gain_name],
            [name, "", "", total],
            name,
            domain=CONTRIB,
            epsilon=shape.norm_epsilon,
        )
    )
    return name, total


def _attention(graph: _Graph, shape: LlamaShape, at: str, index: int, qkv: str) -> str:
    rows = graph.node("Reshape", [qkv, "rows_shape"], f"{at}.qkv_rows")
    past = [f"past_key_values.{index}.{part}" for part in ("key", "value")]
    present = [f"present.{index}.{part}" for part in ("key", "value")]
    lengths = ["seqlens_k", "total_sequence_length"]
    graph.nodes.append(
        helper.make_node(
            "GroupQueryAttention",
            [rows, "", "", *past, *lengths, "rotary.cos", "rotary.sin"],
            [f"{at}.mixed_rows", *present],
            f"{at}.attention",
            domain=CONTRIB,
            num_heads=shape.heads,
            kv_num_heads=shape.kv_heads,
            do_rotary=1,
            rotary_interleaved=0,
            scale=shape.head_size**-0.5,
        )
    )
    flat = graph.weight("flat_heads", np.array([-1, shape.heads * shape.head_size], np.int64))
    return graph.node("Reshape", [f"{at}.mixed_rows", flat], f"{at}.mixed")


def _linear(
    graph: _Graph, name: str, matrix: BlockMatrix, x: str, *, output: str = "", accuracy: int | None = None
) -> str:
    """x [n, columns] times the transposed matrix."""
    output = output or f"{name}.out"
    codes = graph.weight(f"{name}.codes", matrix.codes if matrix.bits == 8 else _pack(matrix.codes))
    scale = graph.weight(f"{name}.scale", matrix.scale)
    product = graph.node(
        "MatMulNBits", [x, codes, scale], output if matrix.offset is None else f"{name}.centred", domain=CONTRIB,
        K=matrix.columns, N=matrix.rows, bits=matrix.bits, block_size=BLOCK,
        accuracy_level=graph.accuracy.body if accuracy is None else accuracy,
    )  # fmt: skip
    if matrix.offset is None:
        return product
    summing = graph.weight(
        f"block_sums.{matrix.columns}", np.repeat(np.eye(matrix.columns // BLOCK, dtype="f"), BLOCK, 0)
    )
    sums = graph.node("MatMul", [x, summing], f"{name}.sums")
    offset = graph.weight(f"{name}.offset", matrix.offset.T)
    return graph.node("Gemm", [sums, offset, product], output)


def _pack(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Two 4-bit codes a byte, the earlier one in the low half."""
    return codes[..., 0::2] | (codes[..., 1::2] << np.uint8(4))


def _model(graph: _Graph, shape: LlamaShape) -> onnx.ModelProto:
    def value(name: str, kind: int, dims: list[int | str]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, dims)

    cache: list[int | str] = ["batch", shape.kv_heads, "past", shape.head_size]
    parts = [f"{index}.{part}" for index in range(shape.layers) for part in ("key", "value")]
    inputs = [
        value("input_ids", TensorProto.INT64, ["batch", "sequence"]),
        value("seqlens_k", TensorProto.INT32, ["batch"]),
        value("total_sequence_length", TensorProto.INT32, []),
        value("rows", TensorProto.INT64, ["n"]),
        *(value(f"past_key_values.{part}", TensorProto.FLOAT, cache) for part in parts),
    ]
    cache = ["batch", shape.kv_heads, "present", shape.head_size]
    outputs = [
        value("logits", TensorProto.FLOAT, ["n", shape.vocabulary]),
        *(value(f"present.{part}", TensorProto.FLOAT, cache) for part in parts),
    ]
    body = helper.make_graph(graph.nodes, "llama", inputs, outputs, list(graph.weights.values()))
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION, producer_name="quartet")
