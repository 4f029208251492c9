"""The reader as an ONNX graph, written node by node.

One row, no batch: `ids` and `part` (T,), `markers` (F,). Out: `start` and `end` (F, T), `null` (F,).

int8: weights per output channel. Activations are scaled per token, so no token's rounding depends on another token,
and since a row runs alone, no answer depends on other requests. The heads stay in float.
"""

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper

from exporters.classifier.graph import CONTRIB, OPSET, Weights, Writer, rounded

FAR = -1e4
"""Added to the logits of tokens that are not of the text; what training used."""


class ReaderWriter(Writer):
    """Writes the encoder and the four heads."""

    def embed(self) -> str:
        """(T,) ids and parts -> (T, D)."""
        graph, weights = self.graph, self.weights
        places = graph.constant("places", weights["places.weight"])
        length = graph.op("Shape", "ids")
        place = graph.op("Slice", places, graph.ints("row", 0), length, graph.ints("row", 0))
        kind = graph.op("Gather", graph.constant("kinds", weights["kinds.weight"]), "part")
        return self.norm(graph.op("Add", self._words(), graph.op("Add", place, kind)), "norm")

    def _words(self) -> str:
        graph, table = self.graph, self.weights["words.weight"]
        if not self.int8:
            plain: str = graph.op("Gather", graph.constant("words", table), "ids")
            return plain
        values, scale = rounded(table, axis=1)
        taken = graph.op("Cast", graph.op("Gather", graph.constant("words", values), "ids"), to=TensorProto.FLOAT)
        out: str = graph.op("Mul", taken, graph.op("Gather", graph.constant("words.scale", scale), "ids"))
        return out

    def layer(self, x: str, index: int, bias: str = "") -> str:
        """One transformer layer. (T, D) -> (T, D)."""
        graph, weights, at = self.graph, self.weights, f"layers.{index}"
        parts = ("query", "key", "value")
        joined = np.concatenate([weights[f"{at}.{part}.weight"].T for part in parts], axis=1)
        offset = np.concatenate([weights[f"{at}.{part}.bias"] for part in parts])
        whole = self.linear(x, f"{at}.qkv", joined, offset)
        three = graph.op("Split", graph.op("Unsqueeze", whole, graph.ints("row", 0)), axis=-1, num_outputs=3, outputs=3)
        read = graph.op("MultiHeadAttention", *three, domain=CONTRIB, num_heads=self.heads)
        flat = graph.op("Squeeze", read, graph.ints("row", 0))
        out = self.linear(flat, f"{at}.out", weights[f"{at}.out.weight"].T, weights[f"{at}.out.bias"])
        x = self.norm(graph.op("Add", x, out), f"{at}.norm1")
        up = self.linear(x, f"{at}.up", weights[f"{at}.up.weight"].T, weights[f"{at}.up.bias"])
        bent = graph.op("Gelu", up, domain=CONTRIB)
        down = self.linear(bent, f"{at}.down", weights[f"{at}.down.weight"].T, weights[f"{at}.down.bias"])
        return self.norm(graph.op("Add", x, down), f"{at}.norm2")

    def heads_of(self, x: str) -> None:
        """(T, D) -> the three outputs, in float: they are small and what quantisation hurts most."""
        graph = self.graph
        field = graph.op("Gather", x, "markers")
        asks, holds = self._two(field, "head_asks"), self._plain(x, "head_holds")
        edges = graph.op("Transpose", self._plain(x, "head_edges"), perm=[1, 0])
        text = graph.op("Equal", "part", graph.constant("text", np.asarray(1, np.int64)))
        outside = graph.op("Where", text, graph.floats("nothing", 0.0), graph.floats("far", FAR))
        rank = self.weights["head_holds.weight"].shape[0] // 2
        for side, name in enumerate(("start", "end")):
            ends = graph.ints(f"from_{side}", side * rank), graph.ints(f"to_{side}", (side + 1) * rank)
            own, other = (graph.op("Slice", part, *ends, graph.ints("column", 1)) for part in (asks, holds))
            product = graph.op("MatMul", own, graph.op("Transpose", other, perm=[1, 0]))
            scaled = graph.op("Mul", product, graph.floats("rank", rank**-0.5))
            edge = graph.op("Gather", edges, graph.constant(f"side_{side}", np.asarray(side, np.int64)), axis=0)
            graph.op("Add", graph.op("Add", scaled, edge), outside, outputs=(name,))
        graph.op("Squeeze", self._two(field, "head_null"), graph.ints("column", 1), outputs=("null",))

    def _plain(self, x: str, name: str) -> str:
        graph, weights = self.graph, self.weights
        product = graph.op("MatMul", x, graph.constant(f"{name}.weight", weights[f"{name}.weight"].T))
        out: str = graph.op("Add", product, graph.constant(f"{name}.bias", weights[f"{name}.bias"]))
        return out

    def _two(self, x: str, name: str) -> str:
        return self._plain(self.graph.op("Gelu", self._plain(x, f"{name}.0"), domain=CONTRIB), f"{name}.2")

    def model(self) -> onnx.ModelProto:
        """The whole graph."""
        x = self.embed()
        for index in range(self.layers):
            x = self.layer(x, index)
        self.heads_of(x)
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.graph.nodes,
            "read",
            [value(n, TensorProto.INT64, [s]) for n, s in (("ids", "T"), ("part", "T"), ("markers", "F"))],
            [value(n, TensorProto.FLOAT, ["F", "T"]) for n in ("start", "end")]
            + [value("null", TensorProto.FLOAT, ["F"])],
            list(self.graph.constants.values()),
        )
        imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10, producer_name="quartet")


def folded(weights: Weights, *, marks: tuple[int, ...]) -> dict[str, npt.NDArray[np.float32]]:
    """Weights with the markers' additions put into the word table."""
    plain = {name: np.asarray(value, dtype=np.float32) for name, value in weights.items() if name != "marks"}
    plain["words.weight"] = plain["words.weight"].copy()
    for token, mark in zip(marks, weights["marks"], strict=True):
        plain["words.weight"][token] += mark
    return plain


def build(weights: Weights, *, heads: int, int8: bool) -> onnx.ModelProto:
    """The graph of folded weights."""
    return ReaderWriter(weights, heads=heads, int8=int8).model()
