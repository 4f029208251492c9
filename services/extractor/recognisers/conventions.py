"""Decimal mark, day order and language of one document."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import get_date_format
from babel.numbers import get_decimal_symbol

_WORDS = {
    "en": "the and of is to for you your on with was please are this from order paid due",
    "de": "der die das und ist von mit für den ein eine nicht wurde bitte am im zum auf rechnung betrag gesamt datum",
    "fr": "le la les et est des du une pour dans avec vous votre nous facture montant date au sur",
    "es": "el la los las y es del una para con por que su factura importe fecha neto peso en",
    "it": "il lo gli e è di del della una per con che fattura importo data sono",
    "pt": "o a os as e é do da uma para com por que seu fatura valor não",
    "nl": "de het een en is van met voor niet op factuur bedrag datum zijn",
}
_LANGUAGE = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_COMMA_LANGUAGES = frozenset(_LANGUAGE) - {"en"}
_TWO_MARKS = re.compile(r"(?<![\d.,])\d{1,3}(?:([.,])\d{3})+([.,])\d+(?![\d.,]*\d)")
_INDIAN = re.compile(r"(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?!\d)")
_MANY_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:([.,])\d{3}){2,}(?![.,]?\d)")
_ONE_MARK = re.compile(r"(?<![\d.,/:-])(\d+)([.,])(\d+)(?![.,:/]?\d)(?!-\d)")
_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-])")
_DAY_MONTH_CUE = re.compile(r"\b(?:dd[/. -]?mm|d/m|day[ -]first|day before month|UK form|European|British)\b", re.I)
_MONTH_DAY_CUE = re.compile(r"\b(?:mm[/. -]?dd|m/d|month[ -]first|month before day|US form|American)\b|\bUS\b")


@dataclass(frozen=True, slots=True)
class Conventions:
    """How digits are to be read. None means that the document does not settle it."""

    decimal: str | None = None
    day_first: bool | None = None
    language: str | None = None
    spaces_group: bool = False


@lru_cache(maxsize=128)
def of_locale(tag: str) -> Conventions:
    """Conventions of a BCP 47 tag from CLDR.

    Raises: ValueError when CLDR knows no such locale.
    """
    try:
        locale = Locale.parse(tag, sep="-")
        if locale.language not in {"root"} and not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", tag):
            raise ValueError(tag)
        pattern = get_date_format("short", locale=locale).pattern
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise ValueError(f"unknown locale {tag!r}") from error
    group = locale.number_symbols.get("latn", {}).get("group", ",")
    return Conventions(
        decimal="," if get_decimal_symbol(locale) == "," else ".",
        day_first=pattern.find("d") < pattern.find("M") if pattern.find("y") > 0 else True,
        language=locale.language,
        spaces_group=group.isspace(),
    )


def language_of(text: str) -> str | None:
    """The language whose small words are most frequent; None without clear evidence."""
    counts: Counter[str] = Counter()
    for word in re.findall(r"[^\W\d_]+", text[:20000].lower()):
        for code, words in _LANGUAGE.items():
            counts[code] += word in words
    ranked = counts.most_common(2)
    if not ranked or not ranked[0][1] or ranked[0][1] == ranked[1][1]:
        return None
    return ranked[0][0]


def _decimal_mark(text: str, language: str | None) -> str | None:
    votes: Counter[str] = Counter()
    for match in _TWO_MARKS.finditer(text):
        if match[1] != match[2]:
            votes[match[2]] += 3
    votes["."] += 3 * len(_INDIAN.findall(text))
    for match in _MANY_GROUPS.finditer(text):
        votes["," if match[1] == "." else "."] += 2
    for match in _ONE_MARK.finditer(text):
        if len(match[3]) != 3 or len(match[1]) > 3 or match[1].startswith("0"):
            votes[match[2]] += 1
    if votes["."] != votes[","]:
        return "." if votes["."] > votes[","] else ","
    if language is None:
        return None
    return "," if language in _COMMA_LANGUAGES else "."


def _day_first(text: str, language: str | None) -> bool | None:
    first = second = 0
    for match in _SLASHED.finditer(text):
        a, b = int(match[1]), int(match[3])
        first += 12 < a <= 31 and b <= 12
        second += 12 < b <= 31 and a <= 12
    if first != second:
        return first > second
    return True if language in _COMMA_LANGUAGES else None


def of_text(text: str) -> Conventions:
    """Decides per document from what can be read in one way only; language breaks ties."""
    language = language_of(text)
    return Conventions(
        decimal=_decimal_mark(text, language),
        day_first=_day_first(text, language),
        language=language,
        spaces_group=language in {"fr"},
    )


def asked_day_first(instructions: str) -> bool | None:
    """Day order that a field's instructions ask for."""
    if _MONTH_DAY_CUE.search(instructions):
        return False
    return True if _DAY_MONTH_CUE.search(instructions) else None
