"""`quartet up` and `quartet demo`."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail
from gateway.cli.targets import JsonOption
from gateway.cli.texts import read_file


def up(
    http: Annotated[str, typer.Option(metavar="HOST:PORT", help="REST edge; default 127.0.0.1:8080.")] = "",
    gateway: Annotated[str, typer.Option(metavar="HOST:PORT", help="Gateway over gRPC; default port 50050.")] = "",
    classifier: Annotated[str, typer.Option(metavar="HOST:PORT", help="Default port 50051.")] = "",
    extractor: Annotated[str, typer.Option(metavar="HOST:PORT", help="Default port 50052.")] = "",
    forecaster: Annotated[str, typer.Option(metavar="HOST:PORT", help="Default port 50053.")] = "",
    llm: Annotated[str, typer.Option(metavar="HOST:PORT", help="Default port 50054.")] = "",
    metrics: Annotated[str, typer.Option(metavar="HOST:PORT", help="Gateway's metrics; default port 9090.")] = "",
    nats: Annotated[str, typer.Option(metavar="HOST:PORT", help="Message broker; default a free port.")] = "",
    free_ports: Annotated[bool, typer.Option("--free-ports", help="Free ports for all that is not given.")] = False,
    only: Annotated[str, typer.Option(metavar="NAMES", help="Start these only, for example classifier,gateway.")] = "",
    data_dir: Annotated[
        Path | None, typer.Option(help="Keep the broker's data here; default: nothing is kept.")
    ] = None,
    ready_file: Annotated[Path | None, typer.Option(help="Write all addresses here as JSON once all serve.")] = None,
    cascades: Annotated[Path | None, typer.Option(help="Folder with more cascades.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every line of every process.")] = False,
) -> None:
    """Start the four services, the gateway and the message broker; Ctrl-C stops them."""
    import asyncio

    from gateway.supervisor.plan import UpOptions
    from gateway.supervisor.stack import run_stack

    given = {
        "http": http,
        "gateway": gateway,
        "classifier": classifier,
        "extractor": extractor,
        "forecaster": forecaster,
        "llm": llm,
        "metrics": metrics,
        "nats": nats,
    }
    options = UpOptions(
        addresses={name: text for name, text in given.items() if text},
        only=tuple(name.strip() for name in only.split(",") if name.strip()),
        free_ports=free_ports,
        data_dir=data_dir,
        ready_file=ready_file,
        cascades=cascades,
        verbose=verbose,
    )
    try:
        status = asyncio.run(run_stack(options, lambda line: print(line, flush=True)))
    except OSError as error:
        fail(f"{error}; choose another port, or --free-ports", reason="PORT_TAKEN")
    except ValueError as error:
        fail(str(error), reason="USAGE", code=2)
    raise typer.Exit(status)


def demo(
    email: Annotated[int, typer.Option("--email", "-e", min=1, help="Number of a shipped e-mail.")] = 1,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="An e-mail of your own instead.")] = None,
    received: Annotated[str, typer.Option(help="YYYY-MM-DD when your e-mail came, for dates without a year.")] = "",
    runs: Annotated[int, typer.Option("--runs", "-n", min=1, max=100, help="Do it so often; medians are shown.")] = 1,
    small_price: Annotated[float, typer.Option(min=0, help="Dollars per million tokens, small models.")] = 0.05,
    llm_price_in: Annotated[float, typer.Option(min=0, help="Dollars per million tokens that the llm reads.")] = 0.50,
    llm_price_out: Annotated[float, typer.Option(min=0, help="Dollars per million tokens that it writes.")] = 1.50,
    gateway: Annotated[str, typer.Option(metavar="HOST:PORT", help="Use a running stack: its gateway.")] = "",
    llm: Annotated[str, typer.Option(metavar="HOST:PORT", help="Use a running stack: its language model.")] = "",
    as_json: Annotated[bool, JsonOption] = False,
) -> None:
    """One e-mail through the cascade, and the same task by the language model alone, compared."""
    from gateway.cli.output import friendly, print_json
    from gateway.demo import emails, report, story
    from gateway.demo.prices import Prices

    if bool(gateway) != bool(llm):
        fail("a running stack needs both --gateway and --llm", reason="USAGE", code=2)
    shipped = emails.shipped()
    if file is None and email > len(shipped):
        fail(f"there are {len(shipped)} e-mails", reason="USAGE", code=2)
    letter = emails.from_file(read_file(file), name=file.name, received=received) if file else shipped[email - 1]
    prices = Prices(small_price, llm_price_in, llm_price_out)
    with friendly(), ExitStack() as stack:
        console = report.console(quiet=as_json)
        with report.progress(console) as tell:
            addresses = _stack({"gateway": gateway, "llm": llm}, stack, tell)
            pairs = story.play(letter, addresses, runs=runs, tell=tell)
        if as_json:
            print_json(story.as_json(pairs, prices))
        else:
            report.show(pairs, prices, console)


def _stack(given: dict[str, str], stack: ExitStack, tell: Callable[[str], None]) -> dict[str, str]:
    """The addresses of a running stack, or of one that is started for the length of the demo."""
    if given["gateway"]:
        return given
    from gateway.supervisor.background import StackFailed, background_stack

    tell("starting the services")
    try:
        running = stack.enter_context(background_stack(only=("classifier", "extractor", "llm", "gateway")))
    except StackFailed as error:
        fail(str(error), reason="START_FAILED")
    return {"gateway": running.gateway, "llm": running.llm}
