"""Words of texts and of field names."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache


def _marks() -> str:
    """A character class body of all combining marks and joiners: they belong to the letter before them."""
    codes = [c for c in range(0x300, 0x20000) if unicodedata.category(chr(c)) in ("Mn", "Mc")] + [0x200C, 0x200D]
    ranges: list[list[int]] = []
    for code in sorted(codes):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


MARKS = _marks()
_LETTERS = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*"
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})?|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
# Words that instructions wrap around what they ask for.
_WRAPPING = frozenset(
    "extract return find give get read copy copied exactly verbatim word words written appears appear text "
    "state stated states says say leave "
    "empty null missing mentioned mention none there plain figure only sign unit such value field answer "
    "please provide identify list "
    "all several any may some what which who whom whose is are was were be been it its if the a an of in on "
    "to for by from with as at "
    "that this these those and or not no does do did has have had how about iso yyyy mm dd string number's e "
    "g i etc document message here "
    "der die das des dem den ein eine und von im am zu ist le la les un une des du de et el los las una y en "
    "o que".split()
)
_FUNCTION = frozenset(("the", "a", "an", "of", "is", "was", "and", "or"))
_GENERIC = frozenset(
    "name date number amount value id code time type day total info information details field no nr".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word at code points [start, end) and its stem."""

    start: int
    end: int
    stem: str


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Light stemming: case, plural, -ed and -ing; the same for texts and names."""
    word = word.lower().replace("’", "'")
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
    return word.removesuffix("e") if len(word) > 4 else word


def words(text: str) -> list[Word]:
    """All words in order; camelCase words are split."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        start = match.start()
        pieces = _CAMEL.split(match[0]) if any(c.isupper() for c in match[0][1:]) else [match[0]]
        for piece in pieces:
            found.append(Word(start, start + len(piece), stem(piece)))
            start += len(piece)
    return found


def spelled(name: str) -> str:
    """A field name as words: `pricePaid`, `price_paid` and `price.paid` become "price paid"."""
    return " ".join(" ".join(_CAMEL.split(part)) for part in re.split(r"[_.\-\s]+", name) if part).lower()


def asked(name: str, instructions: str) -> list[tuple[str, str, float]]:
    """(word, stem, weight) of what a field asks for: name words first; wrapping words are left out."""
    listed: dict[str, tuple[str, str, float]] = {}
    spelt = spelled(name)
    in_name = [w for w in _WORD.findall(spelt) if w not in _FUNCTION or " " not in spelt]
    for word in in_name:
        generic = word in _GENERIC and len(in_name) > 1
        listed.setdefault(stem(word), (word, stem(word), 0.35 if generic else 1.0))
    for word in _WORD.findall(instructions.lower()):
        if word not in _WRAPPING and not word.isdigit():
            listed.setdefault(stem(word), (word, stem(word), 0.2 if word in _GENERIC else 0.5))
    return list(listed.values()) or [(spelled(name), stem(spelled(name)), 1.0)]
