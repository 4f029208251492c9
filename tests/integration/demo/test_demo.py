"""`quartet demo` on the running stack: the figures must add up, whatever the models answer."""

import json

import pytest
from typer.testing import CliRunner

from gateway.cli.main import app
from gateway.supervisor.background import RunningStack

CLI = CliRunner()


def on(stack: RunningStack, *arguments: str) -> list[str]:
    return ["demo", "--gateway", stack.gateway, "--llm", stack.llm, *arguments]


def test_json_holds_what_was_measured(stack: RunningStack) -> None:
    result = CLI.invoke(app, on(stack, "--json"))
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    cascade, alone = found["cascade"][0], found["llm_alone"][0]
    assert [step["name"] for step in alone["steps"]] == ["extract", "decide", "write"]
    assert all(step["tokens_in"] > 0 for step in alone["steps"])
    assert [verdict["name"] for verdict in cascade["verdicts"]][-2:] == ["action", "reply"]
    assert sum(step["seconds"] for step in alone["steps"]) <= alone["seconds"]
    if not cascade["stopped"]:
        assert found["ratios"]["time"] == pytest.approx(alone["seconds"] / cascade["seconds"])
        assert found["ratios"]["cost"] == pytest.approx(alone["cost_usd"] / cascade["cost_usd"])
        assert not cascade["fallback"] or len(cascade["rejected"]) > 0


def test_the_tables_fit_100_columns(stack: RunningStack) -> None:
    result = CLI.invoke(app, on(stack, "--email", "2"))
    assert result.exit_code == 0, result.output
    assert max(len(line) for line in result.stdout.splitlines()) <= 100
    for words in ("Answers", "Time and cost of each step", "llm alone", "Baseline", "per million tokens"):
        assert words in result.stdout


def test_an_email_that_goes_to_a_person_is_shown_as_such(stack: RunningStack, tmp_path: object) -> None:
    file = f"{tmp_path}/mail.txt"
    with open(file, "w", encoding="utf-8") as out:
        out.write("Hello, when do you open on Saturday? Best wishes, Tove")
    result = CLI.invoke(app, on(stack, "--file", file))
    assert result.exit_code == 0, result.output
    assert "goes to a person" in result.stdout
    assert "not known" in result.stdout
