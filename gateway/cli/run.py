"""`quartet up` and `quartet demo`."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail

At = typer.Option(metavar="HOST:PORT", help="Where it answers; port 0 takes a free one.")


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


def demo() -> None:
    """Placeholder."""
