"""Amounts of money with their currency, by symbol or ISO 4217 code."""

import re
from collections.abc import Iterator
from functools import lru_cache

from babel.numbers import list_currencies

from services.extractor.recognisers import numbers
from services.extractor.recognisers.conventions import Conventions
from services.extractor.values import Candidate, Money

_SYMBOLS = {
    "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "R$": "BRL", "MX$": "MXN", "$": "USD", "€": "EUR", "£": "GBP", "₹": "INR", "¥": "JPY", "₩": "KRW", "₽": "RUB",
    "₺": "TRY", "₴": "UAH", "₫": "VND", "₦": "NGN", "₱": "PHP", "₪": "ILS", "฿": "THB", "zł": "PLN", "Kč": "CZK",
    "Rs.": "INR", "Rs": "INR", "Fr.": "CHF", "SFr.": "CHF", "kr": "SEK", "Ft": "HUF", "lei": "RON", "RM": "MYR",
    "円": "JPY", "元": "CNY", "원": "KRW",
    "euros": "EUR", "euro": "EUR", "Euro": "EUR", "dollars": "USD", "dollar": "USD", "pounds": "GBP",
    "pounds sterling": "GBP",
    "rupees": "INR", "yen": "JPY", "yuan": "CNY", "francs": "CHF", "Franken": "CHF", "bucks": "USD", "zloty": "PLN",
}  # fmt: skip
_AFTER_ONLY = frozenset(w for w in _SYMBOLS if w.isalpha() and w.lower() == w and len(w) > 2) | {
    "Euro",
    "zł",
    "Kč",
    "Ft",
    "kr",
}
# "kr" alone does not say whose crown it is.
_SHARED = frozenset(("kr",))


@lru_cache(maxsize=1)
def _codes() -> str:
    return "|".join(
        [*sorted(code for code in list_currencies() if len(code) == 3 and code not in {"ALL", "TOP", "TRY"}), "TRY"]
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    def either(words: list[str]) -> str:
        return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))

    before = either([w for w in _SYMBOLS if w not in _AFTER_ONLY])
    tail = rf"(?:(?<![A-Za-z])(?:{_codes()})|(?<![A-Za-z])(?:{before}))"
    return (
        re.compile(rf"(?P<currency>{tail})(?P<gap>[ \u00a0\u202f]?)$"),
        re.compile(rf"(?:,-|,–|\.-)?[ \u00a0\u202f]?(?P<currency>(?:{either(list(_SYMBOLS))}|{_codes()}))(?![A-Za-z])"),
    )


def find(text: str, conventions: Conventions) -> Iterator[Candidate]:
    """Money candidates, and the bare number inside each with the currency as its unit."""
    before, after = _patterns()
    for start, end, value, other in numbers.scan(text, conventions):
        stop, factor = numbers.scale(text, end)
        prefix = before.search(text, max(0, start - 6), start)
        suffix = None if prefix else after.match(text, stop)
        if prefix is None and suffix is None:
            continue
        word = (prefix or suffix)["currency"]  # type: ignore[index]
        left, right = (prefix.start() if prefix else start), (suffix.end() if suffix else stop)
        inner = (start, stop)
        if prefix and value > 0 and re.search(r"(?<![\w\d])[-−]\s?$", text[max(0, left - 3) : left]):
            left = max(0, left - 3) + re.search(r"[-−]\s?$", text[max(0, left - 3) : left]).start()  # type: ignore[union-attr]
            value, other = -value, None if other is None else -other
        if (
            prefix
            and text[left - 1 : left] == "("
            and text[right : right + 1] == ")"
            and ("." in text[start:end] or "," in text[start:end])
        ):
            left, right, value = left - 1, right + 1, -abs(value)
        currency = None if word in _SHARED else _SYMBOLS.get(word, word)
        value *= factor
        scaled = None if other is None or factor != 1 else other
        yield Candidate(
            left, right, "money", Money(value, currency), None if scaled is None else Money(scaled, currency), currency
        )
        yield Candidate(*inner, "number", value, scaled, currency, "money")
