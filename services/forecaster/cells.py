"""One cell of a table: a number, a truth, a moment, a name, or nothing."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Final

_NOTHING: Final = frozenset({"", "?", "-", "--", "n/a", "na", "nan", "null", "none", "unknown", "missing", "tbd", "…"})
_TRUTHS: Final = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_CURRENCY: Final = "$€£¥"
_NUMBER: Final = re.compile(
    rf"(?P<before>[{_CURRENCY}]|[A-Z]{{3}}\s)?\s?(?P<sign>[+\-\u2212]?)"
    r"(?P<digits>\d[\d,.'\u00a0\u202f ]*|\.\d+)(?P<power>[eE][+-]?\d{1,3})?"
    rf"\s?(?P<unit>[{_CURRENCY}]|%|[^\W\d_][\w/²³°.]{{0,11}}|°[CFK]?)?"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+")


class Kind(Enum):
    """What a cell holds."""

    NOTHING = "nothing"
    NUMBER = "number"
    TRUTH = "truth"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Cell:
    """`number` is finite for numbers and truths; `unit` is what stood beside it; `text` is the cell as written."""

    kind: Kind
    number: float = math.nan
    text: str = ""
    unit: str = ""


EMPTY: Final = Cell(Kind.NOTHING)


def read_cell(value: Any) -> Cell:
    """A cell from a JSON scalar, or from a text that may be a number, a truth or a sign for nothing."""
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return Cell(Kind.TRUTH, float(value), str(value).lower())
    if isinstance(value, int | float | Decimal):
        try:
            number = float(value)
        except OverflowError:
            return Cell(Kind.TEXT, text=str(value))
        return Cell(Kind.NUMBER, number, str(value)) if math.isfinite(number) else EMPTY
    text = " ".join(str(value).split())
    if text.casefold() in _NOTHING:
        return EMPTY
    if text.casefold() in _TRUTHS:
        return Cell(Kind.TRUTH, _TRUTHS[text.casefold()], text)
    return _number(text) or Cell(Kind.TEXT, text=text)


def _number(text: str) -> Cell | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = _plain(match["digits"].strip())
    if digits is None:
        return None
    number = float(digits + (match["power"] or ""))
    number = -number if match["sign"] in ("-", "\u2212") else number
    unit = ((match["before"] or "") + (match["unit"] or "")).strip()
    return Cell(Kind.NUMBER, number, text, unit) if math.isfinite(number) else None


def _plain(digits: str) -> str | None:
    """Digits with one decimal point: `1,234.5`, `1.234,5`, `1 234,5`, `0,5`. Three digits after a comma are a group."""
    marks = [c for c in digits if not c.isdigit()]
    if not marks:
        return digits
    last = marks[-1]
    whole, _, part = digits.rpartition(last)
    if _GROUPED.fullmatch(digits) and len(set(marks)) == 1 and (last != "." or len(marks) > 1):
        return "".join(c for c in digits if c.isdigit())
    if last not in ".," or not part.isdigit():
        return None
    rest = [c for c in whole if not c.isdigit()]
    if rest and (last in rest or len(set(rest)) > 1 or not _GROUPED.fullmatch(whole)):
        return None
    return "".join(c for c in whole if c.isdigit()) + "." + part
