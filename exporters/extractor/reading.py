"""A reader's logits for the places of papers, window by window."""

from collections.abc import Sequence

import numpy as np
import torch

from exporters.extractor.mixture import LONGEST_SPAN
from exporters.extractor.network import FAR, Reader
from exporters.extractor.pack import Packer, Text, windows
from exporters.extractor.yardstick import Floats, Paper, Question, Scores

# Tokens of fields that are read together; more are read in turns, so that the text keeps its room.
SCHEMA = 220
LONGEST = 448


def scores(model: Reader, packer: Packer, papers: Sequence[Paper]) -> Scores:
    """Logits of all places relative to null, whose own logit is then zero."""
    model.eval()
    with torch.inference_mode():
        return [_paper(model, packer, paper) for paper in papers]


def _paper(model: Reader, packer: Packer, paper: Paper) -> list[tuple[Floats, float]]:
    text = packer.text(paper.text)
    out: list[tuple[Floats, float]] = []
    for turn in turns([packer.field(q.ask) for q in paper.questions]):
        questions = paper.questions[len(out) : len(out) + len(turn)]
        best = [np.full(len(q.places), 3 * FAR) for q in questions]
        for first, last in windows(len(text.ids), packer.room(turn, longest=LONGEST)):
            for index, found in enumerate(_window(model, packer, turn, text.cut(first, last), questions)):
                best[index] = np.maximum(best[index], found)
        out += [(found, 0.0) for found in best]
    return out


def turns(fields: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
    """Fields in order, in groups of at most SCHEMA tokens."""
    out: list[list[Sequence[int]]] = [[]]
    for field in fields:
        if out[-1] and sum(map(len, out[-1])) + len(field) > SCHEMA:
            out.append([])
        out[-1].append(field)
    return out


def _window(
    model: Reader, packer: Packer, fields: Sequence[Sequence[int]], text: Text, questions: Sequence[Question]
) -> list[Floats]:
    row = packer.row(fields, text)
    ids = torch.from_numpy(row.ids)[None]
    part = torch.zeros_like(ids)
    part[0, row.first : row.last] = 1
    with torch.autocast("cpu", torch.bfloat16):
        start, end, null = model(ids, part, torch.ones_like(ids, dtype=torch.bool), torch.from_numpy(row.markers)[None])
    out = []
    for index, question in enumerate(questions):
        places = np.array(question.places, np.int64).reshape(-1, 2)
        first, last, inside = covering(text, places)
        own = start[0, index].numpy()[first + row.first] + end[0, index].numpy()[last + row.first]
        out.append(np.where(inside, own - float(null[0, index]), 3 * FAR).astype(np.float64))
    return out


def covering(text: Text, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last token of places (n, 2), and whether a place is a span of this stretch that a reader can mark."""
    if not len(text.ids) or not len(places):
        nothing = np.zeros(len(places), np.int64)
        return nothing, nothing, np.zeros(len(places), bool)
    first = np.searchsorted(text.places[:, 1], places[:, 0], "right")
    last = np.searchsorted(text.places[:, 0], places[:, 1], "left") - 1
    inside = (places[:, 0] >= text.places[0, 0]) & (places[:, 1] <= text.places[-1, 1])
    inside &= (first <= last) & (last - first < LONGEST_SPAN)
    top = len(text.ids) - 1
    return np.clip(first, 0, top), np.clip(last, 0, top), inside
