"""Units of measure: which belong together, and factors between them."""

from decimal import Decimal

_TABLE: dict[str, dict[str, str]] = {
    "mass": {"kg": "1", "g": "0.001", "mg": "0.000001", "t": "1000", "lb": "0.45359237", "oz": "0.028349523125",
    "st": "6.35029318"},
    "length": {"m": "1", "km": "1000", "cm": "0.01", "mm": "0.001", "mi": "1609.344", "yd": "0.9144", "ft": "0.3048",
    "in": "0.0254"},
    "volume": {"l": "1", "ml": "0.001", "cl": "0.01", "dl": "0.1", "m3": "1000", "gal": "3.785411784",
    "pt": "0.473176473"},
    "data": {"b": "1", "kb": "1000", "mb": "1000000", "gb": "1000000000", "tb": "1000000000000"},
    "energy": {"wh": "1", "kwh": "1000", "mwh": "1000000"},
    "power": {"w": "1", "kw": "1000", "mw": "1000000"},
    "ratio": {"%": "1"},
}  # fmt: skip
_SPELLINGS = {
    "kilogram": "kg", "kilograms": "kg", "kilo": "kg", "kilos": "kg", "kgs": "kg", "gram": "g", "grams": "g",
    "tonne": "t", "tonnes": "t",
    "pound": "lb", "pounds": "lb", "lbs": "lb", "ounce": "oz", "ounces": "oz", "metre": "m", "meter": "m",
    "metres": "m", "meters": "m",
    "kilometre": "km", "kilometres": "km", "kilometers": "km", "mile": "mi", "miles": "mi", "foot": "ft",
    "feet": "ft", "inch": "in",
    "inches": "in", "litre": "l", "litres": "l", "liter": "l", "liters": "l", "percent": "%", "prozent": "%",
    "m³": "m3",
}  # fmt: skip
_KNOWN = {unit: (dimension, Decimal(factor)) for dimension, units in _TABLE.items() for unit, factor in units.items()}


def known(unit: str | None) -> tuple[str, Decimal] | None:
    """(dimension, factor to its base unit) of a unit word; currencies are dimensions of their own."""
    if not unit:
        return None
    word = _SPELLINGS.get(unit.lower(), unit.lower())
    if word in _KNOWN:
        return _KNOWN[word]
    return (unit, Decimal(1)) if len(unit) == 3 and unit.isupper() else None


def same_dimension(wanted: str, found: str | None) -> bool | None:
    """Whether a found unit answers a wanted one; None when either is no known unit and the words differ."""
    if found and (wanted.lower().rstrip("s") == found.lower().rstrip("s")):
        return True
    a, b = known(wanted), known(found)
    return None if a is None or b is None else a[0] == b[0]


def convert(value: Decimal, found: str | None, wanted: str) -> Decimal:
    """A value in another unit of its dimension; unchanged when the units are unknown or the same."""
    a, b = known(found), known(wanted)
    if a is None or b is None or a[0] != b[0] or a[1] == b[1]:
        return value
    return value * a[1] / b[1]
