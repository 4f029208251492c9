"""Rows of sys1bench's canary file as samples. It is for measuring only and was kept out of training."""

import json
from pathlib import Path
from typing import Any

from exporters.classifier.data import Item, Sample, one_hot


def canary_samples(path: Path) -> dict[str, list[Sample]]:
    """Samples by domain; questions without a known answer among their options are left out."""
    found: dict[str, list[Sample]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        items = tuple(made for question in row["questions"].values() if (made := _item(question)))
        if items:
            found.setdefault(row["domain"], []).append(Sample(row["state"], items))
    return found


def _item(question: dict[str, Any]) -> Item | None:
    kind, truth, asked = question["type"], question["ground_truth"], question["instructions"]
    if kind == "noul":
        return None if truth is None else Item(kind, asked, (("no", None), ("yes", None)), one_hot(2, int(truth)))
    key = "key" if kind == "choice" else "level"
    keys = [entry[key] for entry in question["criteria"]]
    if truth not in keys:
        return None
    names = keys if kind == "choice" else [""] * len(keys)
    options = tuple((name, entry["description"]) for name, entry in zip(names, question["criteria"], strict=True))
    return Item(kind, asked, options, one_hot(len(keys), keys.index(truth)))
