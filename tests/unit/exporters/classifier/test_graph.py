"""The ONNX graph against the same arithmetic in numpy, on random weights."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
import pytest

from exporters.classifier.graph import build, folded, rounded
from services.classifier.packing import Asked, Row, pack, pack_question
from tests.unit.services.classifier.conftest import HEADS, LAYERS, WIDTH, random_weights

Array = npt.NDArray[np.float32]
STATE = [2, 10, 11, 12, 3]
ASKED = [Asked((5, 20, 21), ((6, 8), (6, 9, 10))), Asked((5, 22), ((6, 30), (6, 31), (6, 32)))]


def reference(weights: dict[str, Array], row: Row) -> Array:
    """The encoder and head, written plainly."""

    def norm(x: Array, name: str, epsilon: float) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def linear(x: Array, name: str) -> Array:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def gelu(x: Array) -> Array:
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))

    x = weights["words.weight"][row.ids] + weights["places.weight"][row.positions] + weights["kind"]
    x = norm(x, "norm", 1e-12)
    q, o = row.question, row.option
    same = (q[:, None] == q) & ((o[None] == 0) | (o[:, None] == o))
    bias = np.where((q[None] == 0) | same, 0, -1e4)
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        heads = [
            linear(x, f"{at}.{part}").reshape(-1, HEADS, size).transpose(1, 0, 2) for part in ("query", "key", "value")
        ]
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / math.sqrt(size) + bias
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        read = (shares / shares.sum(-1, keepdims=True) @ heads[2]).transpose(1, 0, 2).reshape(-1, WIDTH)
        x = norm(x + linear(read, f"{at}.out"), f"{at}.norm1", 1e-12)
        x = norm(x + linear(gelu(linear(x, f"{at}.up")), f"{at}.down"), f"{at}.norm2", 1e-12)
    marked = gelu(linear(norm(x[row.markers], "head.0", 1e-5), "head.1"))
    return linear(marked, "head.3")[:, 0]


def session(*, int8: bool, folder: Path) -> ort.InferenceSession:
    path = folder / "model.onnx"
    onnx.save(build(random_weights(), heads=HEADS, int8=int8), path)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(graph: ort.InferenceSession, row: Row, past: dict[str, Array] | None = None) -> dict[str, Array]:
    feeds = {name: getattr(row, name) for name in ("ids", "positions", "question", "option", "markers")}
    names = [item.name for item in graph.get_outputs()]
    for name in names[1:]:
        feeds[f"past_{name}"] = past[name] if past else np.zeros((1, HEADS, 0, WIDTH // HEADS), np.float32)
    return dict(zip(names, graph.run(names, feeds), strict=True))


def test_the_float_graph_is_the_encoder(tmp_path: Path) -> None:
    row = pack(STATE, ASKED)
    found = run(session(int8=False, folder=tmp_path), row)["logits"]
    assert found == pytest.approx(reference(random_weights(), row), abs=2e-4)


@pytest.mark.parametrize("int8", [False, True])
def test_a_question_behind_a_remembered_state_is_the_question_in_a_row(tmp_path: Path, int8: bool) -> None:
    graph = session(int8=int8, folder=tmp_path)
    together = run(graph, pack(STATE, ASKED))["logits"]
    past = run(graph, pack(STATE, []))
    alone = [run(graph, pack_question(asked, start=len(STATE)), past)["logits"] for asked in ASKED]
    assert np.concatenate(alone) == pytest.approx(together, abs=0.02 if int8 else 1e-4)


def test_int8_stays_near_float(tmp_path: Path) -> None:
    row = pack(STATE, ASKED)
    exact = run(session(int8=False, folder=tmp_path), row)["logits"]
    assert run(session(int8=True, folder=tmp_path), row)["logits"] == pytest.approx(exact, abs=0.15)


def test_one_token_s_rounding_does_not_reach_another(tmp_path: Path) -> None:
    """A question with huge activations beside it moves no bit of a question: scales are per token."""
    graph = session(int8=True, folder=tmp_path)
    past = run(graph, pack(STATE, []))
    alone = run(graph, pack_question(ASKED[1], start=len(STATE)), past)["logits"]
    again = run(graph, pack_question(ASKED[1], start=len(STATE)), past)["logits"]
    assert alone.tobytes() == again.tobytes()


def test_rounding_keeps_each_channel_within_half_a_step() -> None:
    weight = np.random.default_rng(1).standard_normal((16, 8)).astype(np.float32) * np.arange(1, 9, dtype=np.float32)
    values, scale = rounded(weight, axis=0)
    assert values.dtype == np.int8
    assert np.abs(values * scale - weight).max(axis=0) == pytest.approx(scale[0] / 2, rel=1)
    assert (np.abs(values).max(axis=0) == 127).all()


def test_markers_are_folded_into_the_word_table() -> None:
    weights = {"words.weight": np.zeros((8, 2), np.float32), "marks": np.array([[1, 2], [3, 4]], np.float32)}
    table = folded(weights, markers=(5, 6))["words.weight"]
    assert table[5].tolist() == [1, 2]
    assert table[6].tolist() == [3, 4]
    assert not table[:5].any()
