"""Rows: a table's lines, one record each, with a cell or a place of the line for every column field."""

from collections.abc import Sequence

import numpy as np

from services.extractor import features
from services.extractor.answers import Answer, Resolved, shaped, written
from services.extractor.document import Document
from services.extractor.encoder import WordTable
from services.extractor.features import Similarity
from services.extractor.fields import FieldSpec
from services.extractor.layout import Cell, Table
from services.extractor.values import Candidate, Value

_FITS = 0.3
_SURE = 0.9
_GUESSED = 0.6
_TOTALS = ("total", "subtotal", "sum", "gesamt", "summe")
_KINDS = {
    "number": ("number", "money", "percent"),
    "money": ("money", "number"),
    "date": ("date",),
    "time": ("time",),
    "datetime": ("datetime",),
    "duration": ("duration",),
}


def rows(spec: FieldSpec, document: Document, table: WordTable) -> Resolved:
    """Records of the table whose header fits the columns, else of lines that hold a value for most columns."""
    asked = [features.asked_of(column) for column in spec.fields]
    similarity = Similarity(document, asked, table)
    best: tuple[float, Table, dict[int, int]] | None = None
    for found in document.layout.tables:
        columns, fit = _columns(document, found, similarity)
        if columns and (best is None or fit > best[0]):
            best = fit, found, columns
    if best is not None:
        records = _from_table(spec, document, best[1], best[2])
        return _resolved(spec, records, _SURE)
    return _resolved(spec, _from_lines(spec, document), _GUESSED)


def _columns(document: Document, table: Table, similarity: Similarity) -> tuple[dict[int, int], float]:
    """Column field to cell index, each cell used once, best fits first."""
    scored = []
    for field, span in enumerate(similarity.rows):
        for index, cell in enumerate(table.rows[0]):
            first, last = document.word_range(cell.start, cell.end)
            if first < last:
                near = similarity.matrix[span, first:last]
                scored.append((float(near.max(1).mean() + near.max(0).mean()) / 2, field, index))
    chosen: dict[int, int] = {}
    total = 0.0
    for fit, field, index in sorted(scored, key=lambda s: (-s[0], s[1], s[2])):
        if fit >= _FITS and field not in chosen and index not in chosen.values():
            chosen[field] = index
            total += fit
    return chosen, total


def _from_table(spec: FieldSpec, document: Document, table: Table, columns: dict[int, int]) -> list[tuple[Answer, ...]]:
    records = []
    for row in table.rows[1:]:
        if document.text[row[0].start : row[0].end].strip().lower().startswith(_TOTALS):
            continue
        answers = tuple(
            _cell(column, document, row[columns[i]] if i in columns and columns[i] < len(row) else None)
            for i, column in enumerate(spec.fields)
        )
        if any(answer.value != "null" for answer in answers):
            records.append(answers)
    return records


def _cell(column: FieldSpec, document: Document, cell: Cell | None) -> Answer:
    if cell is None:
        return Answer(column.name, column.type)
    found = _inside(column, document, cell.start, cell.end)
    return _answer(column, found[0], _SURE) if found else Answer(column.name, column.type, p_null=0.95)


def _inside(column: FieldSpec, document: Document, start: int, end: int) -> list[tuple[Candidate, Value]]:
    """Places of a column's type within [start, end), in order."""
    text = document.text
    if column.type not in _KINDS:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        return [(Candidate(start, end, "span", text[start:end]), text[start:end])] if end > start else []
    wanted = _KINDS[column.type]
    found = [
        c
        for c in document.found.candidates
        if start <= c.start and c.end <= end and c.kind in wanted and c.part_of not in ("id", "phone")
    ]
    shown = [(c, value) for c in found if (value := shaped(column, c, c.value)) is not None]
    return [
        pair
        for pair in shown
        if not any(
            o is not pair[0] and o.start <= pair[0].start and pair[0].end <= o.end and o != pair[0] for o, _ in shown
        )
    ]


def _answer(column: FieldSpec, found: tuple[Candidate, Value], confidence: float) -> Answer:
    candidate, value = found
    shown = written(column, value)
    unit = column.duration_unit if column.type == "duration" else column.unit
    return Answer(
        column.name,
        column.type,
        shown,
        shown,
        1 - confidence,
        confidence,
        ((candidate.start, candidate.end),),
        unit,
        "extracted",
    )


def _from_lines(spec: FieldSpec, document: Document) -> list[tuple[Answer, ...]]:
    """Lines with a value for every typed column, taken in order; text columns get the words that are left."""
    typed = [column for column in spec.fields if column.type in _KINDS]
    records: list[tuple[Answer, ...]] = []
    if not typed:
        return records
    for start, end in document.layout.lines:
        used: list[tuple[int, int]] = []
        answers: list[Answer] = []
        for column in spec.fields:
            if column.type in _KINDS:
                free = [
                    f
                    for f in _inside(column, document, start, end)
                    if all(f[0].end <= a or f[0].start >= b for a, b in used)
                ]
                if free:
                    used.append((free[0][0].start, free[0][0].end))
                answers.append(_answer(column, free[0], _GUESSED) if free else Answer(column.name, column.type))
            else:
                answers.append(Answer(column.name, column.type))
        if len(used) == len(typed):
            records.append(tuple(_with_rest(spec, document, answers, used, start, end)))
    return records if len(records) > 1 else []


def _with_rest(
    spec: FieldSpec, document: Document, answers: list[Answer], used: list[tuple[int, int]], start: int, end: int
) -> list[Answer]:
    edges = [start, *(x for place in sorted(used) for x in place), end]
    gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    text = document.text

    def tight(a: int, b: int) -> tuple[int, int]:
        while a < b and not text[a].isalnum():
            a += 1
        while b > a and not text[b - 1].isalnum():
            b -= 1
        return a, b

    rest = max((tight(a, b) for a, b in gaps), key=lambda g: g[1] - g[0])
    out = list(answers)
    for index, column in enumerate(spec.fields):
        if column.type not in _KINDS and rest[1] - rest[0] > 2:
            shown = text[rest[0] : rest[1]]
            out[index] = _answer(column, (Candidate(*rest, "span", shown), shown), _GUESSED)
            break
    return out


def _resolved(spec: FieldSpec, records: Sequence[tuple[Answer, ...]], confidence: float) -> Resolved:
    shown = "[" + ", ".join("{" + ", ".join(f'"{a.name}": {a.value}' for a in record) + "}" for record in records) + "]"
    p_null = 0.05 if records else 0.95
    spans = tuple(_row_span(record) for record in records)
    each = tuple(float(np.prod([a.confidence for a in record if a.value != "null"])) for record in records)
    answer = Answer(spec.name, spec.type, shown, shown, p_null, confidence if records else 0.0, spans,
                    reason="extracted" if records else "absent", confidences=each, records=tuple(records))  # fmt: skip
    return Resolved(answer)


def _row_span(record: tuple[Answer, ...]) -> tuple[int, int]:
    spans = [a.spans[0] for a in record if a.spans]
    return min(s for s, _ in spans), max(e for _, e in spans)
