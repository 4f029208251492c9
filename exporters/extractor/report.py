"""Measures the extractor on held-out sources and slots, against word overlap alone and sentence vectors alone.

    python -m exporters.extractor.report --data FOLDER --model services/extractor/weights/quartet-extract-0.1.0

Writes report.md into the model folder and its figures, with the calibration and all checksums, into card.json.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from exporters.extractor import card, corpora
from exporters.extractor.calibrate import CALIBRATED_SLOTS, HELD_SLOTS, LONGEST_ROW, letters, unseen_letters
from services.extractor.answers import Answer
from services.extractor.document import Document
from services.extractor.features import PAIR, Pooled
from services.extractor.fields import FieldSpec
from services.extractor.model import Extractor, Query
from services.extractor.scorer import Scorer
from services.runtime.onnx.card import Card

SYSTEMS = ("word overlap", "sentence vectors", "quartet")


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer of one system: whether it is right, and the probability it claims for that."""

    source: str
    type: str
    absent: bool
    null: bool
    right: bool
    claimed: float


def claimed(answer: Answer) -> float:
    """Probability that the answer is right: p_null for a null, else that a value exists and is this one."""
    return answer.p_null if answer.value in ("null", "[]") else (1 - answer.p_null) * answer.confidence


def right(spec: FieldSpec, answer: Answer, text: str, gold: Any) -> bool:
    """Whether an answer equals the gold one: by value, for text by the exact string."""
    wanted = corpora.gold_values(spec.type, gold)
    if answer.value in ("null", "[]"):
        return not wanted
    read = json.loads(answer.value, parse_float=Decimal, parse_int=Decimal)
    if spec.type == "list":
        return [str(v).strip() for v in read] == wanted
    if spec.type == "duration":
        return bool(wanted) and corpora.comparable_seconds(wanted[0]) == read
    shown = read["amount"] if isinstance(read, dict) else read
    if spec.type in ("number", "money"):
        return bool(wanted) and Decimal(shown) == Decimal(wanted[0])
    return bool(wanted) and str(shown).strip() == wanted[0]


def _baseline(pooled: Pooled, column: Sequence[int], weights: Sequence[float]) -> tuple[int, float]:
    if not pooled.items:
        return -1, float("-inf")
    score = pooled.pair[:, column] @ np.array(weights, np.float32)
    return int(score.argmax()), float(score.max())


_OVERLAP = ([PAIR.index("name_left"), PAIR.index("hint_left")], (1.0, 0.5))
_VECTORS = ([PAIR.index("mean_left")], (1.0,))


def baselines(scorer: Scorer, rows: Iterable[corpora.Row]) -> list[tuple[str, str, bool, list[tuple[float, bool]]]]:
    """Per simple field: source, type, absent, and (score, best place is right) of both baselines."""
    out = []
    for row in rows:
        pairs = [(f, a) for f, a in corpora.specs(row) if f.type != "list"]
        if not pairs or len(row["text"]) > LONGEST_ROW:
            continue
        document = Document(row["text"], reference=corpora.reference_of(row))
        reading = scorer.read(document, [field for field, _ in pairs])
        for (field, gold), pooled in zip(pairs, reading.pooled, strict=True):
            good = corpora.positives(field.type, gold, [i.candidate for i in pooled.items])
            scored = [_baseline(pooled, *system) for system in (_OVERLAP, _VECTORS)]
            out.append(
                (row["source"], field.type, gold is None, [(score, at >= 0 and good[at]) for at, score in scored])
            )
    return out


def thresholds(found: list[tuple[str, str, bool, list[tuple[float, bool]]]]) -> list[float]:
    """Per baseline: the score below which it says null, chosen for most right answers."""
    best = []
    for system in range(2):
        scores = sorted({round(f[3][system][0], 3) for f in found if np.isfinite(f[3][system][0])})
        tried = scores[:: max(1, len(scores) // 60)]
        best.append(max(tried, key=lambda t: sum(f[2] if f[3][system][0] < t else f[3][system][1] for f in found)))
    return best


def judged(model: Extractor, rows: Iterable[corpora.Row]) -> list[Judged]:
    """The model's answers through the same call that the service makes."""
    out = []
    for row in rows:
        pairs = corpora.specs(row)
        if not pairs or len(row["text"]) > LONGEST_ROW:
            continue
        specs = [field for field, _ in pairs]
        result = model.extract(Query(row["text"], tuple(specs), corpora.reference_of(row)))
        for (spec, gold), answer in zip(pairs, result.answers, strict=True):
            null = answer.value in ("null", "[]")
            out.append(
                Judged(
                    row["source"],
                    spec.type,
                    gold is None,
                    null,
                    right(spec, answer, row["text"], gold),
                    claimed(answer),
                )
            )
    return out


def ece(found: Sequence[Judged], bins: int = 15) -> float:
    """Expected calibration error over equal bins of the claimed probability."""
    total = 0.0
    for index in range(bins):
        inside = [
            j for j in found if index / bins <= j.claimed < (index + 1) / bins or (index == bins - 1 and j.claimed == 1)
        ]
        if inside:
            total += (
                len(inside)
                / len(found)
                * abs(float(np.mean([j.claimed for j in inside])) - float(np.mean([j.right for j in inside])))
            )
    return total


def figures(found: Sequence[Judged]) -> dict[str, float]:
    """Exact values where present, nulls where absent, hallucinations, all right, ECE."""
    present, absent = [j for j in found if not j.absent], [j for j in found if j.absent]

    def mean(values: list[bool]) -> float:
        return float(np.mean(values)) if values else float("nan")

    return {
        "fields": float(len(found)),
        "present": mean([j.right for j in present]),
        "null": mean([j.null for j in absent]),
        "hallucination": mean([not j.null for j in absent]),
        "all": mean([j.right for j in found]),
        "ece": ece(found) if found else float("nan"),
    }


def table(rows: dict[str, dict[str, float]]) -> list[str]:
    """A markdown table of figures."""
    columns = ("fields", "present", "null", "hallucination", "all", "ece")
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, values in rows.items():
        shown = [str(int(values["fields"])), *(f"{values[c]:.3f}" for c in columns[1:])]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return lines


def _as_judged(
    found: list[tuple[str, str, bool, list[tuple[float, bool]]]], system: int, threshold: float
) -> list[Judged]:
    out = []
    for source, kind, absent, scored in found:
        score, good = scored[system]
        null = score < threshold
        out.append(Judged(source, kind, absent, null, absent if null else good, 1.0 if null else 0.5))
    return out


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--letters", type=int, default=300)
    parser.add_argument("--per-file", type=int, default=30)
    options = parser.parse_args()
    model = Extractor.load(options.model, Card.load(options.model))
    began = time.monotonic()
    held = list(corpora.rows(options.data, corpora.HELD, per_file=options.per_file, seed=7))
    unseen = list(unseen_letters(options.letters, seed=31, only=HELD_SLOTS))
    seen = list(letters(options.letters // 2, seed=32))
    tune = [
        *unseen_letters(options.letters // 2, seed=33, only=CALIBRATED_SLOTS),
        *corpora.rows(options.data, corpora.CALIBRATED, per_file=10, seed=8),
    ]
    scorer = Scorer(options.model)
    limits = thresholds(baselines(scorer, tune))
    parts = {"held-out sources": held, "letters, unseen slots": unseen, "letters, seen slots": seen}
    lines = ["# Gate report", ""]
    quality: dict[str, float] = {}
    for title, rows in parts.items():
        plain = baselines(scorer, rows)
        answers = judged(model, rows)
        simple = [j for j in answers if j.type != "list"]
        shown = {name: figures(_as_judged(plain, i, limits[i])) for i, name in enumerate(SYSTEMS[:2])}
        shown["quartet"] = figures(simple)
        lists = [j for j in answers if j.type == "list"]
        if lists:
            shown["quartet, lists"] = figures(lists)
        lines += [f"## {title}", "", *table(shown), ""]
        key = title.replace("letters, ", "letters_").replace(" ", "_").replace("-", "_")
        quality |= {f"{key}.{name}": round(value, 4) for name, value in shown["quartet"].items() if name != "fields"}
        quality |= {
            f"{key}.word_overlap_all": round(shown["word overlap"]["all"], 4),
            f"{key}.sentence_vectors_all": round(shown["sentence vectors"]["all"], 4),
        }
        by: dict[str, list[Judged]] = defaultdict(list)
        for j in simple:
            by[f"{j.type}"].append(j)
            if title.startswith("held"):
                by[j.source].append(j)
        lines += [*table({name: figures(found) for name, found in sorted(by.items())}), ""]
    lines.append(
        f"Simple fields unless said otherwise; baselines have no probabilities, so their ECE means nothing. "
        f"{time.monotonic() - began:.0f} s."
    )
    (options.model / "report.md").write_text("\n".join(lines) + "\n")
    card.write(options.model, quality=quality)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
