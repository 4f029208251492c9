"""Threads, sessions, cards and the registry, on tiny real graphs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnx.helper as oh
import pytest

from services.runtime.errors import ModelNotFound
from services.runtime.onnx.card import BaseWeights, Card, CardError, sha256
from services.runtime.onnx.registry import Registry
from services.runtime.onnx.session import Session, open_session
from services.runtime.onnx.threads import cpu_threads


def doubler(path: Path) -> None:
    graph = oh.make_graph(
        [oh.make_node("Add", ["x", "x"], ["y"])],
        "doubler",
        [oh.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n"])],
        [oh.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n"])],
    )
    onnx.save(oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)], ir_version=9), str(path))


def folder(root: Path, version: str, *, aliases: tuple[str, ...] = ()) -> Path:
    made = root / f"toy-{version}"
    made.mkdir(parents=True)
    doubler(made / "model.onnx")
    Card(
        name="toy",
        version=version,
        description="doubles",
        license="Apache-2.0",
        released="2026-12-01",
        aliases=aliases,
        base=(BaseWeights("nothing", "CC0-1.0", "0" * 64),),
        files={"model.onnx": sha256(made / "model.onnx")},
    ).save(made)
    return made


def load(path: Path, card: Card) -> Session:
    return open_session(path / "model.onnx")


def test_threads_follow_the_quota(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert cpu_threads(tmp_path) == 1
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert cpu_threads(tmp_path) == 1
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert cpu_threads(tmp_path) == cpu_threads(tmp_path / "absent")


def test_a_session_runs_and_refuses_a_wrong_dtype(tmp_path: Path) -> None:
    doubler(tmp_path / "m.onnx")
    session = open_session(tmp_path / "m.onnx", provider="cpu")
    assert (session.input_names, session.output_names) == (("x",), ("y",))
    assert session.run({"x": np.array([1.0, 2.5], np.float32)})[0].tolist() == [2.0, 5.0]
    with pytest.raises(Exception, match="Unexpected input data type"):
        session.run({"x": np.array([1, 2])})
    with pytest.raises(ValueError, match="provider"):
        open_session(tmp_path / "m.onnx", provider="tpu")


def test_a_card_survives_its_file(tmp_path: Path) -> None:
    made = folder(tmp_path, "0.1.0", aliases=("t",))
    card = Card.load(made)
    card.save(made)
    assert Card.load(made) == card
    assert card.id == "toy-0.1.0"


def test_models_are_found_by_id_name_alias_and_default(tmp_path: Path) -> None:
    folder(tmp_path, "0.1.0", aliases=("latest", "old"))
    folder(tmp_path, "0.2.0", aliases=("latest",))
    registry = Registry(tmp_path, load)
    assert registry.card().id == registry.card("toy").id == registry.card("latest").id == "toy-0.2.0"
    assert registry.card("old").id == "toy-0.1.0"
    assert [c.id for c in registry.cards()] == ["toy-0.1.0", "toy-0.2.0"]
    assert Registry(tmp_path, load, default="toy-0.1.0").card().id == "toy-0.1.0"
    with pytest.raises(ModelNotFound, match="nobody"):
        registry.get("nobody")


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    (folder(tmp_path, "0.1.0") / "model.onnx").write_bytes(b"other")
    with pytest.raises(CardError, match="sha256"):
        Registry(tmp_path, load)


@pytest.mark.parametrize(("change", "said"), [({"colour": 1}, "colour"), ({"name": "other"}, "other-0.1.0")])
def test_a_wrong_card_is_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = folder(tmp_path, "0.1.0") / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CardError, match=said):
        Registry(tmp_path, load)


def test_no_model_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(CardError, match="no model"):
        Registry(tmp_path, load)
