"""Fits the ranker and the calibration of the extractor on samples of the development corpora and invented letters.

    python -m exporters.extractor.calibrate --data FOLDER --model services/extractor/weights/quartet-extract-0.1.0

Three disjoint parts: `corpora.FITTED` and most slots of the letters fit the ranker; `corpora.CALIBRATED` and
CALIBRATED_SLOTS, unseen by it, fit the two Platt scalings; `corpora.HELD` and HELD_SLOTS are for `report` alone.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exporters.extractor import card, corpora, ranking
from exporters.extractor.letters import Letters
from exporters.extractor.ranking import Case
from services.extractor import ranker
from services.extractor.calibration import logit, shares
from services.extractor.document import Document
from services.extractor.ranker import GROUP_NAMES, Ranker, group
from services.extractor.scorer import Scorer

CALIBRATED_SLOTS = frozenset(
    ("rent", "departure", "contact_person", "serial", "start_date", "tip", "warranty", "salary", "company")
)
HELD_SLOTS = frozenset(("shipping_cost", "end_date", "tracking", "damage", "deposit", "birth_date", "duration"))
LIST_MARGIN = 1.0
Weights = NDArray[np.float64]
LONGEST_ROW = 4000


def cases(scorer: Scorer, rows: Iterable[corpora.Row]) -> Iterator[tuple[str, Case]]:
    """(group, case) of every field whose answer is in its pool or absent."""
    rng = np.random.default_rng(5)
    for row in rows:
        pairs = corpora.specs(row)
        if not pairs or len(row["text"]) > LONGEST_ROW:
            continue
        document = Document(row["text"], reference=corpora.reference_of(row))
        reading = scorer.read(document, [field for field, _ in pairs])
        for (field, answer), pooled in zip(pairs, reading.pooled, strict=True):
            right = np.array(corpora.positives(field.type, answer, [i.candidate for i in pooled.items]), bool)
            if answer is None or right.any():
                case = ranking.case(pooled, right, absent=answer is None, source=row["source"], rng=rng)
                yield group(field.sought), case


def letters(count: int, *, seed: int, without: frozenset[str] = CALIBRATED_SLOTS | HELD_SLOTS) -> Iterator[corpora.Row]:
    """Invented rows that do not ask for the slots in `without`."""
    stream = Letters(seed, held=without)
    for _ in range(count):
        yield stream.row() | {"source": "letters"}


def unseen_letters(count: int, *, seed: int, only: frozenset[str]) -> Iterator[corpora.Row]:
    """Invented rows that ask for the slots in `only` alone."""
    stream = Letters(seed, held=only, only_held=True)
    rows = (stream.row() | {"source": "letters_unseen"} for _ in range(count))
    return (row for row in rows if row["fields"])


def gathered(scorer: Scorer, rows: Iterable[corpora.Row]) -> dict[str, list[Case]]:
    """Cases by group."""
    out: dict[str, list[Case]] = defaultdict(list)
    for name, case in cases(scorer, rows):
        out[name].append(case)
    return out


def outcomes(fitted: Ranker, found: Sequence[Case]) -> tuple[list[float], list[bool], list[float], list[bool]]:
    """(log odds of null, absent) of all cases and (log odds of the best value, right) of those with an answer."""
    null_odds, absent, right_odds, right = [], [], [], []
    for case in found:
        items = case.items.astype(np.float32)
        hidden = np.maximum(items @ fitted.item_in + fitted.item_bias, 0)
        raised = np.maximum(case.null @ fitted.null_in + fitted.null_bias, 0)
        null = float(case.null @ fitted.null_direct + raised @ fitted.null_out)
        share, null_share = shares(items @ fitted.item_direct + hidden @ fitted.item_out, null)
        null_odds.append(logit(null_share))
        absent.append(case.absent)
        if not case.absent and len(share):
            best = int(share.argmax())
            # Places of equal value share their probability, as they do when a field is answered.
            mass = float(share[case.right].sum()) if case.right[best] else float(share[best])
            right_odds.append(logit(mass / max(1 - null_share, 1e-9)))
            right.append(bool(case.right[best]))
    return null_odds, absent, right_odds, right


def platt(odds: Sequence[float], truth: Sequence[bool], *, steps: int = 100) -> tuple[float, float]:
    """Slope and shift by Newton's method on the log loss, with a weak pull towards slope 1 and shift 0.

    A step that does not lower the loss is halved until it does, so that far odds cannot throw the fit off.
    """
    x = np.stack([np.array(odds, float), np.ones(len(odds))], 1)
    y, start, pull = np.array(truth, float), np.array([1.0, 0.0]), 2.0

    def cost(w: Weights) -> float:
        z = x @ w
        return float((np.logaddexp(0, z) - y * z).sum() + 0.5 * pull * ((w - start) ** 2).sum())

    w = start
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (p - y) + pull * (w - start)
        curve = (x * (p * (1 - p))[:, None]).T @ x + pull * np.eye(2)
        move = np.linalg.solve(curve, gradient)
        while cost(w - move) > cost(w) and np.abs(move).max() > 1e-9:
            move = move / 2
        w = w - move
        if np.abs(move).max() < 1e-9:
            break
    return float(w[0]), float(w[1])


def calibration(fitted: Ranker, found: Sequence[Case]) -> dict[str, float]:
    """The two Platt scalings of one group."""
    null_odds, absent, right_odds, right = outcomes(fitted, found)
    null_slope, null_shift = platt(null_odds, absent)
    right_slope, right_shift = platt(right_odds, right)
    return {"null_slope": null_slope, "null_shift": null_shift, "right_slope": right_slope, "right_shift": right_shift}


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--letters", type=int, default=1600)
    parser.add_argument("--per-file", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--members", type=int, default=3, help="fits whose logits are averaged")
    options = parser.parse_args()
    began, scorer = time.monotonic(), Scorer(options.model)
    fitting = [
        *letters(options.letters, seed=11),
        *corpora.rows(options.data, corpora.FITTED, per_file=options.per_file, seed=1),
    ]
    checking = [
        *unseen_letters(options.letters // 4, seed=21, only=CALIBRATED_SLOTS),
        *letters(options.letters // 6, seed=22),
        *corpora.rows(options.data, corpora.CALIBRATED, per_file=options.per_file // 2, seed=2),
    ]
    fit_cases, check_cases = gathered(scorer, fitting), gathered(scorer, checking)
    print(
        {name: (len(fit_cases[name]), len(check_cases[name])) for name in GROUP_NAMES},
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )
    rankers = {
        name: ranking.together(
            [ranking.fit(fit_cases[name], epochs=options.epochs, seed=3 + member) for member in range(options.members)]
        )
        for name in GROUP_NAMES
    }
    ranker.save(options.model, rankers)
    stored = {
        "groups": {name: calibration(rankers[name], check_cases[name]) for name in GROUP_NAMES},
        "list_margin": LIST_MARGIN,
    }
    card.write(options.model, calibration=stored)
    print(json.dumps(stored, indent=2), f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
