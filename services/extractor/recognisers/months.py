"""Month and weekday names of several languages from CLDR."""

import re
from functools import lru_cache

from babel import Locale

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_EXTRA = {"sept": 9, "jän": 1, "jänner": 1, "mrz": 3, "maerz": 3}


def _plain(name: str) -> str:
    return name.lower().rstrip(".")


@lru_cache(maxsize=1)
def months() -> dict[str, int]:
    """Lower-case month name or abbreviation, without its dot, to 1..12; English wins where languages differ."""
    names = dict(_EXTRA)
    for language in LANGUAGES:
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in Locale(language).months[context][width].items():
                    if not name.isdigit():
                        names.setdefault(_plain(name), int(number))
    return names


@lru_cache(maxsize=1)
def weekdays() -> dict[str, int]:
    """Lower-case weekday name or English/German abbreviation to 0 (Monday) .. 6."""
    names: dict[str, int] = {}
    for language in LANGUAGES:
        for number, name in Locale(language).days["format"]["wide"].items():
            names.setdefault(_plain(name), int(number))
    for number, name in Locale("en").days["format"]["abbreviated"].items():
        names.setdefault(_plain(name), int(number))
    return names


@lru_cache(maxsize=2)
def alternation(kind: str) -> str:
    """Regular expression for all names of `kind` ("months" or "weekdays"), longest first."""
    names = months() if kind == "months" else weekdays()
    return "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True))
