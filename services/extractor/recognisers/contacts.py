"""E-mail addresses, web addresses and phone numbers."""

import re
from collections.abc import Iterator

import phonenumbers

from services.extractor.values import Candidate

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w+-](?:[\w.+'-]{0,62}[\w+-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![\w-])"
)
_URL = re.compile(r"(?<![\w@.])(?:https?://|ftp://|www\.)[^\s<>\"'“”|]+", re.I)
_DOMAIN = re.compile(
    r"(?<![\w@.-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|app|eu|de|fr|es|it|nl|at|ch|co\.uk|uk|info|biz|gov|edu)"
    r"(?:/[^\s<>\"'“”|]*)?(?![\w@-])",
    re.I,
)
_PHONE = re.compile(
    r"(?<![\w.+,/-])(?:\+\d{1,3}[\s./-]{0,2}|00\d{1,3}[\s./-])?(?:\(\d{1,5}\)[\s./-]{0,2})?\d{1,5}(?:[\s./-]{1,2}\d{2,8}){0,5}"
    r"(?:\s?(?:x|ext\.?|extension)\s?\d{1,5})?(?![\w])(?![.,]\d)",
    re.I,
)
_CUE = re.compile(
    r"(?:tel|telephone|phone|mobile|mob|cell|fax|call|ring|dial|telefon|tél|téléphone|teléfono|whatsapp|reach "
    r"\w+|hotline|number is)\w*\.?(?:\s(?:no|number|me|us|on|at|is|under)){0,2}\s?[.:#]?\s*$",
    re.I,
)


def emails(text: str) -> Iterator[Candidate]:
    """E-mail addresses."""
    for match in _EMAIL.finditer(text):
        if ".." not in match[0]:
            yield Candidate(*match.span(), "email", match[0])


def urls(text: str) -> Iterator[Candidate]:
    """Web addresses with a scheme, with www, or bare domains with a common ending."""
    for pattern in (_URL, _DOMAIN):
        for match in pattern.finditer(text):
            shown = match[0].rstrip(".,;:!?")
            while shown.endswith(")") and shown.count("(") < shown.count(")"):
                shown = shown[:-1].rstrip(".,;:!?")
            yield Candidate(match.start(), match.start() + len(shown), "url", shown)


def _possible(shown: str) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(shown, None))
    except phonenumbers.NumberParseException:
        return False


def phones(text: str) -> Iterator[Candidate]:
    """Phone numbers: international ones by the numbering plans, national ones by grouping or a word before them."""
    for match in _PHONE.finditer(text):
        shown = match[0]
        count = sum(c.isdigit() for c in shown)
        if not 5 <= count <= 17:
            continue
        cued = bool(_CUE.search(text, max(0, match.start() - 32), match.start()))
        if shown.startswith("+"):
            fits = _possible(re.sub(r"\(0\)", "", shown))
        elif cued:
            fits = count >= 6 or shown.startswith("(")
        else:
            groups = len(re.findall(r"\d+", shown))
            fits = count >= 7 and (shown.startswith(("0", "(")) or (groups >= 3 and count >= 9)) and groups >= 2
        if fits:
            yield Candidate(*match.span(), "phone", shown)
