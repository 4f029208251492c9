"""Settings: flag over environment over default; unknown and contradictory ones stop the start."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from services.runtime.config import ConfigError, ServiceConfig, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(ServiceConfig):
    OWNER = "CLASSIFIER"
    port: int = option(50051, "gRPC port")
    token: str = option("", "a key", secret=True)
    packing: bool = option(True, "pack questions")


def test_defaults_flags_and_environment_in_order() -> None:
    environ = {"QUARTET_CLASSIFIER_PORT": "7000", "QUARTET_LOG_LEVEL": "debug", "QUARTET_CLASSIFIER_PACKING": "off"}
    config = Example.load(["--port", "7001"], environ)
    assert (config.port, config.log_level, config.packing, config.queue_capacity) == (7001, "debug", False, 256)
    assert Example.load([], environ).port == 7000
    assert (
        Example.load([], {"QUARTET_LOG_LEVEL": "debug", "QUARTET_CLASSIFIER_LOG_LEVEL": "error"}).log_level == "error"
    )


def test_names_of_other_programs_are_left_to_them() -> None:
    assert Example.load([], {"QUARTET_EXTRACTOR_WHATEVER": "1", "OTHER": "x"}).port == 50051


@pytest.mark.parametrize(
    ("argv", "environ", "named"),
    [
        ([], {"QUARTET_CLASSIFIER_PROT": "1"}, "QUARTET_CLASSIFIER_PROT"),
        ([], {"QUARTET_COLOUR": "red"}, "QUARTET_COLOUR"),
        (["--port", "many"], {}, "--port"),
        ([], {"QUARTET_CLASSIFIER_PACKING": "perhaps"}, "QUARTET_CLASSIFIER_PACKING"),
        (["--provider", "tpu"], {}, "auto, cpu, cuda"),
        (["--queue-capacity", "0"], {}, "queue_capacity"),
        (["--port", "9000", "--metrics-port", "9000"], {}, "9000"),
    ],
)
def test_a_wrong_setting_is_named(argv: list[str], environ: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        Example.load(argv, environ)


def test_an_unknown_flag_stops_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        Example.load(["--colour", "red"], {})
    assert "--colour" in capsys.readouterr().err


def test_secrets_are_redacted_when_shown() -> None:
    shown = Example.load(["--token", "s3cret"], {}).shown()
    assert "s3cret" not in str(shown)
    assert shown["port"] == "50051"


def test_help_states_intent_name_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        Example.load(["--help"], {})
    text = " ".join(capsys.readouterr().out.split())
    assert "QUARTET_CLASSIFIER_QUEUE_CAPACITY; default 256" in text
    assert "more are refused instead of waiting" in text
