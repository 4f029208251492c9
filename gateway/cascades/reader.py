"""Takes typed values out of a mapping and remembers every problem with its path."""

import re
from collections.abc import Collection, Iterator

from gateway.cascades.document import Plain
from services.runtime.errors import FieldViolation, InvalidField

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Problems:
    """Collects violations, so that one upload shows all of them."""

    def __init__(self) -> None:
        self._found: list[FieldViolation] = []

    def add(self, path: str, description: str) -> None:
        """Remembers one problem."""
        self._found.append(FieldViolation(path, description))

    def raise_any(self) -> None:
        """Raises InvalidField when something was added."""
        if self._found:
            raise InvalidField(*self._found)


class Reader:
    """One mapping of the document; every key must be taken, the rest is reported by `finish`."""

    def __init__(self, value: Plain, path: str, problems: Problems) -> None:
        self.path = path
        self.problems = problems
        self._values: dict[str, Plain] = {}
        self._taken: set[str] = set()
        if isinstance(value, dict):
            self._values = value
        else:
            problems.add(path, "must be a mapping")

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def at(self, key: str) -> str:
        """Path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def raw(self, key: str) -> Plain:
        """The value as it stands, None when absent."""
        self._taken.add(key)
        return self._values.get(key)

    def text(self, key: str, *, required: bool = False, default: str = "") -> str:
        """A string."""
        value = self.raw(key)
        if value is None:
            if required:
                self.problems.add(self.at(key), "is missing")
            return default
        if not isinstance(value, str):
            self.problems.add(self.at(key), "must be a string")
            return default
        return value

    def one_of(self, key: str, allowed: Collection[str], *, default: str = "") -> str:
        """A string out of a fixed set; required when there is no default."""
        value = self.text(key, required=not default, default=default)
        if value and value not in allowed:
            self.problems.add(self.at(key), f"is {value!r}, must be one of {', '.join(sorted(allowed))}")
            return default
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.problems.add(self.at(key), "must be true or false")
            return default
        return value

    def number(self, key: str, *, low: float, high: float) -> float | None:
        """A number in [low, high]."""
        value = self.raw(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            self.problems.add(self.at(key), f"must be a number from {low:g} to {high:g}")
            return None
        return float(value)

    def whole(self, key: str, *, low: int, high: int) -> int | None:
        """A whole number in [low, high]."""
        value = self.raw(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.problems.add(self.at(key), f"must be a whole number from {low} to {high}")
            return None
        return value

    def seconds(self, key: str, *, default: float) -> float:
        """A duration such as 500ms, 5s, 2m, as seconds; at most a day."""
        value = self.raw(key)
        if value is None:
            return default
        match = _DURATION.match(value) if isinstance(value, str) else None
        seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
        if not 0.0 < seconds <= 86_400.0:
            self.problems.add(self.at(key), "must be a duration such as 500ms, 5s or 2m, at most a day")
            return default
        return seconds

    def names(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.raw(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.problems.add(self.at(key), "must be a list of strings")
            return ()
        return tuple(str(item) for item in value)

    def items(self, key: str) -> Iterator[tuple[str, Plain, str]]:
        """Name, value and path of each entry of a mapping."""
        value = self.raw(key)
        if value is None:
            return
        if not isinstance(value, dict):
            self.problems.add(self.at(key), "must be a mapping")
            return
        for name, item in value.items():
            yield name, item, f"{self.at(key)}.{name}"

    def finish(self) -> None:
        """Reports keys that nobody took."""
        for key in self._values:
            if key not in self._taken:
                known = ", ".join(sorted(self._taken))
                self.problems.add(self.at(key), f"is not a known key; known here: {known}")
