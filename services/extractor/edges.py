"""Where a place begins and ends among its neighbours: whether it is a whole phrase or a cut of one.

A phrase of content words runs from a small word or punctuation to the next: "an | oak wardrobe | from". A place that
leaves some of them out is cut, and "the machine" names less than the "washing machine" of another sentence.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.extractor.spans import small
from services.extractor.tokens import Word

EDGES = ("open_left", "open_right", "determined", "split", "fuller")
_DETERMINERS = frozenset(
    "a an the my your our his her their its this that these those one some any every each another no ein eine einen "
    "einem einer der die das den dem mein meine meinen unser unsere le la les l un une des mon ma mes notre nos el los "
    "las una mi nuestro nuestra il lo uno um uma o os".split()
)
_GAP = re.compile(r"[ \t]*\r?\n?[ \t]*|[ \t]?[’'][ \t]?")
_GLUED = re.compile(r"[\w./-]")
_LONGEST = 5


def edges(text: str, words: Sequence[Word], ranges: Sequence[tuple[int, int]],
          places: Sequence[tuple[int, int]]) -> NDArray[np.float32]:  # fmt: skip
    """[places, EDGES]; `ranges` are the words of each place."""
    out = np.zeros((len(places), len(EDGES)), np.float32)
    shown = [text[word.start : word.end].lower() for word in words]
    for row, ((start, end), (first, last)) in enumerate(zip(places, ranges, strict=True)):
        before = shown[first - 1] if first and _GAP.fullmatch(text, words[first - 1].end, start) else ""
        after = shown[last] if last < len(words) and _GAP.fullmatch(text, end, words[last].start) else ""
        out[row, 0] = bool(before) and not small(before)
        out[row, 1] = bool(after) and not small(after)
        out[row, 2] = before in _DETERMINERS
        out[row, 3] = _split(text, start) or _split(text, end)
    whole = [tuple(shown[first:last]) for first, last in ranges]
    longer = {
        found[cut:]
        for found, row in zip(whole, out, strict=True)
        if 1 < len(found) <= _LONGEST and not row[0] and not row[3] and not any(map(small, found))
        for cut in range(1, len(found))
    }
    out[:, 4] = [found in longer for found in whole]
    return out


def _split(text: str, at: int) -> bool:
    """Whether a position is inside one code-like word, such as between the groups of "5530-118B"."""
    if not 0 < at < len(text) or not _GLUED.match(text, at) or not _GLUED.match(text, at - 1):
        return False
    return text[at - 1].isalnum() or text[at].isalnum()
