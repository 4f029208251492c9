"""The cascades that the gateway knows by name: those that are shipped, and those of a folder."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path

from gateway.cascades.definition import Cascade
from gateway.cascades.parse import parse_cascade
from services.runtime.errors import CascadeNotFound, FieldViolation, InvalidField


class Library:
    """Cascades by name. Raises InvalidField when a file is wrong or two have one name."""

    def __init__(self, cascades: Iterable[Cascade]) -> None:
        self._cascades: dict[str, Cascade] = {}
        for cascade in cascades:
            if cascade.name in self._cascades:
                raise InvalidField(FieldViolation("cascade", f"two cascades are named {cascade.name}"))
            self._cascades[cascade.name] = cascade

    @classmethod
    def load(cls, folder: Path | None = None) -> "Library":
        """The shipped cascades and those of `folder/*.yaml`."""
        texts = dict(shipped())
        for path in sorted(folder.glob("*.yaml")) if folder else ():
            texts[path.name] = path.read_text(encoding="utf-8")
        return cls(parse_cascade(text, at=name) for name, text in texts.items())

    def get(self, name: str) -> Cascade:
        """The cascade of this name. Raises CascadeNotFound."""
        if name not in self._cascades:
            raise CascadeNotFound(name)
        return self._cascades[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._cascades)


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, str]:
    """File name -> YAML of the cascades that come with the package."""
    folder = resources.files("gateway.cascades") / "library"
    files = sorted(folder.iterdir(), key=lambda item: item.name)
    return {item.name: item.read_text(encoding="utf-8") for item in files if item.name.endswith(".yaml")}
