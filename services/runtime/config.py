"""Settings: a frozen dataclass whose every field has a flag, an environment name, a default and a sentence of intent.

A setting is taken from its flag (`--queue-capacity 64`), else from `QUARTET_<SERVICE>_QUEUE_CAPACITY`, else, for
settings that all services share, from `QUARTET_QUEUE_CAPACITY`, else from the default. Unknown flags, unknown
`QUARTET_*` names and values that contradict each other stop the process at start.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_type_hints

OWNERS = ("CLASSIFIER", "EXTRACTOR", "FORECASTER", "LLM", "GATEWAY", "UP", "CLI", "DEMO")
"""Second words of `QUARTET_*` names that belong to one program and are checked by it."""
REDACTED = "********"
T = TypeVar("T")


class ConfigError(ValueError):
    """A setting that is unknown, malformed or contradicts another."""


def option(default: T, intent: str, *, secret: bool = False, choices: tuple[str, ...] = ()) -> T:
    """Declare a setting: its default and a sentence of intent for `--help`.

    A `secret` is never printed. `choices` restricts a text setting.
    """
    made: T = field(default=default, metadata={"intent": intent, "secret": secret, "choices": choices})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Base of all settings."""

    OWNER = ""

    @classmethod
    def load(cls, argv: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Self:
        """Read settings from flags and environment; raises ConfigError, and SystemExit for `--help`."""
        environ = os.environ if environ is None else environ
        flags = vars(_parser(cls).parse_args(list(argv)))
        _refuse_unknown(cls, environ)
        hints, values = get_type_hints(cls), {}
        for item in _options(cls):
            given = flags[item.name]
            source = f"--{_flag(item.name)}"
            if given is None:
                source, given = _from_environment(cls.OWNER, item.name, environ)
            if given is not None:
                values[item.name] = _parse(source, given, hints[item.name], item.metadata["choices"])
        config = cls(**values)
        config.check()
        return config

    def check(self) -> None:
        """Raise ConfigError when settings contradict each other."""

    def shown(self) -> dict[str, str]:
        """All settings as text for the start-up log, secrets redacted."""
        return {
            item.name: REDACTED
            if item.metadata["secret"] and getattr(self, item.name)
            else str(getattr(self, item.name))
            for item in _options(type(self))
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceConfig(Config):
    """Settings of every gRPC service."""

    host: str = option("127.0.0.1", "address to listen on; 0.0.0.0 in a container")
    port: int = option(0, "gRPC port; 0 takes a free one")
    metrics_port: int = option(0, "port of /metrics and /livez; 0 takes a free one, -1 turns it off")
    ready_file: str = option("", "write the addresses here as JSON once the service can answer")
    weights: str = option("", "folder of model folders; empty means the models that come with the service")
    model: str = option("", "id or alias of the default model; empty means the newest")
    provider: str = option("auto", "where models run", choices=("auto", "cpu", "cuda"))
    threads: int = option(1, "threads of one model run; 0 means the CPU quota. More helps only when nothing else runs")
    queue_capacity: int = option(256, "requests held at once; more are refused instead of waiting")
    max_message_bytes: int = option(16 * 1024 * 1024, "largest gRPC message in either direction")
    drain_s: float = option(20.0, "seconds that requests in flight may take after SIGTERM")
    log_level: str = option("info", "what to log", choices=("debug", "info", "warning", "error"))
    log_format: str = option("text", "one line per event, for people or as JSON", choices=("text", "json"))

    def check(self) -> None:
        for name in ("queue_capacity", "max_message_bytes"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
        if self.drain_s < 0 or self.threads < 0:
            raise ConfigError("drain_s and threads must not be negative")
        if self.port and self.port == self.metrics_port:
            raise ConfigError(f"port and metrics_port are both {self.port}")

    def weights_root(self, default: Path) -> Path:
        """The folder that holds the model folders."""
        return Path(self.weights) if self.weights else default


def _options(cls: type[Config]) -> list[Field[Any]]:
    return [item for item in fields(cls) if "intent" in item.metadata]


def _flag(name: str) -> str:
    return name.replace("_", "-")


def _parser(cls: type[Config]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"quartet {cls.OWNER.lower()}".strip(), allow_abbrev=False)
    for item in _options(cls):
        default = item.default if item.default is not MISSING else ""
        names = f"QUARTET_{cls.OWNER}_{item.name.upper()}".replace("__", "_")
        shown = "" if item.metadata["secret"] or default == "" else f"; default {default}"
        parser.add_argument(f"--{_flag(item.name)}", help=f"{item.metadata['intent']} ({names}{shown})")
    return parser


def _from_environment(owner: str, name: str, environ: Mapping[str, str]) -> tuple[str, str | None]:
    for key in (f"QUARTET_{owner}_{name.upper()}", f"QUARTET_{name.upper()}"):
        if key in environ:
            return key, environ[key]
    return "", None


def _refuse_unknown(cls: type[Config], environ: Mapping[str, str]) -> None:
    own = {item.name.upper() for item in _options(cls)}
    for key in sorted(environ):
        if not key.startswith("QUARTET_"):
            continue
        rest = key.removeprefix("QUARTET_")
        owner, _, name = rest.partition("_")
        if owner == cls.OWNER and name not in own:
            raise ConfigError(f"{key} is not a setting of {cls.OWNER.lower()}")
        if owner not in OWNERS and rest not in own:
            raise ConfigError(f"{key} is not a known setting")


def _parse(source: str, text: str, hint: Any, choices: tuple[str, ...]) -> Any:
    kind = next((t for t in get_args(hint) if t is not type(None)), hint)
    try:
        value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{source}: {text!r} is not {_KINDS.get(kind, 'valid')}") from error
    if choices and value not in choices:
        raise ConfigError(f"{source}: {text!r} is not one of {', '.join(choices)}")
    return value


_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
