from pathlib import Path

import numpy as np
import onnx
import pytest
from gguf import GGMLQuantizationType as Kind

from exporters.llm.graph import Accuracy, build_graph
from exporters.llm.parity import _logits, compare
from exporters.llm.reference import Reference
from exporters.llm.weights import LlamaWeights, read_gguf
from services.runtime.onnx.session import Session, open_session
from tests.unit.exporters.llm.tiny import write_gguf

TOKENS = np.random.default_rng(3).integers(0, 269, 40)


def opened(folder: Path, weights: LlamaWeights, accuracy: Accuracy | None = None) -> Session:
    onnx.save(build_graph(weights, accuracy=accuracy), str(folder / "model.onnx"))
    return open_session(folder / "model.onnx")


@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q4_1, Kind.Q8_0])
@pytest.mark.parametrize("tied", [True, False])
def test_in_float32_the_graph_is_the_reference(tmp_path: Path, kind: Kind, tied: bool) -> None:
    weights = read_gguf(write_gguf(tmp_path / "tiny.gguf", matrix=kind, tied=tied))
    session = opened(tmp_path, weights, Accuracy(body=0, head=0, exact=0))
    expected = Reference(weights).logits(TOKENS)
    np.testing.assert_allclose(_logits(session, weights.shape, TOKENS), expected, rtol=0, atol=2e-4)


def test_the_default_keeps_the_highest_logits_exact(tmp_path: Path) -> None:
    weights = read_gguf(write_gguf(tmp_path / "tiny.gguf"))
    session = opened(tmp_path, weights)
    found, expected = _logits(session, weights.shape, TOKENS), Reference(weights).logits(TOKENS)
    best = np.argsort(-expected, axis=-1)[:, :32]
    np.testing.assert_allclose(
        np.take_along_axis(found, best, -1), np.take_along_axis(expected, best, -1), rtol=0, atol=2e-4
    )
    parity = compare(Reference(weights), session, [TOKENS.tolist()])
    assert parity.argmax_agreement == 1.0
    assert parity.kl_mean < 0.001


def test_the_two_rows_of_a_batch_do_not_see_each_other(tmp_path: Path) -> None:
    weights = read_gguf(write_gguf(tmp_path / "tiny.gguf"))
    session = opened(tmp_path, weights)
    rows = np.stack([TOKENS[:20], TOKENS[20:]])
    shape = weights.shape
    past = np.zeros((2, shape.kv_heads, 20, shape.head_size), np.float32)
    feeds = {name: past for name in session.input_names if name.startswith("past_key_values.")}
    feeds |= {
        "input_ids": rows,
        "rows": np.arange(40),
        "seqlens_k": np.array([19, 19], np.int32),
        "total_sequence_length": np.array(20, np.int32),
    }
    both = session.run(feeds, ["logits"])[0].reshape(2, 20, -1)
    for row, found in zip(rows, both, strict=True):
        np.testing.assert_allclose(found, _logits(session, shape, row), rtol=0, atol=2e-4)
