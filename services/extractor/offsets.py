"""Code-point offsets in other units, converted at the edge only."""

import bisect
from enum import Enum
from itertools import accumulate


class Unit(Enum):
    """Unit of span offsets."""

    CODE_POINT = 1
    UTF8_BYTE = 2
    UTF16_UNIT = 3


def _utf8(char: str) -> int:
    code = ord(char)
    return 0 if code < 0x80 else 1 if code < 0x800 else 2 if code < 0x10000 else 3


def _utf16(char: str) -> int:
    return int(ord(char) > 0xFFFF)


class Offsets:
    """Maps code points of one text to a unit; holds the wide characters only, so that ASCII text costs nothing."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._wide: list[int] = []
        self._extra: list[int] = [0]
        if unit is Unit.CODE_POINT or text.isascii():
            return
        more = _utf8 if unit is Unit.UTF8_BYTE else _utf16
        found = [(index, extra) for index, char in enumerate(text) if (extra := more(char))]
        self._wide = [index for index, _ in found]
        self._extra = [0, *accumulate(extra for _, extra in found)]

    def __call__(self, at: int) -> int:
        """The offset of code point `at` in the unit."""
        return at + self._extra[bisect.bisect_left(self._wide, at)]
