"""What kind of thing a field asks for, and what kind of thing a span looks like."""

import re
from typing import Final

from services.extractor.document import Item
from services.extractor.spans import Source
from services.extractor.tokens import stem

_PROTOTYPES = {
    "person": "person customer client contact sender author signature doctor driver patient employee guest "
    "passenger surname recipient",
    "organisation": "company organisation organization vendor supplier shop store merchant firm employer airline "
    "brand team seller restaurant hotel",
    "place": "city town place location country state destination origin area venue airport station region",
    "address": "address street road",
    "email": "email mail",
    "phone": "phone telephone mobile fax",
    "web": "url website link site web",
    "identifier": "number no nr id code reference ref invoice ticket serial tracking sku identifier booking",
    "account": "iban account card vat bank",
    "date": "date day deadline birthday arrival",
    "time": "time hour clock",
    "money": "price cost amount total paid fee charge payment balance",
    "quantity": "quantity count size weight number people seats",
    "description": "description reason problem issue comment note subject message damage complaint summary",
    "thing": "item product article goods device object furniture appliance tool machine garment toy ingredient food",
    "category": "type kind category genre colour color status style preference cuisine",
    "title": "title song album book movie film event",
    "rate": "rate percent percentage discount tax",
    "duration": "duration length period days hours warranty",
    "name": "name",
}
CONCEPTS: Final = {name: tuple(dict.fromkeys(listed.split())) for name, listed in _PROTOTYPES.items()}
CONCEPT_STEMS: Final = {name: frozenset(map(stem, listed)) for name, listed in CONCEPTS.items()}
SHAPES: Final = (
    "email", "url", "phone", "iban", "card", "vat", "id", "money", "number", "percent", "date", "time", "datetime",
    "duration",
    "capital1", "capitals2", "capitals3", "title", "lower1", "lower2", "lower3", "lower4", "digits", "mixed",
    "sentence", "lines",
    "upper1", "upper2", "han", "quote",
)  # fmt: skip
_INDEX: Final = {name: index for index, name in enumerate(SHAPES)}
_KINDS = frozenset(SHAPES[:14])


def shape(text: str, item: Item) -> int:
    """Index into SHAPES."""
    candidate = item.candidate
    if candidate.kind in _KINDS:
        return _INDEX[candidate.kind]
    return _INDEX[_shape(text[candidate.start : candidate.end], item.source)]


def _shape(shown: str, source: Source) -> str:
    if "\n" in shown:
        return "lines"
    if source & Source.QUOTE:
        return "quote"
    if re.match(r"[\u3040-\u9fff\uac00-\ud7a3]", shown):
        return "han"
    words = shown.split()
    digits = sum(any(c.isdigit() for c in word) for word in words)
    if digits:
        return "digits" if digits * 2 > len(words) else "mixed"
    if len(words) > 7:
        return "sentence"
    if shown.isupper():
        return "upper1" if len(words) == 1 else "upper2"
    capitals = sum(word[:1].isupper() for word in words)
    if capitals == len(words):
        return ("capital1", "capitals2", "capitals3")[min(len(words), 3) - 1]
    if words[0][:1].isupper() and words[-1][:1].isupper():
        return "title"
    return ("lower1", "lower2", "lower3", "lower4")[min(len(words), 4) - 1]
