"""Measures a model folder on real tables and writes `report.md` and the quality figures of the card.

    python -m exporters.estimator.report services/forecaster/weights/quartet-estimate-0.1.0

Records run through the same code as in the service. The other methods get the same columns, missing cells set to the
mean, and intervals from cross-validated errors.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from exporters.estimator.baselines import METHODS, Floats
from exporters.estimator.evaluation import Real, real_tables
from services.forecaster.estimation import columns
from services.forecaster.estimation.model import Estimator, Question
from services.forecaster.estimation.records import split
from services.runtime.onnx.card import Card

LEVELS: Final = tuple(round(i / 10, 1) for i in range(1, 10))
SIZES: Final = (4, 8, 16, 32, 64)

_SPLITS: Final = 4
_ASKED: Final = 24
_OURS: Final = "estimate"
_SEED: Final = 1

Scores = dict[tuple[str, int, str], list[tuple[float, float, float, float]]]


def measure(model: Estimator, tables: list[Real]) -> tuple[Scores, list[float]]:
    """(pinball, absolute error, covered, width) by table, size and method; and our CPU milliseconds per answer."""
    scores: Scores = {}
    cpu: list[float] = []
    for table in tables:
        r = np.random.default_rng(_SEED)
        spread = float(np.std([record[table.target] for record in table.records]))
        for size in (s for s in SIZES if s + 8 <= len(table.records)):
            for _ in range(_SPLITS):
                pick = r.permutation(len(table.records))[: size + _ASKED]
                for method, q, truth in _answers(model, table, pick, size, cpu):
                    scores.setdefault((table.name, size, method), []).append(_score(q, truth, spread))
    return scores, cpu


def _answers(model: Estimator, table: Real, pick: Any, size: int, cpu: list[float]) -> Any:
    """(method, quantiles, truth) of one split; nothing where all stated targets are equal."""
    rows = [table.records[i] for i in pick]
    queries = [{key: value for key, value in row.items() if key != table.target} for row in rows[size:]]
    truth = np.array([float(row[table.target]) for row in rows[size:]])
    began = time.process_time()
    found = split(rows[:size], queries, table.target)
    made = columns.build(found.stated, found.asked)
    y = np.array(found.target.values)
    (answer,) = model.run([Question(made.stated, y, made.asked, LEVELS)])
    cpu.append((time.process_time() - began) * 1_000)
    if isinstance(answer, Exception):
        raise answer
    if np.ptp(y) == 0:
        return
    yield _OURS, answer.quantiles, truth
    for name, method in METHODS.items():
        yield name, method(made.stated, y, made.asked, np.array(LEVELS)), truth


def _score(q: Floats, truth: Floats, spread: float) -> tuple[float, float, float, float]:
    levels = np.array(LEVELS)
    error = truth[:, None] - q
    pinball = 2 * float(np.maximum(levels * error, (levels - 1) * error).mean()) / spread
    covered = float(((truth >= q[:, 0]) & (truth <= q[:, -1])).mean())
    return pinball, float(np.abs(error[:, 4]).mean()) / spread, covered, float((q[:, -1] - q[:, 0]).mean()) / spread


def report(folder: Path) -> str:
    """Measure, write `report.md`, put the summary into the card, and return the report."""
    card = Card.load(folder)
    tables = list(real_tables())
    scores, cpu = measure(Estimator.load(folder, card), tables)
    means = {key: np.mean(value, 0) for key, value in scores.items()}
    names = [t.name for t in tables if any(key[0] == t.name for key in means)]
    won = {name: _wins(means, name) for name in names}
    pairs = [win for wins in won.values() for win in wins.values()]
    whole = [_overall(means, name) for name in names]
    ours = np.mean([m for key, m in means.items() if key[2] == _OURS], 0)
    quality = {
        "tables": float(len(names)),
        "tables_won_share": round(float(np.mean(whole)), 3),
        "tables_and_sizes_won_share": round(float(np.mean(pairs)), 3),
        "tables_best_share": round(float(np.mean([_overall(means, name, among=np.min) for name in names])), 3),
        "pinball_of_spread": round(float(ours[0]), 4),
        "coverage_80": round(float(ours[2]), 3),
    }
    text = _text(card, means, names, won, quality, float(np.median(cpu)))
    (folder / "report.md").write_text(text, encoding="utf-8")
    replace(card, quality=quality).save(folder)
    return text


def _sizes(means: Any, name: str) -> list[int]:
    return [size for size in SIZES if (name, size, _OURS) in means]


def _wins(means: Any, name: str) -> dict[int, bool]:
    """By size: whether our pinball is below the median of the others'."""
    return {
        size: bool(means[name, size, _OURS][0] < np.median([means[name, size, m][0] for m in METHODS]))
        for size in _sizes(means, name)
    }


def _overall(means: Any, name: str, *, among: Callable[..., Any] = np.median) -> bool:
    """The same for the mean over the sizes; `among=np.min` asks for the best of the others."""
    sizes = _sizes(means, name)
    per = {m: np.mean([means[name, size, m][0] for size in sizes]) for m in (_OURS, *METHODS)}
    return bool(per[_OURS] < among([per[m] for m in METHODS]))


_ABOUT: Final = """\
Pinball (doubled, levels 0.1 ... 0.9), absolute error of the median, and width of the 80 % interval are in parts of the
target's standard deviation; means over tables of means over 4 random splits with up to 24 asked rows. A table is "won"
where our pinball is below the median of the four other methods', and "best" where it is below all of theirs. In some
tables another column nearly states the target (Cars93, Wage, Fatalities, msleep); all methods see it."""


def _text(
    card: Card, means: Any, names: list[str], won: dict[str, dict[int, bool]], quality: dict[str, float], cpu_ms: float
) -> str:
    lines = [f"# {card.id}", "", f"{card.extra['parameters']:,} parameters, {card.exporter['steps_done']:,} steps.", ""]
    lines += [_ABOUT, "", f"{len(names)} tables; won over all sizes {quality['tables_won_share']:.0%}, best "]
    lines[-1] += f"{quality['tables_best_share']:.0%}, won per size "
    lines[-1] += f"{quality['tables_and_sizes_won_share']:.0%}; coverage {quality['coverage_80']:.3f}; "
    lines[-1] += f"{cpu_ms:.1f} CPU ms per request of up to 24 rows, checks and calibration included."
    lines += ["", "| stated rows | method | pinball | absolute error | coverage | width |", "|---" * 6 + "|"]
    for size in SIZES:
        for method in (_OURS, *METHODS):
            m = np.mean([means[n, size, method] for n in names if (n, size, method) in means], 0)
            lines.append(f"| {size} | {method} | {m[0]:.3f} | {m[1]:.3f} | {m[2]:.2f} | {m[3]:.2f} |")
    lines += [
        "",
        "## Every table",
        "",
        "| table | " + " | ".join(f"{s} rows: ours / median of others" for s in SIZES) + " |",
    ]
    lines.append("|---" * (len(SIZES) + 1) + "|")
    for name in names:
        cells = []
        for size in SIZES:
            if size in won[name]:
                other = np.median([means[name, size, m][0] for m in METHODS])
                cells.append(f"{means[name, size, _OURS][0]:.3f} / {other:.3f}")
            else:
                cells.append("-")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="model folder")
    print(report(parser.parse_args().folder))


if __name__ == "__main__":
    main()
