"""`quartet decide`, `extract`, `forecast` and `generate`: one call each."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.output import fail, friendly, print_json
from gateway.cli.targets import TIMEOUT_S, AddressOption, JsonOption, ModelOption, TimeoutOption, stub

Text = Annotated[str | None, typer.Argument(help="The text; - or nothing reads standard input.")]
File = Annotated[Path | None, typer.Option("--file", "-f", help="Read the text from a file.")]
Address = Annotated[str, AddressOption]
Json = Annotated[bool, JsonOption]
Model = Annotated[str, ModelOption]
Timeout = Annotated[float, TimeoutOption]


def decide(
    text: Text = None,
    file: File = None,
    ask: Annotated[list[str] | None, typer.Option(help="A yes/no question.")] = None,
    choose: Annotated[list[str] | None, typer.Option(help="'QUESTION: one, two, three'.")] = None,
    rate: Annotated[list[str] | None, typer.Option(help="'QUESTION: lowest, ..., highest'.")] = None,
    questions: Annotated[Path | None, typer.Option(help="YAML or JSON file: id -> question.")] = None,
    model: Model = "",
    address: Address = "",
    timeout: Timeout = TIMEOUT_S,
    as_json: Json = False,
) -> None:
    """Answer yes/no, choice and score questions about a text, with probabilities."""
    from gateway.cascades import messages
    from gateway.cli import specs, tables
    from gateway.cli.texts import read_text

    with friendly():
        asked = specs.questions(questions, ask or (), choose or (), rate or ())
        request = {"state": read_text(text, file), "questions": asked, "model": model}
        with stub("classifier", address) as service:
            output = messages.decide_output(service.Decide(messages.decide_request(request), timeout=timeout))
        print_json(output) if as_json else tables.decided(output)


def extract(
    text: Text = None,
    file: File = None,
    field: Annotated[list[str] | None, typer.Option(help="NAME:TYPE[:INSTRUCTIONS], type defaults to text.")] = None,
    fields: Annotated[Path | None, typer.Option(help="YAML or JSON file: name -> field.")] = None,
    reference_date: Annotated[str, typer.Option(help="YYYY-MM-DD for dates without a year.")] = "",
    locale: Annotated[str, typer.Option(help="BCP 47, for example de-DE.")] = "",
    model: Model = "",
    address: Address = "",
    timeout: Timeout = TIMEOUT_S,
    as_json: Json = False,
) -> None:
    """Read typed values out of a text, with the evidence for each."""
    from gateway.cascades import messages
    from gateway.cli import specs, tables
    from gateway.cli.texts import read_text

    with friendly():
        request = {
            "fields": specs.fields(fields, field or ()),
            "state": read_text(text, file),
            "reference_date": reference_date,
            "locale": locale,
            "model": model,
        }
        with stub("extractor", address) as service:
            output = messages.extract_output(service.Extract(messages.extract_request(request), timeout=timeout))
        print_json(output) if as_json else tables.extracted(output)


def forecast(
    text: Annotated[str | None, typer.Argument(help="Numbers; - or nothing reads standard input.")] = None,
    file: File = None,
    horizon: Annotated[int, typer.Option("--horizon", "-n", min=1, help="Steps to predict.")] = 12,
    quantile: Annotated[list[float] | None, typer.Option(help="Level between 0 and 1; default 0.1 0.5 0.9.")] = None,
    non_negative: Annotated[bool, typer.Option("--non-negative", help="Never below zero.")] = False,
    model: Model = "",
    address: Address = "",
    timeout: Timeout = TIMEOUT_S,
    as_json: Json = False,
) -> None:
    """Predict what comes next in a series: numbers with spaces, commas or lines between them, nan where one is missing.

    Write numbers that begin with a minus after --, or in a file.
    """
    from gateway.cascades import messages
    from gateway.cli import tables
    from gateway.cli.texts import read_text

    with friendly():
        request: dict[str, Any] = {
            "series": [{"id": "series", "values": _numbers(read_text(text, file))}],
            "horizon": horizon,
            "quantiles": quantile or [],
            "non_negative": non_negative,
            "model": model,
        }
        with stub("forecaster", address) as service:
            output = messages.forecast_output(service.Forecast(messages.forecast_request(request), timeout=timeout))
        print_json(output) if as_json else tables.forecasts(output)


def generate(
    text: Text = None,
    file: File = None,
    system: Annotated[str, typer.Option(help="Instructions for the model.")] = "",
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens to write.")] = 256,
    temperature: Annotated[float, typer.Option(min=0, help="0 always takes the likeliest token.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Makes a sampled text repeatable.")] = 0,
    model: Model = "",
    address: Address = "",
    timeout: Timeout = TIMEOUT_S,
    as_json: Json = False,
) -> None:
    """Write a text, shown as it is written."""
    from gateway.cascades import messages
    from gateway.cli.texts import read_text

    with friendly():
        turns = [{"role": "system", "content": system}] if system else []
        request = {
            "messages": [*turns, {"role": "user", "content": read_text(text, file)}],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
            "stop": [],
            "model": model,
        }
        pieces, last = [], None
        with stub("llm", address) as service:
            for last in service.Generate(messages.generate_request(request), timeout=timeout):
                pieces.append(last.text)
                if not as_json:
                    typer.echo(last.text, nl=False)
        if last is None:
            fail("the language model sent nothing", reason="MODEL_FAILURE")
        print_json(messages.generate_output("".join(pieces), last)) if as_json else typer.echo()


def _numbers(text: str) -> list[float]:
    import json

    parts = re.split(r"[\s,;]+", text.strip().strip("[]").strip())
    values = []
    for index, part in enumerate(parts):
        try:
            values.append(float("nan") if part == "null" else float(json.loads(part) if part[:1] == '"' else part))
        except ValueError:
            fail(f"value {index + 1} is {part[:40]!r}, not a number", reason="INVALID_FIELD")
    return values
