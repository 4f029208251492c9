"""Train the classifier for a set wall time on the CPU; stops and resumes at any checkpoint.

python -m exporters.classifier.train --data DECISIONS --base MINILM --out RUN --minutes 95
"""

import argparse
import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from exporters.classifier.data import HELD, TRAINED_SPLITS, Corpus, Mix, Packed, batches
from exporters.classifier.generators import generate
from exporters.classifier.model import Decider, from_base
from exporters.classifier.vary import vary
from services.classifier.packing import Pieces


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded rows. Columns are (B, T); `markers` (M,) index the flattened batch; `slots` (M,) index a (Q, most options)
    table flattened; `target` (Q, most options); `ordered` (Q,) marks scores."""

    ids: Tensor
    positions: Tensor
    question: Tensor
    option: Tensor
    markers: Tensor
    slots: Tensor
    target: Tensor
    ordered: Tensor


def collate(rows: Sequence[Packed]) -> Batch:
    """Rows padded to the longest."""
    length = max(row.tokens for row in rows)
    columns = [torch.zeros(len(rows), length, dtype=torch.long) for _ in range(4)]
    columns[2].fill_(-1)
    for index, packed in enumerate(rows):
        row = packed.row
        for column, values in zip(columns, (row.ids, row.positions, row.question, row.option), strict=True):
            column[index, : len(values)] = torch.from_numpy(values)
    items = [item for packed in rows for item in packed.items]
    most = max(len(item.options) for item in items)
    markers = torch.cat([torch.from_numpy(packed.row.markers) + index * length for index, packed in enumerate(rows)])
    slots = torch.tensor([index * most + slot for index, item in enumerate(items) for slot in range(len(item.options))])
    target = torch.tensor([[*item.target, *[0.0] * (most - len(item.target))] for item in items])
    ids, positions, question, option = columns
    return Batch(
        ids, positions, question, option, markers, slots, target, torch.tensor([item.kind == "score" for item in items])
    )


def table(logits: Tensor, batch: Batch) -> Tensor:
    """(M,) marker logits -> (Q, most options), -inf where a question has fewer."""
    empty = torch.full((batch.target.numel(),), float("-inf"))
    return empty.index_put((batch.slots,), logits).view_as(batch.target)


def loss(logits: Tensor, batch: Batch, *, brier: float = 0.5) -> Tensor:
    """Cross-entropy plus a second proper score: Brier, or the ranked probability score where options are ordered."""
    z = table(logits, batch)
    entropy = -(batch.target * z.log_softmax(-1).clamp(min=-30)).sum(-1)
    miss = z.softmax(-1) - batch.target
    second = torch.where(batch.ordered, miss.cumsum(-1).square().sum(-1), miss.square().sum(-1))
    return (entropy + brier * second).mean()


def groups(model: Decider, *, rate: float, head_rate: float, decay: float) -> list[dict[str, Any]]:
    """Parameter groups: rates fall by `decay` per layer towards the input; no weight decay on vectors."""
    depth = len(model.layers)
    made: dict[tuple[float, bool], list[Any]] = {}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        level = int(name.split(".")[1]) + 1 if name.startswith("layers.") else 0
        own = head_rate if name.startswith(("head", "marks")) else rate * decay ** (depth - level)
        made.setdefault((own, parameter.ndim > 1), []).append(parameter)
    return [
        {"params": found, "lr": own, "peak": own, "weight_decay": 0.01 * wide} for (own, wide), found in made.items()
    ]


def slope(step: int, fraction: float) -> float:
    """Share of the peak rate: a short warm-up by steps, constant, then straight down over the last half of the time."""
    return min(1.0, (step + 1) / 60) * max(0.02, min(1.0, (1 - fraction) / 0.5))


class Average:
    """Exponential moving average of the trained parameters."""

    def __init__(self, model: Decider, *, decay: float = 0.995) -> None:
        self.decay = decay
        self.values = {name: value.detach().clone() for name, value in model.named_parameters() if value.requires_grad}

    @torch.no_grad()
    def update(self, model: Decider, step: int) -> None:
        """Move towards the model; faster in the first steps."""
        keep = min(self.decay, (1 + step) / (20 + step))
        for name, value in model.named_parameters():
            if name in self.values:
                self.values[name].lerp_(value, 1 - keep)


@dataclass(slots=True)
class Progress:
    """What a run has done; `seconds` counts training only."""

    step: int = 0
    seconds: float = 0.0
    rows: int = 0
    questions: int = 0
    tokens: int = 0
    restarts: int = 0


def save(
    folder: Path, model: Decider, optimizer: torch.optim.Optimizer, average: Average, progress: Progress, seed: int
) -> None:
    """Everything a resumed run needs, and the averaged weights alone; each file is replaced whole."""
    state = {
        "model": {name: value for name, value in model.state_dict().items() if name != "words.weight"},
        "optimizer": optimizer.state_dict(),
        "average": average.values,
        "progress": asdict(progress),
        "seed": seed,
    }
    (folder / "progress.json").write_text(json.dumps(asdict(progress)))
    torch.save(state, folder / "state.pt.new")
    os.replace(folder / "state.pt.new", folder / "state.pt")
    weights = {name: value.contiguous() for name, value in {**model.state_dict(), **average.values}.items()}
    save_file(weights, folder / "average.safetensors.new")
    os.replace(folder / "average.safetensors.new", folder / "average.safetensors")


def resume(folder: Path, model: Decider, optimizer: torch.optim.Optimizer, average: Average) -> Progress:
    """Continue from `state.pt` when there is one."""
    path = folder / "state.pt"
    if not path.exists():
        return Progress()
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"], strict=False)
    peaks = [group["peak"] for group in optimizer.param_groups]
    optimizer.load_state_dict(state["optimizer"])
    for group, peak in zip(optimizer.param_groups, peaks, strict=True):
        group["peak"] = peak  # a resumed run may be given other rates
    average.values = state["average"]
    progress = Progress(**state["progress"])
    progress.restarts += 1
    return progress


def train(
    model: Decider,
    stream: Iterator[list[Packed]],
    *,
    minutes: float,
    every: float,
    out: Path,
    rates: dict[str, float],
    seed: int,
) -> None:
    """Steps until `minutes` of training are done, with a checkpoint `every` minutes."""
    optimizer = torch.optim.AdamW(groups(model, **rates), betas=(0.9, 0.98), fused=True)
    average = Average(model)
    progress = resume(out, model, optimizer, average)
    torch.manual_seed(seed + progress.restarts)
    model.train()
    stop = _stop_signal()
    smooth, saved, last = 0.0, progress.seconds, time.monotonic()
    for chunk in stream:
        fraction = progress.seconds / (60 * minutes)
        if fraction >= 1 or stop.is_set():
            break
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * slope(progress.step, fraction)
        value = step(model, optimizer, collate(chunk))
        progress.step += 1
        average.update(model, progress.step)
        progress.rows += len(chunk)
        progress.questions += sum(len(packed.items) for packed in chunk)
        progress.tokens += sum(packed.tokens for packed in chunk)
        smooth = value if not smooth else 0.98 * smooth + 0.02 * value
        now = time.monotonic()
        progress.seconds, last = progress.seconds + now - last, now
        if progress.step % 20 == 0:
            speed = progress.tokens / progress.seconds
            print(
                f"{progress.step} {fraction:.3f} loss {smooth:.3f} rows {progress.rows} tok/s {speed:.0f}", flush=True
            )
        if progress.seconds - saved > 60 * every:
            saved = progress.seconds
            save(out, model, optimizer, average, progress, seed)
            last = time.monotonic()
    save(out, model, optimizer, average, progress, seed)


def _stop_signal() -> threading.Event:
    """Set by SIGTERM: the run then saves and ends, and can be resumed."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop


def step(model: Decider, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """One update; returns the loss."""
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(batch.ids, batch.positions, batch.question, batch.option, batch.markers)
    value = loss(logits, batch)
    optimizer.zero_grad()
    value.backward()  # type: ignore[no-untyped-call,unused-ignore]
    torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
    optimizer.step()
    return float(value.detach())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=95)
    parser.add_argument("--every", type=float, default=5)
    parser.add_argument("--rate", type=float, default=2.2e-4)
    parser.add_argument("--head-rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    pieces = Pieces(Tokenizer.from_file(str(args.base / "tokenizer.json")))
    model = from_base(args.base, markers=(pieces.question, pieces.option))
    corpus = Corpus.load(args.data, splits=TRAINED_SPLITS, skip=HELD)
    started = json.dumps({name: str(value) for name, value in vars(args).items()} | {"sources": list(corpus.lines)})
    (args.out / "run.json").write_text(started)
    fresh = args.seed + 1000 * int(time.time()) if (args.out / "state.pt").exists() else args.seed
    stream = batches(corpus, pieces, seed=fresh, mix=Mix(), vary=vary, generate=generate)
    rates = {"rate": args.rate, "head_rate": args.head_rate, "decay": args.decay}
    train(model, stream, minutes=args.minutes, every=args.every, out=args.out, rates=rates, seed=args.seed)


if __name__ == "__main__":
    main()
