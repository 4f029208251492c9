"""Rows that weights never saw, with every place the recognisers offer, to compare scorers of places on equal terms.

    python -m exporters.extractor.yardstick --data FOLDER --model WEIGHTS --out YARDSTICK.json.gz

A scorer gives each place of a field's pool a logit and null another. Each scorer gets its own Platt scalings from the
part "fitted"; the other parts are measured: whole held-out sources, letters with held-out slots, letters.
"""

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporters.extractor import calibrate, corpora
from exporters.extractor.pack import Ask
from services.extractor.calibration import Calibration, logit, shares
from services.extractor.document import Document
from services.extractor.model import Extractor
from services.extractor.ranker import GROUP_NAMES, group
from services.runtime.onnx.card import Card

FITTED = "fitted"
Floats = NDArray[np.float64]
# Per paper and field: logits of its places, and of null.
Scores = Sequence[Sequence[tuple[Floats, float]]]


@dataclass(frozen=True, slots=True)
class Question:
    """A field with one value on a paper: its n places, which have equal values, which are right, the ranker's logits.

    A field that is not absent may have no right place: then its value is not in the pool, and no scorer can be right.
    """

    ask: Ask
    group: str
    absent: bool
    places: list[list[int]]
    values: list[int]
    right: list[bool]
    logits: list[float]
    null: float


@dataclass(frozen=True, slots=True)
class Paper:
    """A text and what is asked of it."""

    part: str
    source: str
    text: str
    questions: list[Question]


def papers(model: Extractor, rows: Iterable[corpora.Row], part: str) -> Iterable[Paper]:
    """Papers of rows; lists are left out."""
    for row in rows:
        pairs = [(field, answer) for field, answer in corpora.specs(row) if field.type != "list"]
        if not pairs or len(row["text"]) > calibrate.LONGEST_ROW:
            continue
        document = Document(row["text"], reference=corpora.reference_of(row))
        fields = [field for field, _ in pairs]
        pooled = model.scorer.read(document, fields).pooled
        questions = []
        for (field, answer), pool, (logits, null) in zip(pairs, pooled, model.scored(fields, pooled), strict=True):
            candidates = [item.candidate for item in pool.items]
            shown = [corpora.comparable(c.value) for c in candidates]
            order = {value: index for index, value in enumerate(dict.fromkeys(shown))}
            questions.append(
                Question(
                    Ask(field.name, field.type, field.instructions),
                    group(field.sought),
                    answer is None,
                    [[c.start, c.end] for c in candidates],
                    [order[value] for value in shown],
                    corpora.positives(field.type, answer, candidates),
                    [round(float(x), 3) for x in logits],
                    round(null, 3),
                )
            )
        yield Paper(part, row["source"], row["text"], questions)


def save(path: Path, found: Iterable[Paper]) -> None:
    """Writes papers, one JSON line each."""
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(paper), ensure_ascii=False) + "\n" for paper in found)


def load(path: Path) -> list[Paper]:
    """Reads papers."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_paper(json.loads(line)) for line in lines]


def _paper(stored: dict[str, Any]) -> Paper:
    questions = [Question(Ask(**q.pop("ask")), **q) for q in stored.pop("questions")]
    return Paper(**stored, questions=questions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One field under one scorer: share of null, share of the best value among values, and whether that is right."""

    part: str
    source: str
    group: str
    absent: bool
    null: float
    best: float
    right: bool


def outcomes(found: Sequence[Paper], scores: Scores) -> list[Outcome]:
    """What a scorer makes of every field; places of equal value share their probability."""
    out = []
    for paper, scored in zip(found, scores, strict=True):
        for question, (logits, null) in zip(paper.questions, scored, strict=True):
            part, null_share = shares(logits.astype(np.float32), null)
            best, right = 0.0, False
            if len(part):
                mass = np.bincount(question.values, part)
                top = int(mass.argmax())
                best = float(mass[top]) / max(1 - null_share, 1e-9)
                right = question.right[question.values.index(top)]
            out.append(Outcome(paper.part, paper.source, question.group, question.absent, null_share, best, right))
    return out


def scaled(found: Sequence[Outcome]) -> dict[str, Calibration]:
    """Platt scalings per group from the part "fitted"."""
    out = {}
    for name in GROUP_NAMES:
        own = [o for o in found if o.group == name and o.part == FITTED]
        present = [o for o in own if not o.absent]
        null = calibrate.platt([logit(o.null) for o in own], [o.absent for o in own])
        right = calibrate.platt([logit(o.best) for o in present], [o.right for o in present])
        out[name] = Calibration(*null, *right)
    return out


def figures(found: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Per part: exact values where present, nulls where absent, all right, and the calibration error of the claims."""
    scalings = scaled(found)
    rows: dict[str, list[tuple[bool, bool, bool, float]]] = defaultdict(list)
    for o in found:
        null = scalings[o.group].p_null(o.null)
        gone = null > 0.5
        claim = null if gone else (1 - null) * scalings[o.group].confidence(o.best)
        rows[o.part].append((o.absent, gone, o.absent if gone else o.right and not o.absent, claim))
    return {part: _figures(np.array(values, np.float64)) for part, values in rows.items()}


def _figures(rows: Floats) -> dict[str, float]:
    absent, right, claim = rows[:, 0] == 1, rows[:, 2], rows[:, 3]
    bins = np.minimum((claim * 15).astype(int), 14)
    error = sum(abs(float((claim - right)[bins == b].sum())) for b in range(15)) / len(rows)
    return {
        "present": float(right[~absent].mean()) if (~absent).any() else float("nan"),
        "null": float(right[absent].mean()) if absent.any() else float("nan"),
        "all": float(right.mean()),
        "ece": error,
    }


def of_ranker(found: Sequence[Paper]) -> Scores:
    """The shipped ranker's logits."""
    return [[(np.array(q.logits), q.null) for q in paper.questions] for paper in found]


def added(first: Scores, second: Scores, *, weight: float = 1.0) -> Scores:
    """The sum of two scorers' logits, the second one weighted."""
    return [
        [(a + weight * b, n + weight * m) for (a, n), (b, m) in zip(one, other, strict=True)]
        for one, other in zip(first, second, strict=True)
    ]


def loss(found: Sequence[Paper], scores: Scores) -> float:
    """Mean log loss on the part "fitted", of the fields that some place or null answers rightly."""
    total: list[float] = []
    for paper, scored in zip(found, scores, strict=True):
        for question, (logits, null) in zip(paper.questions, scored, strict=True):
            if paper.part == FITTED and (question.absent or any(question.right)):
                part, null_share = shares(logits.astype(np.float32), null)
                good = null_share if question.absent else float(part[np.array(question.right)].sum())
                total.append(-float(np.log(max(good, 1e-9))))
    return float(np.mean(total))


def blended(found: Sequence[Paper], first: Scores, second: Scores) -> tuple[float, Scores]:
    """The weight of the second scorer beside the first that fits the part "fitted" best, and the sum."""
    weight = min((0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5), key=lambda w: loss(found, added(first, second, weight=w)))
    return weight, added(first, second, weight=weight)


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "model", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("--letters", type=int, default=90)
    args = parser.parse_args()
    model = Extractor.load(args.model, Card.load(args.model))
    count, each = args.letters, args.per_file
    parts = {
        FITTED: [
            *calibrate.unseen_letters(count, seed=41, only=calibrate.CALIBRATED_SLOTS),
            *calibrate.letters(count // 2, seed=42),
            *corpora.rows(args.data, corpora.CALIBRATED, per_file=2 * each, seed=43),
        ],
        "held-out sources": corpora.rows(args.data, corpora.HELD, per_file=each, seed=44),
        "letters, unseen slots": calibrate.unseen_letters(count, seed=45, only=calibrate.HELD_SLOTS),
        "letters, seen slots": calibrate.letters(count // 2, seed=46),
    }
    found = [paper for part, rows in parts.items() for paper in papers(model, rows, part)]
    save(args.out, found)
    for part, values in figures(outcomes(found, of_ranker(found))).items():
        print(part, {name: round(value, 3) for name, value in values.items()})


if __name__ == "__main__":
    main()
