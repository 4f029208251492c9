"""The command line without services: usage, texts, short forms, and what an unreachable service looks like."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gateway.cli import specs
from gateway.cli.calls import _numbers
from gateway.cli.main import app

CLI = CliRunner()
NOWHERE = ("--address", "127.0.0.1:1")


def test_help_names_every_command() -> None:
    result = CLI.invoke(app, ["--help"])
    assert result.exit_code == 0
    for name in ("up", "demo", "decide", "extract", "forecast", "generate", "cascade", "models"):
        assert name in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "text"),
        ("decide", "text", "--choose", "no options"),
        ("extract", "text"),
        ("extract", "text", "--file", "also.txt", "--field", "a"),
        ("extract", "--file", "missing.txt", "--field", "a"),
        ("forecast", "1 2 3", "--horizon", "0"),
        ("nonsense",),
        ("demo", "--email", "999"),
        ("demo", "--gateway", "127.0.0.1:1"),
        ("models", "list", "--address", "nope=1"),
        ("cascade", "run", "missing.yaml", "text"),
        ("cascade", "run", "support", "text", "--set", "novalue"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    result = CLI.invoke(app, list(arguments))
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "text", "--ask", "Is it?", *NOWHERE),
        ("extract", "text", "--field", "a:date", *NOWHERE),
        ("forecast", "1 2 3", *NOWHERE),
        ("generate", "text", *NOWHERE),
        ("cascade", "run", "support", "text", *NOWHERE),
    ],
)
def test_an_unreachable_service_is_one_line(arguments: tuple[str, ...]) -> None:
    result = CLI.invoke(app, list(arguments))
    assert result.exit_code == 1
    assert result.stderr.startswith("SERVICE_UNAVAILABLE: nothing answers at 127.0.0.1:1")
    assert result.stderr.count("\n") == 1


def test_the_environment_names_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARTET_CLI_CLASSIFIER", "127.0.0.1:2")
    result = CLI.invoke(app, ["decide", "text", "--ask", "Is it?"])
    assert "127.0.0.1:2" in result.stderr


def test_short_forms_of_questions() -> None:
    found = specs.questions(None, ["Is it new?"], ["Which: red, blue"], ["How bad: low, high"])
    assert [item["type"] for item in found] == ["noul", "choice", "score"]
    assert found[1]["options"] == [{"name": "red", "description": None}, {"name": "blue", "description": None}]
    assert found[2]["levels"] == ["low", "high"]


def test_short_forms_of_fields() -> None:
    found = specs.fields(None, ["due:date:when it must be paid", "name", "codes:list-number"])
    assert found == [
        {"name": "due", "type": "date", "instructions": "when it must be paid"},
        {"name": "name", "type": "text"},
        {"name": "codes", "type": "list", "items": "number"},
    ]


def test_a_wrong_field_type_names_the_field() -> None:
    result = CLI.invoke(app, ["extract", "text", "--field", "a:colour", *NOWHERE])
    assert result.exit_code == 1
    assert result.stderr.startswith("INVALID_FIELD: fields.a.type")


def test_numbers_in_many_spellings() -> None:
    assert _numbers("[1, 2.5,3e1]") == _numbers("1\n2.5;30 ") == [1.0, 2.5, 30.0]
    assert str(_numbers("1 nan null")) == "[1.0, nan, nan]"


def test_check_reports_every_problem(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("cascade: t\nsteps: {a: {kind: rule, set: {x: y.z, w: 1 +}}}")
    result = CLI.invoke(app, ["cascade", "check", str(file)])
    assert result.exit_code == 1
    assert "wrong.yaml.steps.a.set.x" in result.stderr
    assert "wrong.yaml.steps.a.set.w" in result.stderr
    file.write_text("cascade: t\nsteps: {a: {kind: rule, set: {x: 1 + 1}}}")
    assert CLI.invoke(app, ["cascade", "check", str(file)]).exit_code == 0


def test_models_list_names_services_that_do_not_answer() -> None:
    addresses = [f"--address={name}=127.0.0.1:1" for name in ("classifier", "extractor", "forecaster", "llm")]
    result = CLI.invoke(app, ["models", "list", *addresses])
    assert result.exit_code == 1
    assert result.stdout.count("does not answer") == 4
    assert json.loads(CLI.invoke(app, ["models", "list", *addresses, "--json"]).stdout) == []
