"""Free spans for text fields: the pieces of a text that could be somebody's answer."""

import re
from collections.abc import Callable, Iterator
from enum import IntFlag

from services.extractor.layout import Layout
from services.extractor.tokens import MARKS

SHORT_TEXT = 700
LONGEST_GRAM = 6
LONGEST_BLOCK = 400
_STOP = frozenset(
    "the a an and or but of to in on at for from with by as is was were are be been being am i you he she it "
    "we they me him her us them my "
    "your his its our their this that these those there here who whom which what when where why how not no "
    "yes do does did done have has "
    "had will would can could shall should may might must if then than so too very just please also about "
    "into over after before under "
    "again still only same own any some such each both all more most other one's s t am pm oh ok okay hi "
    "hello dear thanks thank regards "
    "best kind sincerely cheers let's i'm i'd i've i'll it's don't can't der die das und ein eine ist von "
    "mit für im am zu auf den dem des "
    "le la les un une et de du des est dans pour avec el los las y es del con por para".split()
)
_TOKEN = re.compile(
    rf"[^\W_](?:[^\W_]|[{MARKS}]|[’'&@./+#-](?=[^\W_])|_)*[+#]*|[^\w\s{MARKS}]",
    re.UNICODE,
)
_BREAK = frozenset(',;:!?()[]{}"“”«»|<>=–—…')
_PARTICLES = frozenset(
    "de da di do du del der den van von und of the and & la le las los el al bin ibn y für for 's zu zum à e "
    "ter ten".split()
)
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-ÞĀŁŚŠŽČĆ]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々〇]{2,12}|[\u30a0-\u30ff]{2,20}|[\uac00-\ud7a3]{2,12}")
_QUOTE = re.compile(r"[\"“„«‘]([^\"“”„«»\n]{2,80})[\"”“»’]")
_SEGMENT = re.compile(r"[,;|\t•·]|\s-\s| {2,}|\s/\s")
_LABELLED = re.compile(
    r"(?:^|(?<=[\n.;|,\t]))[ \t]*[^\W\d_][^\n\r:;|]{0,40}?[ \t]*[:=][ \t]+(?=\S)|(?:\.{3,}|\t)[ \t]*(?=\S)"
)
_ADDRESS_LABEL = re.compile(r":[ \t]*(?:\r?\n)")
_TRIM = " \t\r\n.,;:!?|*-–—_<>=#"


class Source(IntFlag):
    """How a span was found; several ways may agree."""

    LABEL = 1
    LINE = 2
    CAPITAL = 4
    CHUNK = 8
    QUOTE = 16
    SEGMENT = 32
    BLOCK = 64
    GRAM = 128


def find(text: str, layout: Layout, within: Callable[[int, int], bool] | None = None) -> dict[tuple[int, int], Source]:
    """Spans [start, end) and how each was found, without outer punctuation."""
    found: dict[tuple[int, int], Source] = {}

    def add(start: int, end: int, source: Source) -> None:
        while start < end and text[start] in _TRIM:
            start += 1
        while end > start and text[end - 1] in _TRIM and not _abbreviation(text, start, end):
            end -= 1
        if end > start and (end - start <= LONGEST_BLOCK):
            found[start, end] = found.get((start, end), Source(0)) | source

    for start, end, source in _all(text, layout, within or (lambda start, end: True)):
        add(start, end, source)
    return found


def _abbreviation(text: str, start: int, end: int) -> bool:
    return (
        text[end - 1] == "."
        and end - start > 3
        and re.search(r"(?:\b[A-Z]|Inc|Ltd|Co|Corp|Bhd|Jr|Sr|St|S\.A)\.$", text[start:end]) is not None
    )


def _all(text: str, layout: Layout, within: Callable[[int, int], bool]) -> Iterator[tuple[int, int, Source]]:
    for start, end in layout.lines:
        if not within(start, end + 1):
            continue
        if end - start <= 120:
            yield start, end, Source.LINE
        for match in _LABELLED.finditer(text, start, end):
            yield match.end(), end, Source.LABEL
            stop = re.compile(r"[;|\t]|\.\s| {2,}|,\s").search(text, match.end(), end)
            if stop:
                yield match.end(), stop.start(), Source.LABEL
        at = start
        for match in _SEGMENT.finditer(text, start, end):
            yield at, match.start(), Source.SEGMENT
            at = match.end()
        if at > start:
            yield at, end, Source.SEGMENT
    for match in _QUOTE.finditer(text):
        yield *match.span(1), Source.QUOTE
    for match in _HAN.finditer(text):
        yield *match.span(), Source.CHUNK
    yield from _blocks(text, layout)
    short = len(text) <= SHORT_TEXT
    for start, end in layout.sentences:
        if not within(start, start + 1):
            continue
        yield from _runs(text, start, end, short)


def _blocks(text: str, layout: Layout) -> Iterator[tuple[int, int, Source]]:
    """Lines under "label:" up to a blank line or the next label, such as a postal address."""
    lines = layout.lines
    for index, (start, end) in enumerate(lines[:-1]):
        if not text[start:end].rstrip().endswith(":"):
            continue
        last = None
        for following in range(index + 1, min(index + 8, len(lines))):
            a, b = lines[following]
            shown = text[a:b].strip()
            if not shown or re.match(r"[^\W\d_][^:]{0,30}:", shown):
                break
            last = b
            if following > index + 1:
                yield lines[index + 1][0], last, Source.BLOCK


def _runs(text: str, start: int, end: int, short: bool) -> Iterator[tuple[int, int, Source]]:
    tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(text, start, end)]
    clause: list[tuple[int, int]] = []
    for token in [*tokens, None]:
        if token is None or text[token[0] : token[1]] in _BREAK:
            yield from _capitals(text, clause)
            yield from _grams(text, clause) if short else _chunks(text, clause)
            clause = []
        else:
            clause.append(token)


def small(word: str) -> bool:
    """Whether a lower-case word is one of those that tie phrases together."""
    return word in _STOP


def _stop(text: str, token: tuple[int, int]) -> bool:
    shown = text[token[0] : token[1]]
    return not shown[0].isalnum() or (small(shown.lower()) and not (shown.isupper() and len(shown) > 1))


def _grams(text: str, clause: list[tuple[int, int]]) -> Iterator[tuple[int, int, Source]]:
    """Every run of up to six words that neither begins nor ends with a small word."""
    stops = [_stop(text, token) for token in clause]
    for first in range(len(clause)):
        if stops[first]:
            continue
        for last in range(first, min(first + LONGEST_GRAM, len(clause))):
            if not stops[last]:
                inner = any(stops[first : last + 1])
                yield clause[first][0], clause[last][1], Source.GRAM if inner else Source.CHUNK


def _chunks(text: str, clause: list[tuple[int, int]]) -> Iterator[tuple[int, int, Source]]:
    """Runs between small words, with their beginnings and ends up to four words."""
    run: list[tuple[int, int]] = []
    for token in [*clause, None]:
        if token is not None and not _stop(text, token):
            run.append(token)
            continue
        for first in range(len(run)):
            for last in range(first, min(first + 4, len(run))):
                if first == 0 or last == len(run) - 1:
                    yield run[first][0], run[last][1], Source.CHUNK
        run = []


def _capitals(text: str, clause: list[tuple[int, int]]) -> Iterator[tuple[int, int, Source]]:
    """Runs of capitalised words, joined by particles and numbers."""
    run: list[tuple[int, int]] = []
    for token in [*clause, None]:
        shown = text[token[0] : token[1]] if token else ""
        if token and (
            _CAPITAL.match(shown) or (run and (shown.lower() in _PARTICLES or shown[0].isdigit() or shown == "."))
        ):
            run.append(token)
            continue
        while run and not (_CAPITAL.match(text, run[-1][0]) or text[run[-1][0]].isdigit()):
            run.pop()
        if run:
            yield run[0][0], run[-1][1], Source.CAPITAL
            for cut in range(1, min(3, len(run))):
                if _CAPITAL.match(text, run[cut][0]):
                    yield run[cut][0], run[-1][1], Source.CAPITAL
        run = []
