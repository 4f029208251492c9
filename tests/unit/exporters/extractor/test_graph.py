"""The reader's graph: int8 near float, and the same tokens give the same logits whatever else is asked of the file."""

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from exporters.extractor.graph import FAR, build, folded

WIDTH, INNER, LAYERS, HEADS, RANK, WORDS = 32, 64, 2, 4, 8, 50
Array = npt.NDArray[np.float32]


def weights() -> dict[str, Array]:
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> Array:
        return (rng.standard_normal(shape) * 0.25).astype(np.float32)

    made = {"words.weight": draw(WORDS, WIDTH), "places.weight": draw(64, WIDTH), "kinds.weight": draw(2, WIDTH),
        "marks": draw(3, WIDTH), "norm.weight": 1 + draw(WIDTH), "norm.bias": draw(WIDTH)}  # fmt: skip
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "out": (WIDTH, WIDTH),
        "up": (INNER, WIDTH), "down": (WIDTH, INNER)}  # fmt: skip
    dense = {f"layers.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in shapes.items()}
    dense |= {"head_asks.0": (WIDTH, WIDTH), "head_asks.2": (2 * RANK, WIDTH), "head_holds": (2 * RANK, WIDTH),
        "head_edges": (2, WIDTH), "head_null.0": (WIDTH, WIDTH), "head_null.2": (1, WIDTH)}  # fmt: skip
    for name, shape in dense.items():
        made |= {f"{name}.weight": draw(*shape), f"{name}.bias": draw(shape[0])}
    for layer in range(LAYERS):
        for name in ("norm1", "norm2"):
            made |= {f"layers.{layer}.{name}.weight": np.ones(WIDTH, np.float32)}
            made |= {f"layers.{layer}.{name}.bias": np.zeros(WIDTH, np.float32)}
    return made


def run(int8: bool, ids: list[int], part: list[int], markers: list[int]) -> list[Array]:
    graph = build(folded(weights(), marks=(1, 2, 3)), heads=HEADS, int8=int8)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {name: np.array(v, np.int64) for name, v in (("ids", ids), ("part", part), ("markers", markers))}
    found: list[Array] = session.run(["start", "end", "null"], feeds)
    return found


IDS, PART, MARKERS = [4, 1, 10, 11, 1, 12, 5, 20, 21, 2, 22, 5], [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0], [1, 4]


@pytest.mark.parametrize("int8", [False, True])
def test_shapes_and_the_bounds_of_the_text(int8: bool) -> None:
    start, end, null = run(int8, IDS, PART, MARKERS)
    assert start.shape == end.shape == (2, len(IDS)) and null.shape == (2,)
    outside = np.array(PART) == 0
    assert (start[:, outside] < FAR / 2).all() and (np.abs(start[:, ~outside]) < 100).all()


def test_int8_is_near_float() -> None:
    for exact, rounded in zip(run(False, IDS, PART, MARKERS), run(True, IDS, PART, MARKERS), strict=True):
        assert np.abs(exact - rounded).max() < 0.12 * np.abs(exact[exact > FAR / 2]).max() + 0.05


def test_markers_are_folded_into_the_table() -> None:
    plain = weights()
    table = folded(plain, marks=(1, 2, 3))["words.weight"]
    assert np.allclose(table[1:4], plain["words.weight"][1:4] + plain["marks"])
    assert np.array_equal(table[4:], plain["words.weight"][4:])
