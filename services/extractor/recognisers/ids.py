"""Order-like, invoice-like and code-like identifiers, and the marks that stand for "nothing here"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.extractor.values import Candidate

_ID = re.compile(
    r"(?<![A-Za-z0-9_@.À-ɏ-])(?=[A-Za-z0-9_./-]*\d)[A-Za-z0-9](?:[A-Za-z0-9_]|[./-](?=[A-Za-z0-9_])){1,39}(?![@A-Za-z0-9_À-ɏ])"
)
_PLAIN = re.compile(
    r"\d{1,3}(?:[.,]\d+)*|\d+[.,]\d+|\d{1,4}(?:st|nd|rd|th)|\d+[a-zµ%]{1,3}|\d+(?:[./-]\d+)?|\d+-[a-z]+|P(?:\d+[YMWD])*(?:T[\dHMS]+)?",
    re.I,
)
_CUE = re.compile(
    r"(?:#|№|\b(?:n[o°º]|nr|num|number|ref|id|code|order|invoice|ticket|case|sku|po|serial|account|booking|tracking|policy|member)\b)[\s.:#=-]*$",
    re.I,
)
_BLANK = re.compile(
    r"(?<![\w.])(?:_{2,}|-{2,}|–|—|\.{3,}|…|n/?a\b|tba\b|tbd\b|tbc\b|none\b|null\b|nil\b|unknown\b|pending\b|"
    r"not (?:given|known|stated|available|provided|applicable|yet \w+|specified)\b"
    r"|to be (?:confirmed|announced|determined|agreed|decided)\b|k\.?\s?a\.?(?!\w)|entfällt\b|unbekannt\b|"
    r"inconnu\b|à définir\b|por definir\b|\[\s*\]|\(\s*\)|\?+|-(?=\s*(?:$|[|;\n\r])))",
    re.I,
)
_LABEL = re.compile(r"(?P<label>[^\W\d_][^\n\r:|;,.!?\t]{0,40})(?:[:=|\t]|\.{3,})[ \t]*")


@dataclass(frozen=True, slots=True)
class Blank:
    """A label without a value at [start, end); the label's own words end at `label_end`."""

    start: int
    end: int
    label_end: int


def find(text: str) -> Iterator[Candidate]:
    """Tokens that mix digits with letters or hyphens, and bare digits after "order" or the like."""
    for match in _ID.finditer(text):
        shown = match[0]
        if not any(c.isdigit() for c in shown) or (len(shown) < 3 and not shown.isdigit()):
            continue
        if _PLAIN.fullmatch(shown):
            cued = _CUE.search(text, max(0, match.start() - 16), match.start())
            long = shown.isdigit() and (len(shown) >= 5 or (shown.startswith("0") and len(shown) > 1))
            if not (cued and shown.isdigit() and len(shown) >= 2) and not long:
                continue
        yield Candidate(*match.span(), "id", shown)


def blanks(text: str) -> Iterator[Blank]:
    """Places where a label has no value: "Tip: ____", "PO number: TBA", an empty rest of a line."""
    for match in _LABEL.finditer(text):
        line = re.compile(r"[^\n\r|;]*").match(text, match.end())
        rest = line[0].strip() if line else ""
        blank = _BLANK.match(text, match.end())
        after = text[blank.end() : blank.end() + 2].lstrip(" \t")[:1] if blank else ""
        if blank and (not after or after in ".,;)|\r\n"):
            yield Blank(match.start("label"), blank.end(), match.end("label"))
        elif not rest and match[0].rstrip().endswith(":") and _next_line_is_label(text, match.end()):
            yield Blank(match.start("label"), len(match[0].rstrip()) + match.start(), match.end("label"))


def _next_line_is_label(text: str, at: int) -> bool:
    following = re.match(r"[ \t]*(?:\r?\n)?([^\r\n]*)", text[at:])
    line = following[1] if following else ""
    return not line.strip() or bool(re.match(r"[^\W\d_][^\n:]{0,40}:", line))
