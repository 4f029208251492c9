"""Times of day."""

import datetime as dt
import re
from collections.abc import Iterator

from services.extractor.values import Candidate

_CLOCK = re.compile(
    r"(?<![\d:.,/-])(?P<hour>[01]?\d|2[0-4])(?P<mark>[:h]|[.](?=\d{2}\s?(?:Uhr|uhr|[ap]\.?\s?m\b)))(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d)(?:[.,]\d+)?)?(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?(?:\sUhr\b)?(?![\d:])",
    re.I,
)
_HALF = re.compile(r"(?<![\d:.,/-])(?P<hour>1[0-2]|[1-9])\s?(?P<half>[ap])(?:\.\s?m\.|\.?m\b)", re.I)
_HOUR = re.compile(r"(?<![\d:.,/-])(?P<hour>[01]?\d|2[0-4])\s?(?:Uhr\b|h(?![\w/]|\s?\d))")
_AT_HOUR = re.compile(
    r"(?<!\w)(?:at|by|around|until|till)\s(?P<hour>1[0-2]|[1-9])(?=\s?(?:[.;!?]|$|in the|o['’]clock|on\s|"
    r"tomorrow|today|this|and\b))(?:\s?o['’]clock)?"
)
_WORDS = {"noon": dt.time(12), "midday": dt.time(12), "midnight": dt.time(0), "mittags": dt.time(12),
    "mitternacht": dt.time(0),
          "midi": dt.time(12), "minuit": dt.time(0), "mediodía": dt.time(12), "medianoche": dt.time(0)}  # fmt: skip
_WORD = re.compile(r"(?<!\w)(?:" + "|".join(_WORDS) + r")(?!\w)", re.I)
_PAST = re.compile(
    r"(?<!\w)(?:(?P<part>half|(?:a\s)?quarter|five|ten|twenty)\s(?P<side>past|to)\s)(?P<hour>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|[1-9])(?:\s?(?P<half>[ap])\.?m\b\.?)?(?!\w)",
    re.I,
)
_PARTS = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20}
_HOURS = {w: i for i, w in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}
_EVENING = re.compile(r"\s?(?:in the (?:afternoon|evening)|at night|tonight|abends|nachmittags)", re.I)
_MORNING = re.compile(r"\s?(?:in the morning|morgens)", re.I)


def _time(hour: int, minute: int, second: int, half: str | None) -> dt.time | None:
    if half and not 1 <= hour <= 12:
        half = None
    if half:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return dt.time(hour % 24, minute, second) if hour < 24 or not minute else None


def find(text: str) -> Iterator[Candidate]:
    """Times of day; places do not overlap."""
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return all(end <= a or start >= b for a, b in taken)

    for match in _CLOCK.finditer(text):
        value = _time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0), match["half"])
        if value is None:
            continue
        value = _part_of_day(text, match.end(), value) if not match["half"] else value
        taken.append(match.span())
        yield Candidate(*match.span(), "time", value)
    for match in _PAST.finditer(text):
        hour = _HOURS.get(match["hour"].lower()) or int(match["hour"])
        minute = _PARTS[match["part"].lower()]
        total = hour * 60 + (minute if match["side"].lower() == "past" else -minute)
        value = _time(total // 60 or 12, total % 60, 0, match["half"])
        taken.append(match.span())
        if value is not None:
            yield Candidate(*match.span(), "time", _part_of_day(text, match.end(), value), sure=bool(match["half"]))
    for pattern in (_HALF, _HOUR):
        for match in pattern.finditer(text):
            value = _time(int(match["hour"]), 0, 0, match.groupdict().get("half"))
            if value is not None and free(*match.span()):
                taken.append(match.span())
                yield Candidate(*match.span(), "time", value)
    for match in _WORD.finditer(text):
        if free(*match.span()):
            yield Candidate(*match.span(), "time", _WORDS[match[0].lower()])
    for match in _AT_HOUR.finditer(text):
        if free(match.start("hour"), match.end()):
            value = _part_of_day(text, match.end(), dt.time(int(match["hour"]) % 24))
            yield Candidate(match.start("hour"), match.end(), "time", value, sure=False)


def _part_of_day(text: str, at: int, value: dt.time) -> dt.time:
    if value.hour < 12 and _EVENING.match(text, at):
        return value.replace(hour=value.hour + 12)
    return value.replace(hour=0) if value.hour == 12 and _MORNING.match(text, at) else value
