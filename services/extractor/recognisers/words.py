"""Numbers written in words: English, German, French, Spanish."""

import re
from collections.abc import Iterator
from decimal import Decimal

_EN = {w: i for i, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split())}  # fmt: skip
_EN |= {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_DE = {w: i for i, w in enumerate(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn".split())}  # fmt: skip
_DE |= {w: 10 * i for i, w in enumerate("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(), 2)}
_FR = {w: i for i, w in enumerate(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize".split())}  # fmt: skip
_FR |= {"vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}
_ES = {w: i for i, w in enumerate(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve".split())}  # fmt: skip
_ES |= {w: 10 * i for i, w in enumerate("treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), 3)}
_ES |= {w: 100 * i for i, w in enumerate("doscientos trescientos cuatrocientos quinientos seiscientos setecientos "
                                         "ochocientos novecientos".split(), 2)} | {"cien": 100,
                                         "ciento": 100}  # fmt: skip
_SCALES = {
    "hundred": 100, "cent": 100, "cents": 100,
    "thousand": 1000, "tausend": 1000, "mille": 1000, "mil": 1000,
    "million": 10**6, "millions": 10**6, "millionen": 10**6, "millón": 10**6, "millones": 10**6,
    "billion": 10**9, "dozen": 12, "dutzend": 12, "docena": 12, "douzaine": 12,
}  # fmt: skip
_UNITS: dict[str, int] = {**_ES, **_FR, **_DE, **_EN}
_JOINERS = frozenset(("and", "und", "et", "y"))
# Everyday words in their own language: numbers only beside other number words.
_WEAK = frozenset(("un", "uno", "one", "once", "null", "six", "mil", "cent", "cents"))
_FRACTIONS = {
    "half a dozen": Decimal(6), "a dozen": Decimal(12), "a couple of": Decimal(2), "a hundred": Decimal(100),
    "a thousand": Decimal(1000), "a million": Decimal(10**6), "half a million": Decimal(500000),
    "ein dutzend": Decimal(12), "une douzaine": Decimal(12), "una docena": Decimal(12),
}  # fmt: skip
_FIXED = re.compile(r"(?<!\w)(?:" + "|".join(sorted(_FRACTIONS, key=len, reverse=True)) + r")(?!\w)", re.I)
_KNOWN = sorted({*_UNITS, *_SCALES}, key=len, reverse=True)
_GERMAN_PARTS = sorted({*_DE, "ein", "eine", "hundert", "tausend", "und"}, key=len, reverse=True)
_WORD = r"(?:" + "|".join(map(re.escape, _KNOWN)) + r")"
_RUN = re.compile(rf"(?<![\w-]){_WORD}(?:(?:[ -]|\s(?:and|et|y)\s|-et-){_WORD})*(?!\w)", re.I)
_GERMAN = re.compile(
    r"(?<!\w)[a-zäöüß]*(?:hundert|tausend|und(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig))[a-zäöüß]*(?!\w)",
    re.I,
)


def _combine(parts: list[str]) -> Decimal | None:
    """Value of number words in order, or None when they do not form one number."""
    total, current, last = 0, 0, 0
    for part in parts:
        if part in _SCALES:
            scale = _SCALES[part]
            if scale >= 1000:
                total, current = total + max(current, 1) * scale, 0
            elif scale == 12:
                current = max(current, 1) * 12
            else:
                current = (current // 1000) * 1000 + max(current % 1000, 1) * 100
            last = 0
            continue
        value = _UNITS[part]
        if part in ("vingt", "vingts") and current % 100 == 4:
            current, last = current - 4 + 80, 80
            continue
        if (last and (last < 20 and not (last == 10 and value in (7, 8, 9)))) or (
            last and value >= 10 and last < 100 and last not in (60, 80)
        ):
            return None
        if last and value >= last:
            return None
        current += value
        last = value
    return Decimal(total + current)


def _german(word: str) -> Decimal | None:
    rest, total, current, unit = word.lower(), 0, 0, 0
    while rest:
        part = next((p for p in _GERMAN_PARTS if rest.startswith(p)), None)
        if part is None:
            return None
        rest = rest[len(part) :]
        if part == "und":
            continue
        if part == "hundert":
            current = max(unit, 1) * 100 + (current if current >= 100 else 0)
            unit = 0
        elif part == "tausend":
            total, current, unit = max(current + unit, 1) * 1000, 0, 0
        elif part in ("ein", "eine"):
            unit = 1
        else:
            value = _DE[part]
            current, unit = (current + unit + value, 0) if value >= 10 else (current, value)
    return Decimal(total + current + unit)


def find(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, value) of every number in words."""
    taken: list[tuple[int, int]] = []
    for match in _FIXED.finditer(text):
        taken.append(match.span())
        yield *match.span(), _FRACTIONS[re.sub(r"\s+", " ", match[0].lower())]
    for match in _GERMAN.finditer(text):
        value = _german(match[0])
        if value is not None:
            taken.append(match.span())
            yield *match.span(), value
    for match in _RUN.finditer(text):
        if any(a < match.end() and match.start() < b for a, b in taken):
            continue
        yield from _runs(match)


def _runs(match: re.Match[str]) -> Iterator[tuple[int, int, Decimal]]:
    words = [(m.start() + match.start(), m.end() + match.start(), m[0].lower())
             for m in re.finditer(r"[^\W\d_]+", match[0])]  # fmt: skip
    known = [w for w in words if w[2] not in _JOINERS]
    while known:
        for size in range(len(known), 0, -1):
            value = _combine([w[2] for w in known[:size]])
            if value is not None:
                break
        else:
            return
        if size > 1 or (
            known[0][2] not in _WEAK
            and known[0][2] not in ("dozen", "hundred", "thousand", "million", "millions", "billion")
        ):
            yield known[0][0], known[size - 1][1], value
        elif known[0][2] == "one":
            yield known[0][0], known[0][1], value
        known = known[size:]
