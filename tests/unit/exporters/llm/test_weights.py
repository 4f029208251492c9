from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFReader, GGUFWriter, dequantize

from exporters.llm.reference import rotary_tables
from exporters.llm.weights import UnsupportedWeights, read_gguf
from tests.unit.exporters.llm.tiny import HEADS, WIDTH, write_gguf

HEAD = WIDTH // HEADS


@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q4_1, Kind.Q8_0])
def test_blocks_hold_exactly_what_the_file_says(tmp_path: Path, kind: Kind) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", matrix=kind)
    expected = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in GGUFReader(str(path)).tensors}
    weights = read_gguf(path)
    np.testing.assert_array_equal(weights.embedding.floats(), expected["token_embd.weight"])
    # scale * (code - 8) + (minimum + 8 * scale) rounds in the last bit of a float, nothing more.
    for found, name in ((weights.layers[1].down, "ffn_down"), (weights.layers[1].v, "attn_v")):
        np.testing.assert_allclose(found.floats(), expected[f"blk.1.{name}.weight"], rtol=0, atol=1e-6)


def test_query_and_key_score_as_the_interleaved_rows_of_the_file_do(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    raw = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in GGUFReader(str(path)).tensors}
    weights = read_gguf(path)
    cos, sin = rotary_tables(weights.shape, 8)
    x = np.random.default_rng(1).standard_normal((2, WIDTH), dtype=np.float32)

    def interleaved(vector: np.ndarray, position: int) -> np.ndarray:
        pairs = vector.reshape(-1, 2)
        turn = np.exp(1j * np.arctan2(sin[position], cos[position]))
        turned = (pairs[:, 0] + 1j * pairs[:, 1]) * turn
        return np.stack([turned.real, turned.imag], axis=-1).reshape(-1)

    def halves(vector: np.ndarray, position: int) -> np.ndarray:
        first, second = np.split(vector, 2)
        c, s = cos[position], sin[position]
        return np.concatenate([first * c - second * s, second * c + first * s])

    q, k = raw["blk.0.attn_q.weight"] @ x[0], raw["blk.0.attn_k.weight"] @ x[1]
    ours_q, ours_k = weights.layers[0].q.floats() @ x[0], weights.layers[0].k.floats() @ x[1]
    expected = interleaved(q[:HEAD], 5) @ interleaved(k[:HEAD], 2)
    assert halves(ours_q[:HEAD], 5) @ halves(ours_k[:HEAD], 2) == pytest.approx(expected, rel=1e-4)


def test_a_format_without_an_exact_mapping_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedWeights, match=r"attn_q\.weight is Q5_0"):
        read_gguf(write_gguf(tmp_path / "tiny.gguf", matrix=Kind.Q5_0))


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    writer = GGUFWriter(str(tmp_path / "other.gguf"), "mamba")
    writer.add_tensor("x", np.zeros(4, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UnsupportedWeights, match="mamba"):
        read_gguf(tmp_path / "other.gguf")
