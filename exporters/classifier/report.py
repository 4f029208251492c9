"""Gate report of a model folder: fits temperatures on unseen sources, measures, writes `report.md` and the card.

python -m exporters.classifier.report --model FOLDER --weights RUN/average.safetensors --base MINILM --data DECISIONS
"""

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from exporters.classifier import cosine
from exporters.classifier.canary import canary_samples
from exporters.classifier.data import HELD, TRAINED_SPLITS, Corpus, Sample
from exporters.classifier.evaluate import (
    Scored,
    Table,
    accuracy,
    apply,
    apply_unseen,
    ask,
    calibration_error,
    fit,
    held_samples,
    macro,
    majority,
    request,
    scored,
)
from exporters.classifier.export import marked
from exporters.classifier.graph import build
from exporters.classifier.model import from_base
from services.classifier.model import Classifier
from services.classifier.packing import Pieces
from services.classifier.values import Option, Request, choice, noul
from services.runtime.onnx.card import Card

Floats = npt.NDArray[np.float64]
KINDS = ("choice", "noul", "score")


@dataclass(frozen=True, slots=True)
class Drift:
    """How far answers move: largest and mean change of a probability, and the share of changed top answers."""

    largest: float
    mean: float
    flips: float


def plain(folder: Path) -> Classifier:
    """The model of a folder with temperatures of 1."""
    card = Card.load(folder)
    return Classifier(folder, replace(card, calibration={"temperatures": {}}))


def as_float(folder: Path, weights: Path, *, heads: int, into: Path) -> Classifier:
    """The same weights without rounding."""
    graph = build(marked(load_file(weights), folder / "tokenizer.json"), heads=heads, int8=False)
    onnx.save(graph, into / "model.onnx")
    (into / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    return Classifier(into, replace(Card.load(folder), calibration={"temperatures": {}}))


def drift(pairs: Sequence[tuple[Floats, Floats]]) -> Drift:
    """Between pairs of probabilities (options,) of the same question."""
    change = [np.abs(a - b).max() for a, b in pairs]
    flips = [int(np.argmax(a)) != int(np.argmax(b)) for a, b in pairs]
    return Drift(float(np.max(change)), float(np.mean(change)), float(np.mean(flips)))


def turned(asked: Request) -> Request:
    """The request with its questions in reverse, other ids, reversed options of choices, and a neighbour more."""
    questions = [
        replace(
            question,
            id=f"x{question.id}",
            options=question.options[::-1] if question.kind == "choice" else question.options,
        )
        for question in asked.questions
    ][::-1]
    return replace(asked, questions=(noul("new", "Is this about the weather in Spain?"), *questions))


def permuted(model: Classifier, samples: Sequence[Sample]) -> Drift:
    """What turning requests around changes."""
    pairs = []
    for sample in samples:
        asked = request(sample)
        before, after = ask(model, asked), ask(model, turned(asked))[:0:-1]
        for question, a, b in zip(asked.questions, before, after, strict=True):
            pairs.append((a, b[::-1] if question.kind == "choice" else b))
    return drift(pairs)


def with_option(model: Classifier, samples: Sequence[Sample]) -> Drift:
    """What one more option changes in the shares of the others."""
    pairs = []
    for sample in samples:
        asked = request(sample)
        wider = tuple(
            replace(question, options=(*question.options, Option("a visit to the moon")))
            if question.kind == "choice"
            else question
            for question in asked.questions
        )
        for question, a, b in zip(
            asked.questions, ask(model, asked), ask(model, replace(asked, questions=wider)), strict=True
        ):
            if question.kind == "choice":
                pairs.append((a, b[:-1] / b[:-1].sum()))
    return drift(pairs)


def speed(model: Classifier) -> dict[str, float]:
    """Least processor milliseconds of a few shapes of request, on one thread."""
    state = "The parcel came late and the box was open. " * 9
    few = (choice("a", ["delivery", "price", "quality"], "What is this about?"), noul("b", "Is it a complaint?"))
    many = tuple(replace(few[n % 2], id=str(n), instructions=f"{few[n % 2].instructions} ({n})") for n in range(10))
    shapes = {"ms_2_questions_120_tokens": Request(state, few), "ms_10_questions_100_token_state": Request(state, many)}
    return {name: _least(model, asked) for name, asked in shapes.items()}


def _least(model: Classifier, asked: Request) -> float:
    times = []
    for _ in range(12):
        start = time.process_time()
        model.decide(model.prepare(asked))
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def source_table(
    rows: Sequence[Scored], samples: Mapping[str, Sequence[Sample]], base: Mapping[str, float]
) -> list[str]:
    """One line per unseen source."""
    lines = ["| unseen source | questions | accuracy | choice | yes/no | score | cosine | majority |", "|" + "---|" * 8]
    for source, own in samples.items():
        found = [row for row in rows if row.source == source]
        kinds = [accuracy(row for row in found if row.kind == kind) for kind in KINDS]
        cells = [accuracy(found), *kinds, base[source], majority(own)]
        lines.append(
            f"| {source} | {len(found)} | " + " | ".join("-" if np.isnan(c) else f"{c:.3f}" for c in cells) + " |"
        )
    return lines


Rows = Mapping[str, Sequence[Sample]]
Figures = dict[str, float]


def measure(args: argparse.Namespace) -> tuple[Card, str]:
    """Everything; returns the card with calibration and quality, and the report as text."""
    model = plain(args.model)
    samples = held_samples(Corpus.load(args.data, splits=(*TRAINED_SPLITS, "test"), only=HELD), each=args.each)
    seen = held_samples(Corpus.load(args.data, splits=("test",), skip=HELD), each=args.each_seen)
    rows, seen_rows = scored(model, samples), scored(model, seen)
    table, base = fit(rows), cosines(args.base, samples)
    figures = answer_figures(rows, seen_rows, table)
    figures["accuracy_unseen_macro_cosine"] = float(np.mean(list(base.values())))
    figures["accuracy_unseen_macro_majority"] = float(np.mean([majority(own) for own in samples.values()]))
    figures |= canary_figures(model, args.canary, table) if args.canary else {}
    figures |= rounding_figures(args, model, {source: own[: args.each // 3] for source, own in samples.items()})
    some = [sample for own in samples.values() for sample in own[:15]]
    figures |= _named("permutation", permuted(model, some)) | _named("more_options", with_option(model, some))
    figures = {name: round(value, 5) for name, value in (figures | speed(model)).items()}
    calibration = {"temperatures": table, "fitted_on": list(samples), "questions": len(rows)}
    card = replace(Card.load(args.model), calibration=calibration, quality=figures)
    return card, page(card, source_table(rows, samples, base), table)


def answer_figures(rows: Sequence[Scored], seen: Sequence[Scored], table: Table) -> Figures:
    """Accuracy and calibration on unseen sources and on the test splits of trained ones."""
    unseen = apply_unseen(rows)
    figures = {"accuracy_unseen_macro": macro(rows), "accuracy_seen_macro": macro(seen)}
    for kind in KINDS:
        raw, after, known = ([row for row in part if row.kind == kind] for part in (rows, unseen, seen))
        figures[f"accuracy_unseen_{kind}"] = macro(raw)
        figures[f"accuracy_seen_{kind}"] = macro(known)
        figures[f"ece_unseen_{kind}_raw"] = calibration_error(raw)
        figures[f"ece_unseen_{kind}"] = calibration_error(after)
        figures[f"ece_seen_{kind}"] = calibration_error(apply(known, table))
    return figures


def canary_figures(model: Classifier, path: Path, table: Table) -> Figures:
    """Accuracy and calibration on sys1bench's canary; its majority is counted over all its questions."""
    samples = canary_samples(path)
    rows = apply(scored(model, samples), table)
    figures = {"canary_accuracy": accuracy(rows), "canary_ece": calibration_error(rows)}
    figures["canary_majority"] = majority([sample for own in samples.values() for sample in own])
    for kind in KINDS:
        figures[f"canary_accuracy_{kind}"] = accuracy(row for row in rows if row.kind == kind)
    return figures


def rounding_figures(args: argparse.Namespace, model: Classifier, samples: Rows) -> Figures:
    """int8 against float on the same rows."""
    heads = json.loads((args.base / "config.json").read_text())["num_attention_heads"]
    with tempfile.TemporaryDirectory() as into:
        exact = scored(as_float(args.model, args.weights, heads=heads, into=Path(into)), samples)
    rounded = scored(model, samples)
    moved = drift([(a.probabilities, b.probabilities) for a, b in zip(exact, rounded, strict=True)])
    return {"accuracy_same_rows_fp32": macro(exact), "accuracy_same_rows_int8": macro(rounded)} | _named("int8", moved)


def cosines(base: Path, samples: Rows) -> Figures:
    """Accuracy of untrained sentence vectors on each source."""
    pieces = Pieces(Tokenizer.from_file(str(base / "tokenizer.json")))
    encoder = from_base(base, markers=(pieces.question, pieces.option)).eval()
    return {source: cosine.right(encoder, pieces, own[:100]) for source, own in samples.items()}


def _named(name: str, found: Drift) -> Figures:
    return {f"{name}_largest_change": found.largest, f"{name}_mean_change": found.mean, f"{name}_flips": found.flips}


def page(card: Card, sources: Sequence[str], table: Table) -> str:
    """The report."""
    lines = (
        f"# {card.id}: gate report",
        "",
        "Unseen sources were never trained on. Calibration errors are of temperatures fitted on the other sources.",
        "Cosine: untrained sentence vectors, 100 rows. Majority: the most frequent answer per wording, known before.",
        "",
        *sources,
        "",
        "| figure | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in card.quality.items()),
        "",
        "Temperatures (most options, value):",
        "",
        *(f"    {kind}: {values}" for kind, values in table.items()),
        "",
    )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "weights", "base", "data"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--canary", type=Path, help="canary.jsonl of sys1bench")
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--each-seen", type=int, default=15)
    args = parser.parse_args()
    card, text = measure(args)
    card.save(args.model)
    (args.model / "report.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
