"""Numbers written in digits: where they stand and what they are worth."""

import re
from decimal import Decimal

from services.extractor.recognisers.conventions import Conventions

_BLANK = "\u00a0\u202f\u2009"
_GROUPED = rf"\d{{1,3}}(?P<sep@>[.,'’{_BLANK}])\d{{3}}(?:(?P=sep@)\d{{3}})*(?!\d)"
_INDIAN = r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)"
_SPACED = r"\d{1,3}(?: \d{3})+(?!\d)"


def shape(name: str) -> str:
    """Pattern of an unsigned number; `name` keeps its groups apart when a pattern holds two."""
    grouped = _GROUPED.replace("@", name)
    return rf"(?:(?:{_INDIAN}|{grouped}|\d+)(?:[.,]\d+(?!\d|[.,]\d))?|(?<![.,\w])[.,]\d+)"


# Not inside a Latin word; letters of scripts without word spaces may touch a number.
START = r"(?<![A-Za-z0-9À-ɏ_])"
NUMBER = re.compile(
    rf"{START}(?<!\d[.,:/])(?P<open>\()?\s?(?P<sign>[-−+–](?=[\d.,(]))?(?P<digits>{_SPACED}(?:,\d{{1,2}})?(?!\d)|{shape('')})"
    r"(?P<trail>-(?![\w\d]))?(?P<close>\))?"
)
SPACED = re.compile(_SPACED)


def fold(text: str) -> str:
    """Digits and marks without blanks and apostrophes."""
    return re.sub(rf"[\s'’{_BLANK}]", "", text)


def read(text: str, conventions: Conventions) -> tuple[Decimal, Decimal | None]:
    """Value of an unsigned digit string, and the second reading when nothing settles the mark."""
    text = fold(text)
    marks = [c for c in text if c in ".,"]
    if not marks:
        return Decimal(text), None
    if len(set(marks)) == 2:
        last = marks[-1]
        return _with(text, last), None
    mark = marks[0]
    whole, _, rest = text.rpartition(mark)
    if len(marks) > 1:
        return Decimal(text.replace(mark, "")), None
    if len(rest) != 3 or len(whole) > 3 or whole in ("", "0") or whole.startswith("0"):
        return _with(text, mark), None
    as_decimal, as_group = _with(text, mark), Decimal(whole + rest)
    if conventions.decimal is not None:
        return (as_decimal if conventions.decimal == mark else as_group), None
    return (as_group, as_decimal) if mark == "," else (as_decimal, as_group)


def _with(text: str, mark: str) -> Decimal:
    other = "," if mark == "." else "."
    return Decimal(text.replace(other, "").replace(mark, "."))
