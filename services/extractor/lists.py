"""Fields with several values: which places belong together, in order, with aligned spans."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.extractor.answers import Answer, Resolved, shaped, written
from services.extractor.calibration import Calibration, shares
from services.extractor.concepts import SHAPES, shape
from services.extractor.document import Document, Item
from services.extractor.fields import FieldSpec
from services.extractor.values import Candidate

_BETWEEN = re.compile(
    r"\s*(?:,|;|/|\||•|&|\n|\r\n|[,;]?\s(?:and|or|und|oder|et|ou|y|o|e)\b)+\s*(?:[-*•]\s*|\d{1,2}[.)]\s+)?", re.I
)
_SEVERAL = re.compile(r"[,;|\n]\s*\S|\s(?:and|und|et|y)\s")
_HEADER_FITS = 0.5
_SETTLED = 0.05
_FAMILY = {"capital1": "name", "capitals2": "name", "capitals3": "name", "title": "name", "lower1": "plain",
    "lower2": "plain", "lower3": "plain",
           "lower4": "plain", "upper1": "name", "upper2": "name", "digits": "code", "id": "code",
           "mixed": "code"}  # fmt: skip


def several(
    spec: FieldSpec,
    document: Document,
    items: Sequence[Item],
    logits: NDArray[np.float32],
    null: float,
    calibration: Calibration,
    *,
    under: NDArray[np.float32],
    margin: float,
) -> Resolved:
    """Every occurrence in order. `margin` is how far behind the best one a place may score and still count.

    `under` tells how well the table header above each place fits the field; a good fit settles the column.
    """
    _, null_share = shares(logits, null)
    p_null = calibration.p_null(null_share) if len(items) else 1.0
    best = _order(items, logits)[0] if len(items) else -1
    column = _column(document, items, int(under.argmax())) if len(items) and under.max() >= _HEADER_FITS else []
    if column:
        p_null, best = min(p_null, _SETTLED), column[0]
    chosen = column or (_chosen(document, items, logits, margin) if p_null <= spec.threshold else [])
    kept = [
        (items[i], value)
        for i in chosen
        if (value := shaped(spec, items[i].candidate, items[i].candidate.value)) is not None
    ]
    if not kept:
        return Resolved(Answer(spec.name, spec.type, "[]", "[]", max(p_null, 0.5), 1 - p_null, unit=spec.unit))
    # Siblings of a row or a column stand and fall together: they are as sure as the best of them.
    together = column or _column(document, items, best) or _enumeration(document, items, best, logits)
    behind = [0.0 if i in together and len(together) > 1 else min(float(logits[i] - logits[best]), 0.0) for i in chosen]
    each = tuple(calibration.confidence(float(np.exp(gap)) * 0.95) for gap in behind[: len(kept)])
    values = f"[{', '.join(written(spec, value) for _, value in kept)}]"
    spans = tuple((item.candidate.start, item.candidate.end) for item, _ in kept)
    whole = float(np.prod(each)) if each else 0.0
    answer = Answer(
        spec.name, spec.type, values, values, p_null, whole, spans, spec.unit, "extracted", confidences=each
    )
    return Resolved(answer, tuple(value for _, value in kept), kept[0][0].candidate.unit)


def _chosen(document: Document, items: Sequence[Item], logits: NDArray[np.float32], margin: float) -> list[int]:
    if not items:
        return []
    order = _order(items, logits)
    best = order[0]
    found = _column(document, items, best) or _enumeration(document, items, best, logits)
    for index in order:
        if logits[index] < logits[best] - margin:
            break
        if len(found) <= 1 or index in found:
            found.append(index)
    kept: list[int] = []
    for index in sorted(set(found), key=lambda i: (-float(logits[i]) - 100 * (i in (best,)), i)):
        c = items[index].candidate
        if all(c.end <= items[k].candidate.start or c.start >= items[k].candidate.end for k in kept):
            kept.append(index)
    return sorted(kept, key=lambda i: items[i].candidate.start)


def _order(items: Sequence[Item], logits: NDArray[np.float32]) -> list[int]:
    """Places, best first; a whole enumeration is not one of its own items."""
    order = [int(i) for i in np.argsort(-logits, kind="stable")]
    one = [i for i in order if items[i].candidate.kind != "span" or not _SEVERAL.search(str(items[i].candidate.value))]
    return one or order


def _column(document: Document, items: Sequence[Item], best: int) -> list[int]:
    """Places that fill cells under the header that stands above the best one."""
    header = document.layout.header(items[best].candidate.start)
    if header is None:
        return []
    found = []
    for index, item in enumerate(items):
        c = item.candidate
        if document.layout.header(c.start) == header and document.layout.fills_cell(
            c.start, c.end, typed=c.kind != "span"
        ):
            found.append(index)
    return found


def _family(document: Document, item: Item) -> str:
    name = SHAPES[shape(document.text, item)]
    return _FAMILY.get(name, name)


def _enumeration(document: Document, items: Sequence[Item], best: int, logits: NDArray[np.float32]) -> list[int]:
    """Neighbours of the same family with nothing but separators between them, in both directions."""
    family = _family(document, items[best])
    same = [i for i, item in enumerate(items) if _family(document, item) == family]
    found = [best]
    for forward in (True, False):
        at = items[best].candidate
        while True:
            step = [i for i in same if _beside(document.text, at, items[i], forward)]
            if not step:
                break
            nearest = max(step, key=lambda i: float(logits[i]))
            found.append(nearest)
            at = items[nearest].candidate
    return found


def _beside(text: str, at: Candidate, item: Item, forward: bool) -> bool:
    first, second = (at, item.candidate) if forward else (item.candidate, at)
    gap = second.start - first.end
    return 0 < gap <= 14 and _BETWEEN.fullmatch(text, first.end, second.start) is not None
