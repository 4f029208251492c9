"""Lines, sentences, clauses, labels and tables of a text."""

import bisect
import re
from dataclasses import dataclass

_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:No|Nr|Mr|Dr|St)\.)(?<!\bMrs\.)(?:[\"'”)]*)\s+(?=[\"'“(]?[A-ZÀ-ÖØ-Þ#0-9📦])|\r?\n+|[。！？]|(?<=[;?!])\s"
)
_CLAUSE = re.compile(
    r"[,;:()–—。、，；]\s|\s(?:and|but|while|whereas|although|because|which|und|aber|et|mais|y|pero)\s|\s-\s|\t|\s\|\s?"
)
_MARK = re.compile(r"(?:[:=]|\t|\.{2,}|\s-\s|\|| {2,})[ \t]*(?:[#$€£₹\"'(*]|[A-Z]{3}\s)?$")
_LABEL_EDGE = re.compile(r"[\r\n:|;,.\t=]")
_RULE = re.compile(r"[\s|+:=-]+")
_CELL = re.compile(r"\s*\|\s*|\t+|\s*;\s*| {2,}")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table row."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the header."""

    rows: tuple[tuple[Cell, ...], ...]


class Layout:
    """Where lines, sentences and clauses begin, and which label stands before a place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _pieces(text, re.compile(r"\r\n|\n|\r"))
        self.sentences = _pieces(text, _SENTENCE)
        self._line_starts = [start for start, _ in self.lines]
        self._sentence_starts = [start for start, _ in self.sentences]
        self.tables = tuple(_tables(text, self.lines))
        self._cells = sorted(
            (cell.start, cell.end, table, column)
            for table in range(len(self.tables))
            for row in self.tables[table].rows
            for column, cell in enumerate(row)
        )

    def line(self, at: int) -> tuple[int, int]:
        """The line that holds position `at`, without its line break."""
        return self.lines[max(0, bisect.bisect_right(self._line_starts, at) - 1)]

    def sentence(self, at: int) -> tuple[int, int]:
        """The sentence that holds position `at`; line breaks end sentences too."""
        return self.sentences[max(0, bisect.bisect_right(self._sentence_starts, at) - 1)]

    def clause(self, start: int, end: int) -> tuple[int, int]:
        """The part of the sentence around [start, end) between commas, brackets and conjunctions."""
        first, last = self.sentence(start)
        left = first
        for match in _CLAUSE.finditer(self.text, max(first, start - 120), start):
            left = match.end()
        right = _CLAUSE.search(self.text, min(end, last), min(last, end + 120))
        return min(left, start), max(right.start() if right else min(last, end + 120), end)

    def label(self, start: int) -> tuple[int, int] | None:
        """The label directly before a place: on its line, or the whole line before when that ends in a colon."""
        first, _ = self.line(start)
        at = max(first, start - 90)
        before = self.text[at:start]
        mark = _MARK.search(before)
        if mark:
            shown = before[: mark.start()].rstrip().rstrip(".#")
            edge = max((m.end() for m in _LABEL_EDGE.finditer(shown)), default=0)
            if any(c.isalpha() for c in shown[edge:]) and len(shown) - edge <= 48:
                return at + edge, at + len(shown)
        if before.strip():
            return None
        index = bisect.bisect_right(self._line_starts, start) - 2
        while index >= 0:
            head, tail = self.lines[index]
            shown = self.text[head:tail].strip()
            if shown.endswith(":") and len(shown) <= 60:
                return head, tail
            if not shown or len(shown) > 80 or index < bisect.bisect_right(self._line_starts, start) - 5:
                return None
            index -= 1
        return None

    def header(self, start: int) -> tuple[int, int] | None:
        """The header cell above a place in a table."""
        index = bisect.bisect_right(self._cells, (start, 10**9, 0, 0)) - 1
        if index < 0:
            return None
        first, last, table, column = self._cells[index]
        top = self.tables[table].rows[0]
        if not first <= start < max(last, first + 1) or column >= len(top) or start < top[-1].end:
            return None
        return top[column].start, top[column].end

    def fills_cell(self, start: int, end: int, *, typed: bool) -> bool:
        """Whether a place is a whole cell; a typed value may share it with a unit or a sign."""
        index = bisect.bisect_right(self._cells, (start, 10**9, 0, 0)) - 1
        first, last, _, _ = self._cells[index]
        around = self.text[first:start].strip() + self.text[end:last].strip()
        return end <= last and len(around) <= (4 if typed else 0)


def _pieces(text: str, boundary: re.Pattern[str]) -> list[tuple[int, int]]:
    pieces, at = [], 0
    for match in boundary.finditer(text):
        if match.start() >= at:
            pieces.append((at, match.start()))
            at = match.end()
    pieces.append((at, len(text)))
    return pieces


def cells(text: str, start: int, end: int) -> tuple[Cell, ...]:
    """Cells of one line; outer bars make no empty cells."""
    found, at = [], start
    for match in _CELL.finditer(text, start, end):
        found.append(Cell(at, match.start()))
        at = match.end()
    found.append(Cell(at, end))
    line = text[start:end].strip()
    if line.startswith("|"):
        found = found[1:]
    if line.endswith("|") and found:
        found = found[:-1]
    return tuple(found)


def _tables(text: str, lines: list[tuple[int, int]]) -> list[Table]:
    tables: list[Table] = []
    rows: list[tuple[Cell, ...]] = []

    def close() -> None:
        if len(rows) >= 2 and max(len(row) for row in rows) >= 2:
            tables.append(Table(tuple(rows)))
        rows.clear()

    for start, end in lines:
        line = text[start:end]
        if "|" in line and _RULE.fullmatch(line):
            continue
        row = (
            cells(text, start, end)
            if ("|" in line or "\t" in line or "  " in line.strip() or line.count(";") >= 2)
            else ()
        )
        if len(row) < 2 or (rows and abs(len(row) - len(rows[0])) > 1):
            close()
        if len(row) >= 2:
            rows.append(row)
    close()
    return tables
