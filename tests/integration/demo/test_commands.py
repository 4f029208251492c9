"""Each command of the command line on the running stack."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from gateway.cli.main import app
from gateway.supervisor.background import RunningStack

CLI = CliRunner()


def run_json(*arguments: str) -> Any:
    result = CLI.invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_decide(stack: RunningStack) -> None:
    asked = ("--ask", "Is it urgent?", "--choose", "Which colour: red, blue", "--rate", "How loud: low, high")
    found = run_json("decide", "Please call me at once!", *asked, "-a", stack.classifier)
    assert list(found["values"]) == ["Is it urgent?", "Which colour", "How loud"]
    assert sum(found["answers"]["Which colour"]["probabilities"].values()) == pytest.approx(1)
    table = CLI.invoke(app, ["decide", "Please call me!", *asked, "-a", stack.classifier])
    assert "Which colour" in table.stdout


def test_extract(stack: RunningStack) -> None:
    text = "Invoice 77-B of 2 May 2026: 130.00 EUR."
    found = run_json("extract", text, "--field", "total:money:the amount", "-a", stack.extractor)
    answer = found["answers"]["total"]
    for (start, end), quote in zip(answer["spans"], answer["quotes"], strict=True):
        assert text[start:end] == quote


def test_forecast(stack: RunningStack) -> None:
    found = run_json("forecast", "1 2 3 4 5 6 7 8 9 10", "-n", "3", "-a", stack.forecaster)
    assert len(found["values"]["series"]) == 3


def test_generate_streams_the_text_that_json_holds(stack: RunningStack) -> None:
    arguments = ("generate", "Say hello.", "--max-tokens", "6", "-a", stack.llm)
    found = run_json(*arguments)
    assert found["usage"]["output_tokens"] <= 6
    assert CLI.invoke(app, list(arguments)).stdout == found["text"] + "\n"


def test_text_comes_from_standard_input(stack: RunningStack) -> None:
    result = CLI.invoke(app, ["forecast", "-", "-n", "2", "-a", stack.forecaster, "--json"], input="1\n2\n3\n4\n5\n6\n")
    assert result.exit_code == 0, result.output


def test_cascade_run(stack: RunningStack, tmp_path: Any) -> None:
    file = tmp_path / "two.yaml"
    file.write_text("cascade: two\ninput: {n: {type: number}}\nsteps: {a: {kind: rule, set: {x: input.n * 2}}}\n")
    found = run_json("cascade", "run", str(file), "--set", "n=4", "-a", stack.gateway)
    assert found["output"] == {"steps": {"a": {"x": 8}}}
    wrong = CLI.invoke(app, ["cascade", "run", str(file), "--set", "m=4", "-a", stack.gateway])
    assert wrong.exit_code == 1
    assert "input.m" in wrong.stderr


def test_models(stack: RunningStack) -> None:
    names = ("classifier", "extractor", "forecaster", "llm")
    where = [f"--address={name}={getattr(stack, name)}" for name in names]
    found = run_json("models", "list", *where)
    assert {model["service"] for model in found} == set(names)
    one = run_json("models", "show", found[0]["id"], *where)
    assert one["card"]["name"]
    assert CLI.invoke(app, ["models", "show", found[0]["id"], *where]).exit_code == 0
    assert CLI.invoke(app, ["models", "show", "nope", *where]).exit_code == 1


def test_a_refusal_names_the_field(stack: RunningStack) -> None:
    result = CLI.invoke(app, ["forecast", "1 2 3", "-n", "99999", "-a", stack.forecaster])
    assert result.exit_code == 1
    assert "horizon" in result.stderr
    assert "Traceback" not in result.stderr
