"""`quartet cascade run|check`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.output import fail, friendly, print_json
from gateway.cli.targets import AddressOption, JsonOption, TimeoutOption, stub

app = typer.Typer(help="Run cascades: several steps as one call.", no_args_is_help=True)


@app.command()
def run(
    cascade: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A YAML file, or a name the gateway knows.")],
    text: Annotated[str | None, typer.Argument(help="Value of --key; - reads standard input.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the text from a file.")] = None,
    key: Annotated[str, typer.Option(help="Input key that takes the text.")] = "email",
    value: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Another input; JSON or text.")
    ] = None,
    address: Annotated[str, AddressOption] = "",
    timeout: Annotated[float, TimeoutOption] = 600.0,
    as_json: Annotated[bool, JsonOption] = False,
) -> None:
    """Run a cascade and show each step as it happens."""
    import json

    from gateway.cli.texts import read_file, read_text
    from quartet.v1 import cascade_pb2, common_pb2

    with friendly():
        given = dict(_pair(item) for item in value or ())
        if text is not None or file is not None or not given:
            given[key] = read_text(text, file)
        body = common_pb2.JsonValue(json=json.dumps(given, ensure_ascii=False).encode())
        request = cascade_pb2.RunRequest(input=body)
        if cascade.endswith((".yaml", ".yml")) or "/" in cascade:
            request.yaml = read_file(Path(cascade))
        else:
            request.name = cascade
        with stub("gateway", address) as service:
            events = [_show(event, quiet=as_json) for event in service.Run(request, timeout=timeout)]
        _conclude(events, as_json=as_json)


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A YAML file.")]) -> None:
    """Check a cascade without running it."""
    from gateway.cli.texts import read_file

    with friendly():
        from gateway.cascades.parse import parse_cascade
        from services.runtime.errors import InvalidField

        try:
            made = parse_cascade(read_file(file), at=file.name)
        except InvalidField as error:
            for violation in error.fields:
                typer.echo(f"  {violation.path}: {violation.description}", err=True)
            fail(f"{file} has {len(error.fields)} problem(s)", reason=error.reason)
        typer.echo(f"{made.name} version {made.version}: {len(made.steps)} steps, valid")


def _pair(text: str) -> tuple[str, Any]:
    import json

    name, equals, value = text.partition("=")
    if not equals:
        fail(f"{text!r} is not KEY=VALUE", reason="USAGE", code=2)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _show(event: Any, *, quiet: bool) -> dict[str, Any]:
    import json

    kind = _kind(event)
    if not quiet:
        if kind == "text":
            typer.echo(event.text, nl=False)
        elif event.step:
            if kind == "step_finished" and b'"text":' in event.output.json:
                typer.echo()  # ends the line of the text
            detail = f"  {event.message}" if event.message else ""
            took = f"  {event.elapsed_s * 1000:.0f} ms" if event.elapsed_s else ""
            typer.echo(f"{event.step:<16} {kind.removeprefix('step_')}{took}{detail}", err=True)
    shown = {"event": kind, "step": event.step, "elapsed_s": event.elapsed_s}
    shown |= {key: getattr(event, key) for key in ("text", "reason", "message") if getattr(event, key)}
    if event.HasField("output"):
        shown["output"] = json.loads(event.output.json)
    return shown


def _kind(event: Any) -> str:
    from quartet.v1 import cascade_pb2

    return str(cascade_pb2.EventKind.Name(event.kind)).removeprefix("EVENT_KIND_").lower()


def _conclude(events: list[dict[str, Any]], *, as_json: bool) -> None:
    last = events[-1] if events else {}
    if last.get("event") != "run_finished":
        if as_json:
            print_json({"events": events})
        fail(last.get("message") or "the run ended without a result", reason=last.get("reason") or "STEP_FAILED")
    if as_json:
        print_json({**last["output"], "elapsed_s": last["elapsed_s"], "events": events[:-1]})
        return
    if last["output"]["status"] == "review":
        review = last["output"]["review"]
        typer.echo(f"\nfor review by a person: step {review['step']}: {review['message']}")
    typer.echo()
    print_json(last["output"]["output"])
