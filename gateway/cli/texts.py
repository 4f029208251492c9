"""Where a command's text comes from: the argument, a file, or standard input."""

import sys
from pathlib import Path

from gateway.cli.output import fail

MAX_BYTES = 8 * 1024 * 1024


def read_text(argument: str | None, file: Path | None) -> str:
    """The argument, the file, or standard input for `-` and when neither is given and input is piped."""
    if argument is not None and file is not None:
        fail("give a text or --file, not both", reason="USAGE", code=2)
    if file is not None:
        return read_file(file)
    if argument is not None and argument != "-":
        return argument
    if argument is None and sys.stdin.isatty():
        fail("give a text, --file PATH, or pipe one in", reason="USAGE", code=2)
    return _decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")


def read_file(path: Path) -> str:
    """A whole file as text."""
    try:
        with path.open("rb") as file:
            return _decode(file.read(MAX_BYTES + 1), str(path))
    except OSError as error:
        fail(f"{path}: {error.strerror or error}", reason="FILE", code=2)


def _decode(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        fail(f"{name} is larger than {MAX_BYTES} bytes", reason="INPUT_TOO_LONG")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{name} is not UTF-8 (byte {error.start})", reason="ENCODING")
    if not text.strip():
        fail(f"{name} is empty", reason="USAGE", code=2)
    return text
