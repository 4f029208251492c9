"""Normalised values and how they look as JSON."""

import datetime as dt
import json
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

# Mean Gregorian month: the only honest bridge between calendar lengths and clock lengths.
_MONTH_SECONDS = Decimal(2629746)
_SECONDS: dict[str, Decimal] = {
    "seconds": Decimal(1),
    "minutes": Decimal(60),
    "hours": Decimal(3600),
    "days": Decimal(86400),
    "weeks": Decimal(604800),
}
_MONTHS: dict[str, Decimal] = {"months": Decimal(1), "years": Decimal(12)}
DURATION_UNITS = (*_SECONDS, *_MONTHS)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount; `currency` is an ISO 4217 code or None when the text names none."""

    amount: Decimal
    currency: str | None


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: calendar months and clock seconds are kept apart, since no exact rate joins them."""

    months: Decimal = Decimal(0)
    seconds: Decimal = Decimal(0)

    @classmethod
    def of(cls, amount: Decimal, unit: str) -> "Duration":
        """`amount` of one of DURATION_UNITS."""
        if unit in _MONTHS:
            return cls(months=amount * _MONTHS[unit])
        return cls(seconds=amount * _SECONDS[unit])

    def __add__(self, other: "Duration") -> "Duration":
        return Duration(self.months + other.months, self.seconds + other.seconds)

    def to(self, unit: str) -> Decimal:
        """The length in `unit`; months count 30.436875 days where calendar and clock lengths meet."""
        if unit in _MONTHS:
            return (self.months + self.seconds / _MONTH_SECONDS) / _MONTHS[unit]
        return (self.months * _MONTH_SECONDS + self.seconds) / _SECONDS[unit]

    def exact_in(self, unit: str) -> bool:
        """Whether `to(unit)` needs no mean month."""
        return not self.seconds if unit in _MONTHS else not self.months


Value = str | bool | Decimal | Money | Duration | dt.date | dt.time | dt.datetime
Kind = Literal[
    "number", "percent", "money", "date", "time", "datetime", "duration",
    "email", "url", "phone", "iban", "card", "vat", "id", "span",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value found in the text at code points [start, end).

    `value` is None when the text alone does not determine it (a date without a year and no anchor).
    `other` is the second reading when the document does not settle decimal marks or day order.
    `unit` is a currency code, "%" or the unit word beside a number. `part_of` names the wider kind around a number.
    `sure` is False for readings that needed a repair or an assumption.
    """

    start: int
    end: int
    kind: Kind
    value: Value | None
    other: Value | None = None
    unit: str | None = None
    part_of: str | None = None
    sure: bool = True


def plain(number: Decimal) -> str:
    """Shortest decimal text without exponent: 1080.00 -> "1080"."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def rounded(number: Decimal, decimals: int | None) -> Decimal:
    """Rounds half away from zero to `decimals` places; None keeps the number."""
    return number if decimals is None else number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def clock(value: dt.time) -> str:
    """HH:MM, or HH:MM:SS when there are seconds."""
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def to_json(value: Value | None) -> str:
    """The value as one JSON document; numbers keep every digit."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            return plain(value)
        case Money(amount, currency):
            return json.dumps({"amount": format(amount, "f"), "currency": currency})
        case dt.datetime():
            return f'"{value:%Y-%m-%d}T{clock(value.time())}"'
        case dt.date():
            return f'"{value.isoformat()}"'
        case dt.time():
            return f'"{clock(value)}"'
        case Duration():
            return plain(value.to("seconds"))
        case _:
            return json.dumps(value, ensure_ascii=False)
