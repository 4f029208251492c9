"""Plain numbers and percentages, in digits and in words."""

import re
from collections.abc import Iterator
from decimal import Decimal

from services.extractor.recognisers import digits, words
from services.extractor.recognisers.conventions import Conventions
from services.extractor.values import Candidate

_MAGNITUDES = {
    "k": 3, "tsd": 3, "thousand": 3, "thousands": 3, "mille": 3, "mil": 3, "tausend": 3,
    "m": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6, "millionen": 6, "millón": 6, "millones": 6,
    "b": 9, "bn": 9, "mrd": 9, "billion": 9, "billions": 9, "milliarden": 9, "milliard": 9, "milliards": 9,
    "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7,
}  # fmt: skip
# One letter counts only when it touches the digits and, for m and b, is a capital: "5 m" is a length.
MAGNITUDE = re.compile(
    r"(?:(?P<tight>[kKMB]|[bm]n)(?![A-Za-z0-9²³/])"
    r"|[ \u00a0-]?(?P<loose>" + "|".join(sorted((w for w in _MAGNITUDES if len(w) > 1), key=len,
        reverse=True)) + r")\b\.?)",
    re.I,
)  # fmt: skip
_UNIT = re.compile(r"[ \u00a0-]?(?P<unit>%|°[CF]?|[A-Za-zµ]{1,12}[²³]?(?:/[A-Za-z]{1,4})?)(?![A-Za-z])")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|º|ª)(?![A-Za-z])")
_REPAIR = str.maketrans("OolISBZ", "0011582")
_DAMAGED = re.compile(
    r"(?<![\w.,])(?=[\dOolISBZ.,]*\d)(?=[\dOolISBZ.,]*[OolISBZ])[\dOolISBZ]+[.,][\dOolISBZ]{2}(?![\w])"
)
_FRACTION = dict(
    zip("½⅓⅔¼¾⅛⅜⅝⅞", ("0.5", "0.3333", "0.6667", "0.25", "0.75", "0.125", "0.375", "0.625", "0.875"), strict=True)
)
_FRACTIONS = re.compile(r"(?<!\d)(\d+)?[ ]?([½⅓⅔¼¾⅛⅜⅝⅞])|(?<![\d/.])(?:(\d+)[ -])?([1-9])/([2-9]|1[0-6])(?![\d/])")
_PERCENT = re.compile(r"[ \u00a0]?(?:%|percent\b|per cent\b|Prozent\b|pour cent\b|por ciento\b|pct\b)", re.I)


def scale(text: str, at: int) -> tuple[int, Decimal]:
    """End and factor of a magnitude word that follows a number at `at`."""
    match = MAGNITUDE.match(text, at)
    if match is None:
        return at, Decimal(1)
    word = (match["tight"] or match["loose"]).lower().rstrip(".")
    if match["tight"] and match["tight"] in ("m", "b"):
        return at, Decimal(1)
    end = match.end()
    if match[0].endswith(".") and word not in ("mio", "mrd", "tsd"):
        end -= 1
    return end, Decimal(10) ** _MAGNITUDES[word]


def _spaced(match: re.Match[str], text: str, conventions: Conventions) -> bool:
    """Whether blanks inside the match may group digits: the locale says so, or a decimal comma follows."""
    return conventions.spaces_group or "," in match["digits"] or text[match.end("digits") :].lstrip()[:1] in "€"


def _negative(match: re.Match[str], text: str) -> bool:
    """Accounting brackets: around a grouped or decimal number, not an aside after a word such as "the soup (8.40)"."""
    if match["trail"] or match["sign"]:
        return True
    shown = match["digits"]
    if not (match["open"] and match["close"]) or shown.startswith("0") or (shown.isdigit() and len(shown) <= 4):
        return False
    grouped = re.search(r"\d[.,'’\s]\d{3}(?!\d)", shown) is not None
    before = text[max(0, match.start("open") - 2) : match.start("open")].rstrip()[-1:]
    return grouped or not before.isalpha()


def _sign(match: re.Match[str], text: str) -> bool | None:
    """True for a minus, False for none; None when the mark before is a range or a dash between words."""
    if match["sign"] in ("-", "−", "–"):
        before = text[: match.start("sign")].rstrip()[-1:]
        spaced = match.start("sign") > 0 and text[match.start("sign") - 1].isspace()
        if before.isalnum() and not (spaced and match["sign"] != "–" and not before.isdigit()):
            return False
        return True
    if match["sign"] == "+":
        return False
    return _negative(match, text)


def scan(text: str, conventions: Conventions) -> Iterator[tuple[int, int, Decimal, Decimal | None]]:
    """(start, end, value, other reading) of every number in digits; the sign is inside the span."""
    at = 0
    while match := digits.NUMBER.search(text, at):
        shown, start, end = match["digits"], match.start("digits"), match.end("digits")
        if " " in shown and not _spaced(match, text, conventions):
            end = start + shown.index(" ")
            shown = text[start:end]
            trailing = False
        else:
            trailing = bool(match["trail"])
        at = max(end, at + 1)
        if shown[0] in ".," and start > 0 and not text[start - 1].isspace() and text[start - 1] not in "€$£(":
            continue
        if re.match(r"[A-Za-zÀ-ɏ_]", text[end : end + 1]) and not _may_touch(text, end):
            continue
        if re.match(r"[.,:/]\d", text[end : end + 2]) and not re.match(r",\d", text[end : end + 2]):
            continue
        value, other = digits.read(shown, conventions)
        if _sign(match, text):
            value, other = -value, None if other is None else -other
            if match["sign"]:
                start = match.start("sign")
            elif trailing:
                end = match.end("trail")
            elif match["open"] and match["close"]:
                start, end = match.start("open"), match.end("close")
        yield start, end, value, other


def _may_touch(text: str, at: int) -> bool:
    """A unit, magnitude or ordinal ending glued to the digits; not the inside of a code such as 7F20."""
    glued = re.match(r"[A-Za-zÀ-ɏ_]+[A-Za-z0-9_]*", text[at:])
    return glued is None or (
        glued[0].isalpha()
        and len(glued[0]) <= 6
        and text[at + len(glued[0]) : at + len(glued[0]) + 2].lstrip("-")[:1].isdigit() is False
    )


def find(text: str, conventions: Conventions) -> Iterator[Candidate]:
    """Numbers, percentages and repaired OCR amounts."""
    fractions = list(_fractions(text))
    yield from fractions
    for start, end, value, other in scan(text, conventions):
        if any(f.start < end and start < f.end for f in fractions):
            continue
        percent = _PERCENT.match(text, end)
        if percent:
            yield Candidate(start, percent.end(), "percent", value, other, "%")
            yield Candidate(start, end, "number", value, other, "%", "percent")
            continue
        stop, factor = scale(text, end)
        ordinal = _ORDINAL.match(text, end)
        unit = None if ordinal else _unit(text, stop)
        scaled = None if other is None or factor != 1 else other
        yield Candidate(start, stop, "number", value * factor, scaled, unit, "ordinal" if ordinal else None)
    for start, end, value in words.find(text):
        if any(f.start <= start < f.end for f in fractions):
            continue
        percent = _PERCENT.match(text, end)
        yield Candidate(start, percent.end() if percent else end, "percent" if percent else "number", value, None,
                        "%" if percent else _unit(text, end), None if percent else "words")  # fmt: skip
    for match in _DAMAGED.finditer(text):
        value, _ = digits.read(match[0].translate(_REPAIR), conventions)
        yield Candidate(*match.span(), "number", value, sure=False)


def _fractions(text: str) -> Iterator[Candidate]:
    for match in _FRACTIONS.finditer(text):
        if match[2]:
            value = Decimal(match[1] or 0) + Decimal(_FRACTION[match[2]])
        elif int(match[4]) < int(match[5]) and not (match[3] and int(match[3]) > 99):
            value = Decimal(match[3] or 0) + (Decimal(match[4]) / Decimal(match[5])).quantize(Decimal("0.0001"))
        else:
            continue
        yield Candidate(*match.span(), "number", value.normalize(), None, _unit(text, match.end()))


def _unit(text: str, at: int) -> str | None:
    match = _UNIT.match(text, at)
    return match["unit"] if match else None
