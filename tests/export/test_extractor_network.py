"""The network and its training; needs torch, which only the export environment has."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from tokenizers import Tokenizer

from exporters.extractor.graph import build, folded
from exporters.extractor.letters import Letters
from exporters.extractor.mixture import Example, Examples
from exporters.extractor.network import Batch, Reader, collate, loss
from exporters.extractor.pack import Ask, Packer
from exporters.extractor.reading import scores
from exporters.extractor.train import Run
from exporters.extractor.yardstick import Paper, Question

CONFIG = {"hidden_size": 32, "vocab_size": 30522, "max_position_embeddings": 512, "num_attention_heads": 4,
    "intermediate_size": 64, "num_hidden_layers": 2}  # fmt: skip


@pytest.fixture(scope="module")
def packer() -> Packer:
    weights = Path(__file__).parents[4] / "services/extractor/weights"
    return Packer(Tokenizer.from_file(str(next(weights.glob("*/tokenizer.json")))))


def made(packer: Packer, count: int) -> list[Example]:
    examples, stream = Examples(packer, random.Random(1)), Letters(1)
    return [e for e in (examples.example(stream.row()) for _ in range(count)) if e]


def exact(example: Example) -> Batch:
    """One row as the graph reads it: without padding."""
    batch, size = collate([example]), example.tokens
    return replace(batch, ids=batch.ids[:, :size], part=batch.part[:, :size], there=batch.there[:, :size])


def reader(packer: Packer) -> Reader:
    torch.manual_seed(1)
    return Reader(CONFIG, marks=packer.marks)


def test_companions_do_not_move_logits(packer: Packer) -> None:
    model, examples = reader(packer).eval(), made(packer, 6)
    whole = collate(examples)
    start, end, null = model(whole.ids, whole.part, whole.there, whole.markers)
    for index, example in enumerate(examples):
        alone = collate([example])
        one = model(alone.ids, alone.part, alone.there, alone.markers)
        size, fields = example.tokens, len(example.answers)
        for batched, single in zip((start, end), one[:2], strict=True):
            assert torch.allclose(batched[index, :fields, :size], single[0, :fields, :size], atol=1e-4)
        assert torch.allclose(null[index, :fields], one[2][0, :fields], atol=1e-5)


def test_the_loss_is_low_where_the_logits_are_right(packer: Packer) -> None:
    batch = collate(made(packer, 5))
    start, end = torch.full(batch.right.shape[:3], -5.0), torch.full(batch.right.shape[:3], -5.0)
    null = torch.where(batch.right.flatten(2).any(-1), -20.0, 20.0)
    for row, field, first, length in batch.right.nonzero().tolist():
        start[row, field, first] = end[row, field, first + length] = 20.0
    good = loss(start, end, null, batch)
    assert 0 <= float(good) < 0.7 < float(loss(start, end, -null, batch))


def test_a_run_learns_and_resumes(packer: Packer, tmp_path: Path) -> None:
    rates = {"rate": 1e-3, "head_rate": 3e-3, "decay": 1.0}
    run, examples = Run(reader(packer), rates=rates, seed=1), made(packer, 6)
    losses = [run.step(examples, share=1.0) for _ in range(40)]
    assert losses[-1] < 0.8 * losses[0]
    run.save(tmp_path)
    again = Run(reader(packer), rates=rates, seed=1)
    again.resume(tmp_path)
    assert again.progress.step == 40 and again.progress.restarts == 1
    assert run.step(examples, share=1.0) == pytest.approx(again.step(examples, share=1.0), rel=1e-3)
    run.save(tmp_path / "cooled", cooled=True)
    assert not (tmp_path / "cooled" / "state.pt").exists()


def test_places_of_long_papers_are_scored(packer: Packer) -> None:
    text = "The fee is 12 EUR. " + "Nothing else of note was said. " * 150 + "The fine is 30 EUR."
    places = [[text.index(v), text.index(v) + 6] for v in ("12 EUR", "30 EUR")]
    asked = Question(Ask("fine", "money"), "number", False, places, [0, 1], [False, True], [0.0, 0.0], 0.0)
    logits, null = scores(reader(packer), packer, [Paper("made", "made", text, [asked] * 60)])[0][0]
    assert null == 0 and len(logits) == 2 and (logits > -1e3).all()


def test_the_graph_computes_what_the_network_does(packer: Packer) -> None:
    model = reader(packer).eval()
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    graph = build(folded(weights, marks=packer.marks), heads=4, int8=False)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    for example in made(packer, 4):
        batch = exact(example)
        feeds = {"ids": batch.ids[0], "part": batch.part[0], "markers": batch.markers[0]}
        found = session.run(["start", "end", "null"], {name: value.numpy() for name, value in feeds.items()})
        with torch.inference_mode():
            wanted = model(batch.ids, batch.part, batch.there, batch.markers)
        for own, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, theirs[0].numpy(), atol=2e-3)
