"""Identifiers with a check digit: IBAN, payment cards, EU VAT numbers."""

import re
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.eu import vat

from services.extractor.values import Candidate

_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z0-9]{4}){2,7}(?:[ \u00a0]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_CARD = re.compile(r"(?<![\d-])\d{4}(?:([ -]?)\d{4}(?:\1\d{4}){2}(?:\1\d{1,3})?|([ -]?)\d{6}\2\d{5})(?![\d-])")
_VAT = re.compile(r"(?<![A-Za-z0-9])(?:AT ?U|[A-Z]{2}) ?[0-9A-Z]{7,12}(?![A-Za-z0-9])")


def find(text: str) -> Iterator[Candidate]:
    """Only identifiers whose check digits are right."""
    for match in _IBAN.finditer(text):
        shown = match[0]
        while not iban.is_valid(shown) and " " in shown:
            shown = shown.rpartition(" ")[0]
        if iban.is_valid(shown):
            yield Candidate(match.start(), match.start() + len(shown), "iban", shown)
    for match in _CARD.finditer(text):
        number = re.sub(r"\D", "", match[0])
        if luhn.is_valid(number) and number[0] in "23456":
            yield Candidate(*match.span(), "card", match[0])
    for match in _VAT.finditer(text):
        if vat.is_valid(match[0].replace(" ", "")):
            yield Candidate(*match.span(), "vat", match[0])
