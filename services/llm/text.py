"""From token ids to text that is safe to send: whole characters only, and nothing of a stop string."""

import codecs
from collections.abc import Sequence

from tokenizers import Tokenizer


def token_bytes(tokenizer: Tokenizer) -> list[bytes]:
    """The bytes that each token id of a byte-level BPE stands for; nothing for control tokens."""
    alphabet = _byte_alphabet()
    added = tokenizer.get_added_tokens_decoder()
    table = [b""] * tokenizer.get_vocab_size(with_added_tokens=True)
    for token, index in tokenizer.get_vocab(with_added_tokens=True).items():
        if index in added:
            table[index] = b"" if added[index].special else token.encode()
        else:
            table[index] = bytes(alphabet[c] for c in token)
    return table


def _byte_alphabet() -> dict[str, int]:
    """The printable character that byte-level BPE (Radford et al., 2019) writes for each byte, inverted."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet = {chr(byte): byte for byte in printable}
    others = (byte for byte in range(256) if byte not in set(printable))
    alphabet.update((chr(256 + n), byte) for n, byte in enumerate(others))
    return alphabet


class TextStream:
    """Turns tokens into deltas of one text.

    Bytes of an unfinished character wait for the rest; bytes that can never be one become U+FFFD. Text that may be
    the beginning of a stop string waits until it is clear that it is not.
    """

    def __init__(self, table: Sequence[bytes], stop: Sequence[str] = ()) -> None:
        self._table = table
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._held = ""
        self.stopped = False
        """Whether a stop string was met; it and all after it are never given out."""

    def push(self, token: int) -> str:
        """The text that is certain after one more token; often empty."""
        self._held += self._decoder.decode(self._table[token])
        found = [at for at in map(self._held.find, self._stop) if at >= 0]
        if found:
            self.stopped = True
            return self._take(min(found), keep=False)
        return self._take(len(self._held) - self._pending())

    def finish(self) -> str:
        """What was held back, at the end of the text. An unfinished character is dropped."""
        return self._take(len(self._held))

    def _take(self, count: int, *, keep: bool = True) -> str:
        given, rest = self._held[:count], self._held[count:]
        self._held = rest if keep else ""
        return given

    def _pending(self) -> int:
        """Length of the longest end of the held text that begins a stop string."""
        longest = max(map(len, self._stop), default=1) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            if any(stop.startswith(self._held[-size:]) for stop in self._stop):
                return size
        return 0
