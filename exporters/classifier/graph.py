"""The classifier as an ONNX graph, written node by node so that what runs is what is seen here.

One row, no batch: `ids`, `positions`, `question`, `option` (T,), `markers` (M,), and per layer `past_key_i`,
`past_value_i` (1, heads, P, width / heads) of tokens read earlier. Out: `logits` (M,), and per layer `key_i`, `value_i`
(1, heads, P + T, width / heads). A state is read once with P = 0; questions are then read with the state as their past.

int8: weights per output channel. Activations are scaled per token, so no token's rounding depends on another token.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, npt.NDArray[np.float32]]
CONTRIB = "com.microsoft"
OPSET = 18
UNREAD = -1e4
"""Added to the attention score of a token that must not be read; what training used."""


@dataclass(slots=True)
class Graph:
    """Nodes and constants gathered while the graph is written."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def op(
        self, kind: str, *inputs: str, outputs: int | tuple[str, ...] = 1, domain: str = "", **attributes: Any
    ) -> Any:
        """Add a node; returns its output name, or names when there are several."""
        names = outputs if isinstance(outputs, tuple) else tuple(f"t{len(self.nodes)}_{i}" for i in range(outputs))
        self.nodes.append(helper.make_node(kind, list(inputs), list(names), domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Add a constant once; returns its name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def floats(self, name: str, *values: float) -> str:
        """A float constant; a scalar when there is one value."""
        return self.constant(name, np.asarray(values if len(values) > 1 else values[0], dtype=np.float32))

    def ints(self, name: str, *values: int) -> str:
        """A vector of int64."""
        return self.constant(name, np.asarray(values, dtype=np.int64))


def rounded(
    weight: npt.NDArray[np.float32], *, axis: int, top: int = 127
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """int8 values and the scales that give the weight back, one scale per slice that `axis` runs along."""
    scale = np.maximum(np.abs(weight).max(axis=axis, keepdims=True), 1e-12) / top
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


class Writer:
    """Writes the encoder and the head, with float or int8 products."""

    def __init__(self, weights: Weights, *, heads: int, int8: bool) -> None:
        self.weights, self.heads, self.int8 = weights, heads, int8
        self.width = weights["norm.weight"].shape[0]
        self.layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
        self.graph = Graph()

    def linear(self, x: str, name: str, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> str:
        """(T, in) @ (in, out) + bias."""
        graph, offset = self.graph, self.graph.constant(f"{name}.bias", bias)
        if not self.int8:
            plain: str = graph.op("Add", graph.op("MatMul", x, graph.constant(f"{name}.weight", weight)), offset)
            return plain
        token, (values, scale) = self.token(x), rounded(weight, axis=0)
        factors = (graph.constant(f"{name}.weight", values), graph.floats("one", 1.0))
        offsets = (graph.constant(f"{name}.scale", scale[0]), self.middle())
        product = graph.op("MatMulIntegerToFloat", token.values, *factors, *offsets, domain=CONTRIB)
        out: str = graph.op("Add", graph.op("Mul", product, token.scale), offset)
        return out

    def middle(self) -> str:
        """The byte that stands for zero."""
        return self.graph.constant("middle", np.asarray(128, np.uint8))

    def token(self, x: str) -> "Token":
        """(T, D) floats as unsigned bytes around 128 with one scale per token."""
        graph = self.graph
        top = graph.op("ReduceMax", graph.op("Abs", x), graph.ints("last", -1), keepdims=1)
        scale = graph.op("Mul", graph.op("Max", top, graph.floats("tiny", 1e-9)), graph.floats("step", 1 / 127))
        values = graph.op("QuantizeLinear", graph.op("Div", x, scale), graph.floats("one", 1.0), self.middle())
        return Token(values, scale)

    def norm(self, x: str, name: str, epsilon: float = 1e-12) -> str:
        """Layer normalisation over the width."""
        parts = [self.graph.constant(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        out: str = self.graph.op("LayerNormalization", x, *parts, axis=-1, epsilon=epsilon)
        return out

    def embed(self) -> str:
        """(T,) ids and positions -> (T, D)."""
        graph, table = self.graph, self.weights["words.weight"]
        if self.int8:
            values, scale = rounded(table, axis=1)
            taken = graph.op("Cast", graph.op("Gather", graph.constant("words", values), "ids"), to=TensorProto.FLOAT)
            words = graph.op("Mul", taken, graph.op("Gather", graph.constant("words.scale", scale), "ids"))
        else:
            words = graph.op("Gather", graph.constant("words", table), "ids")
        places = graph.op(
            "Gather", graph.constant("places", self.weights["places.weight"] + self.weights["kind"]), "positions"
        )
        return self.norm(graph.op("Add", words, places), "norm")

    def bias(self) -> str:
        """(1, 1, T, P + T) to add to attention scores: 0 where a token is read. Everything in the past is read."""
        graph = self.graph
        column, row = graph.ints("column", 1), graph.ints("row", 0)
        qi, qj = graph.op("Unsqueeze", "question", column), graph.op("Unsqueeze", "question", row)
        oi, oj = graph.op("Unsqueeze", "option", column), graph.op("Unsqueeze", "option", row)
        zero = graph.constant("zero", np.asarray(0, np.int64))
        own = graph.op("Or", graph.op("Equal", oj, zero), graph.op("Equal", oi, oj))
        read = graph.op("Or", graph.op("Equal", qj, zero), graph.op("And", graph.op("Equal", qi, qj), own))
        block = graph.op("Where", read, graph.floats("nothing", 0.0), graph.floats("unread", UNREAD))
        past = graph.op("Shape", "past_key_0", start=2, end=3)
        length = graph.op("Shape", "ids")
        zeros = graph.op("Expand", graph.floats("nothing", 0.0), graph.op("Concat", length, past, axis=0))
        out: str = graph.op("Unsqueeze", graph.op("Concat", zeros, block, axis=1), graph.ints("front", 0, 1))
        return out

    def layer(self, x: str, index: int, bias: str) -> str:
        """One transformer layer. (T, D) -> (T, D)."""
        graph, weights, at = self.graph, self.weights, f"layers.{index}"
        parts = ("query", "key", "value")
        joined = np.concatenate([weights[f"{at}.{part}.weight"].T for part in parts], axis=1)
        offset = np.concatenate([weights[f"{at}.{part}.bias"] for part in parts])
        whole = self.linear(x, f"{at}.qkv", joined, offset)
        three = graph.op("Split", graph.op("Unsqueeze", whole, graph.ints("row", 0)), axis=-1, num_outputs=3, outputs=3)
        read, _, _ = graph.op(
            "MultiHeadAttention", *three, "", "", bias, f"past_key_{index}", f"past_value_{index}",
            outputs=(f"read_{index}", f"key_{index}", f"value_{index}"), domain=CONTRIB, num_heads=self.heads,
        )  # fmt: skip
        flat = graph.op("Squeeze", read, graph.ints("row", 0))
        out = self.linear(flat, f"{at}.out", weights[f"{at}.out.weight"].T, weights[f"{at}.out.bias"])
        x = self.norm(graph.op("Add", x, out), f"{at}.norm1")
        up = self.linear(x, f"{at}.up", weights[f"{at}.up.weight"].T, weights[f"{at}.up.bias"])
        bent = graph.op("Gelu", up, domain=CONTRIB)
        down = self.linear(bent, f"{at}.down", weights[f"{at}.down.weight"].T, weights[f"{at}.down.bias"])
        return self.norm(graph.op("Add", x, down), f"{at}.norm2")

    def head(self, x: str) -> None:
        """(T, D) -> `logits` (M,), in float: it is small and what quantisation hurts most."""
        graph, weights = self.graph, self.weights
        marked = self.norm(graph.op("Gather", x, "markers"), "head.0", 1e-5)
        for name in ("head.1", "head.3"):
            product = graph.op("MatMul", marked, graph.constant(f"{name}.weight", weights[f"{name}.weight"].T))
            marked = graph.op("Add", product, graph.constant(f"{name}.bias", weights[f"{name}.bias"]))
            if name == "head.1":
                marked = graph.op("Gelu", marked, domain=CONTRIB)
        graph.op("Squeeze", marked, graph.ints("column", 1), outputs=("logits",))

    def model(self) -> onnx.ModelProto:
        """The whole graph."""
        x, bias = self.embed(), self.bias()
        for index in range(self.layers):
            x = self.layer(x, index, bias)
        self.head(x)
        size, total = self.width // self.heads, "P + T"
        ints = [
            _value(name, TensorProto.INT64, length)
            for name, length in (("ids", "T"), ("positions", "T"), ("question", "T"), ("option", "T"), ("markers", "M"))
        ]
        kinds = [(part, index) for index in range(self.layers) for part in ("key", "value")]
        past = [_value(f"past_{part}_{index}", TensorProto.FLOAT, 1, self.heads, "P", size) for part, index in kinds]
        present = [_value(f"{part}_{index}", TensorProto.FLOAT, 1, self.heads, total, size) for part, index in kinds]
        graph = helper.make_graph(
            self.graph.nodes,
            "decide",
            ints + past,
            [_value("logits", TensorProto.FLOAT, "M"), *present],
            list(self.graph.constants.values()),
        )
        imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10, producer_name="quartet")


@dataclass(frozen=True, slots=True)
class Token:
    """Names of quantised activations (T, D) and of their scales (T, 1)."""

    values: str
    scale: str


def _value(name: str, kind: int, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def folded(weights: Weights, *, markers: tuple[int, int]) -> dict[str, npt.NDArray[np.float32]]:
    """Weights with the marker additions put into the word table."""
    plain = {name: np.asarray(value, dtype=np.float32) for name, value in weights.items() if name != "marks"}
    plain["words.weight"] = plain["words.weight"].copy()
    for token, mark in zip(markers, weights["marks"], strict=True):
        plain["words.weight"][token] += mark
    return plain


def build(weights: Weights, *, heads: int, int8: bool) -> onnx.ModelProto:
    """The graph of folded weights."""
    return Writer(weights, heads=heads, int8=int8).model()
