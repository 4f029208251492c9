"""Rows of the development corpora, and which sources are held out of every fit."""

import datetime as dt
import gzip
import json
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from services.extractor.fields import FieldSpec
from services.extractor.recognisers import durations
from services.extractor.recognisers.conventions import Conventions
from services.extractor.values import Candidate, Duration, Money, Value, to_json

Row = dict[str, Any]
# Whole sources: neither weights nor calibration ever see them.
HELD = ("sroie_receipts", "presidio_pii", "polyai_", "tatqa", "botframework_lu", "crossner_", "covidqa_en",
    "wikigold", "sec_filings", "recognizers_dutch", "recognizers_parsers_spanish")  # fmt: skip
FITTED = ("sgd.", "snips", "hwu_nlu", "recognizers_english", "recognizers_parsers_english",
    "recognizers_parsers_portuguese", "rnnlg_", "grobid_", "usaddress", "address_formatting",
          "gum_dates", "ingredients", "probablepeople", "qamr_en", "anystyle_citations", "uner_english", "e2e_nlg",
          "skillspan_jobs", "squad_it", "broad_twitter", "europeana_news_")  # fmt: skip
CALIBRATED = (
    "wikitablequestions",
    "uner_pt",
    "qed_nq_en",
    "recognizers_italian",
    "recognizers_parsers_dutch",
    "bio_bc5cdr",
    "user_agents",
)
_SKIPPED = ("gsm8k", "sgd_computed")


def sources(root: Path, names: tuple[str, ...], *, part: str) -> list[Path]:
    """Files of the named sources; `part` is train or test."""
    files = sorted(root.glob(f"*.{part}.jsonl.gz"))
    return [f for f in files if f.name.startswith(names) and not f.name.startswith(_SKIPPED)]


def sample(path: Path, count: int, *, seed: int) -> list[Row]:
    """`count` rows of one file, drawn without reading it twice."""
    rng = random.Random(f"{seed}:{path.name}")
    kept: list[Row] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for index, line in enumerate(lines):
            if len(kept) < count:
                kept.append(json.loads(line) | {"source": path.name.split(".")[0]})
            elif (place := rng.randrange(index + 1)) < count:
                kept[place] = json.loads(line) | {"source": path.name.split(".")[0]}
            if index > 6000:
                break
    return kept


def reference_of(row: Row) -> dt.date | None:
    """The conversation day that one corpus states in its instructions."""
    return dt.date(2019, 3, 1) if str(row.get("source", "")).startswith("sgd") else None


def specs(row: Row) -> list[tuple[FieldSpec, Any]]:
    """(field, answer) of each field that is read from the text; computed answers are left out."""
    out = []
    for index, (name, field) in enumerate(row["fields"].items()):
        answer = row["answers"][name]
        if answer is not None and "span" not in answer and "spans" not in answer:
            continue
        listed = field["type"] == "list"
        out.append(
            (
                FieldSpec(
                    name or f"field_{index}",
                    field["type"],
                    field.get("instructions") or "",
                    items="text" if listed else "",
                ),
                answer,
            )
        )
    return out


def gold_values(kind: str, answer: Any) -> list[str]:
    """Comparable forms of an answer; one per item of a list."""
    if answer is None:
        return []
    value = answer["value"]
    if kind == "duration":
        found = list(durations.find(str(value), Conventions()))
        return [comparable(found[0].value)] if found else ["?"]
    if kind == "list":
        return [str(v).strip() for v in value]
    if kind in ("number", "money"):
        return [to_json(Decimal(str(value)))]
    return [str(value).strip()]


def comparable(value: Value | None) -> str:
    """Form of a read value that equals the form of a right answer."""
    if value is None:
        return ""
    if isinstance(value, Money):
        return to_json(value.amount)
    if isinstance(value, Duration):
        return f"{value.months.normalize()}m{value.seconds.normalize()}s"
    return value.strip() if isinstance(value, str) else to_json(value).strip('"')


def comparable_seconds(shown: str) -> Decimal:
    """Seconds of a duration's comparable form; -1 for one that no length of time has."""
    if shown == "?":
        return Decimal(-1)
    months, _, seconds = shown.rstrip("s").partition("m")
    return Duration(Decimal(months), Decimal(seconds)).to("seconds")


def positives(kind: str, answer: Any, candidates: list[Candidate]) -> list[bool]:
    """Which candidates answer the field."""
    gold = set(gold_values(kind, answer))
    return [comparable(c.value) in gold for c in candidates]


def rows(root: Path, names: tuple[str, ...], *, per_file: int, seed: int, part: str = "train") -> Iterator[Row]:
    """A sample of every named source."""
    for path in sources(root, names, part=part):
        yield from sample(path, per_file, seed=seed)
