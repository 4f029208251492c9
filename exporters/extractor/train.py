"""Train the reader on the CPU; stops and resumes at any checkpoint, and cools down from one on demand.

    python -m exporters.extractor.train --data FOLDER --base MINILM --out RUN --yardstick YARDSTICK.json.gz --minutes 40
    python -m exporters.extractor.train ... --cool 10

The rate is constant after a short warm-up, so a run has no planned end: its averaged weights are good at any
checkpoint, and `--cool MINUTES` lets the rate fall to zero from the last checkpoint into RUN/cooled, leaving the run
as it was.
"""

import argparse
import copy
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from exporters.extractor import reading, yardstick
from exporters.extractor.calibrate import CALIBRATED_SLOTS, HELD_SLOTS
from exporters.extractor.invent import Inventor
from exporters.extractor.letters import Letters
from exporters.extractor.mixture import Corpora, Example, Examples, Stream, batches
from exporters.extractor.network import Reader, collate, from_base, loss
from exporters.extractor.pack import Packer

WARM_STEPS = 80
AVERAGED = 0.996


@dataclass(slots=True)
class Progress:
    """What a run has done; `seconds` counts training only."""

    step: int = 0
    seconds: float = 0.0
    rows: int = 0
    fields: int = 0
    tokens: int = 0
    restarts: int = 0


def groups(model: Reader, *, rate: float, head_rate: float, decay: float) -> list[dict[str, Any]]:
    """Parameter groups: rates fall by `decay` per layer towards the input; no weight decay on vectors."""
    depth = len(model.layers)
    made: dict[tuple[float, bool], list[Any]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            level = int(name.split(".")[1]) + 1 if name.startswith("layers.") else 0
            own = head_rate if name.startswith(("head", "marks")) else rate * decay ** (depth - level)
            made.setdefault((own, parameter.ndim > 1), []).append(parameter)
    return [{"params": found, "peak": own, "weight_decay": 0.01 * wide} for (own, wide), found in made.items()]


class Run:
    """A model in training with its optimiser, averaged weights and progress."""

    def __init__(self, model: Reader, *, rates: dict[str, float], seed: int) -> None:
        self.model, self.seed = model, seed
        self.optimizer = torch.optim.AdamW(groups(model, **rates), lr=0.0, betas=(0.9, 0.98), fused=True)
        self.average = {n: v.detach().clone() for n, v in model.named_parameters() if v.requires_grad}
        self.progress = Progress()

    def step(self, examples: list[Example], *, share: float) -> float:
        """One update at `share` of the peak rates; returns the loss."""
        began, batch = time.monotonic(), collate(examples)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * share * min(1.0, (self.progress.step + 1) / WARM_STEPS)
        with torch.autocast("cpu", torch.bfloat16):
            start, end, null = self.model(batch.ids, batch.part, batch.there, batch.markers)
        value = loss(start, end, null, batch)
        self.optimizer.zero_grad()
        value.backward()  # type: ignore[no-untyped-call,unused-ignore]
        torch.nn.utils.clip_grad_norm_([p for p in self.model.parameters() if p.requires_grad], 1.0)
        self.optimizer.step()
        self._averaged()
        self.progress.rows += len(examples)
        self.progress.fields += sum(len(example.answers) for example in examples)
        self.progress.tokens += sum(example.tokens for example in examples)
        self.progress.seconds += time.monotonic() - began
        return float(value.detach())

    @torch.no_grad()
    def _averaged(self) -> None:
        self.progress.step += 1
        keep = min(AVERAGED, (1 + self.progress.step) / (20 + self.progress.step))
        for name, value in self.model.named_parameters():
            if name in self.average:
                self.average[name].lerp_(value, 1 - keep)

    def averaged(self) -> Reader:
        """A copy of the model with the averaged weights."""
        model: Reader = copy.deepcopy(self.model)
        model.eval()
        model.load_state_dict(self.average, strict=False)
        return model

    def save(self, folder: Path, *, cooled: bool = False) -> None:
        """Everything a resumed run needs, and the weights to use alone; each file is replaced whole."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "progress.json").write_text(json.dumps(asdict(self.progress)))
        weights = {name: value.contiguous() for name, value in {**self.model.state_dict(), **self.average}.items()}
        save_file(weights, folder / "average.safetensors.new")
        os.replace(folder / "average.safetensors.new", folder / "average.safetensors")
        if cooled:
            return
        state = {
            "model": {name: value for name, value in self.model.state_dict().items() if name != "words.weight"},
            "optimizer": self.optimizer.state_dict(),
            "average": self.average,
            "progress": asdict(self.progress),
            "seed": self.seed,
        }
        torch.save(state, folder / "state.pt.new")
        os.replace(folder / "state.pt.new", folder / "state.pt")

    def resume(self, folder: Path) -> None:
        """Continues from `state.pt` when there is one; a resumed run may be given other rates."""
        if not (folder / "state.pt").exists():
            return
        state = torch.load(folder / "state.pt", weights_only=True)
        self.model.load_state_dict(state["model"], strict=False)
        peaks = [group["peak"] for group in self.optimizer.param_groups]
        self.optimizer.load_state_dict(state["optimizer"])
        for group, peak in zip(self.optimizer.param_groups, peaks, strict=True):
            group["peak"] = peak
        self.average = state["average"]
        self.progress = Progress(**state["progress"])
        self.progress.restarts += 1


def stream(data: Path, packer: Packer, vocabulary: list[str], *, seed: int) -> Iterator[list[Example]]:
    """Batches of everything; slots that measure or calibrate are never asked for."""
    held = CALIBRATED_SLOTS | HELD_SLOTS
    streams: dict[str, Stream] = {
        "corpora": Corpora(data, random.Random(seed)),
        "letters": Letters(seed + 1, held=held),
        "invented": Inventor(seed + 2, vocabulary, Letters(seed + 3, held=held)),
    }
    return batches(streams, Examples(packer, random.Random(seed + 4)), random.Random(seed + 5))


def measure(run: Run, packer: Packer, papers: list[yardstick.Paper], log: Callable[[str], None]) -> None:
    """Logs the averaged reader, the shipped ranker and their sum on rows that no weight saw."""
    ranker, own = yardstick.of_ranker(papers), reading.scores(run.averaged(), packer, papers)
    weight, both = yardstick.blended(papers, ranker, own)
    log(f"curve step {run.progress.step} weight of the reader beside the ranker {weight}")
    for name, scored in (("ranker", ranker), ("reader", own), ("both", both)):
        for part, values in yardstick.figures(yardstick.outcomes(papers, scored)).items():
            if part != yardstick.FITTED:
                shown = " ".join(f"{key} {value:.3f}" for key, value in values.items())
                log(f"curve step {run.progress.step} rows {run.progress.rows} {name:6s} {part:22s} {shown}")


def train(
    run: Run, source: Iterator[list[Example]], *, minutes: float, out: Path, measured: Callable[[], None],
    every: float, cool: float,
) -> None:  # fmt: skip
    """Steps for `minutes`, or for `cool` minutes at a falling rate; saves every 4 minutes, measures at `every`."""
    stop, began = _stop_signal(), time.monotonic()
    limit, saved, looked, smooth = 60 * (cool or minutes), began, began, 0.0
    for examples in source:
        now = time.monotonic()
        if now - began >= limit or stop.is_set():
            break
        value = run.step(examples, share=max(0.0, 1 - (now - began) / limit) if cool else 1.0)
        smooth = 0.98 * smooth + 0.02 * value if smooth else value
        if run.progress.step % 25 == 0:
            p = run.progress
            log(f"{p.step} loss {smooth:.3f} rows {p.rows} fields {p.fields} tok/s {p.tokens / p.seconds:.0f}")
        if now - saved > 240 and not cool:
            saved = now
            run.save(out)
        if now - looked > 60 * every:
            looked = now
            measured()
    run.save(out / "cooled" if cool else out, cooled=bool(cool))
    measured()


def log(line: str) -> None:
    """One line with the time of day."""
    print(time.strftime("%H:%M:%S"), line, flush=True)


def _stop_signal() -> threading.Event:
    """Set by SIGTERM: the run then saves and ends, and can be resumed."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "out", "yardstick"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name, default in (("minutes", 45.0), ("every", 10.0), ("cool", 0.0)):
        parser.add_argument(f"--{name}", type=float, default=default)
    for name, default in (("rate", 2e-4), ("head-rate", 1e-3), ("decay", 0.9)):
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(args.base / "tokenizer.json"))
    packer, papers = Packer(tokenizer), yardstick.load(args.yardstick)
    rates = {"rate": args.rate, "head_rate": args.head_rate, "decay": args.decay}
    run = Run(from_base(args.base, marks=packer.marks), rates=rates, seed=args.seed)
    run.resume(args.out)
    (args.out / "run.json").write_text(json.dumps({name: str(value) for name, value in vars(args).items()}))
    seed = args.seed + 10_007 * run.progress.restarts
    source = stream(args.data, packer, sorted(tokenizer.get_vocab()), seed=seed)
    train(run, source, minutes=args.minutes, out=args.out, every=args.every, cool=args.cool,
          measured=lambda: measure(run, packer, papers, log))  # fmt: skip


if __name__ == "__main__":
    main()
