"""What every command shares: how failures are shown, and how a command exits."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer


def fail(message: str, *, reason: str = "", code: int = 1) -> NoReturn:
    """One line on standard error, then exit: 1 for a failure, 2 for wrong usage."""
    shown = typer.style(reason or "error", fg="red", bold=True)
    typer.echo(f"{shown}: {message}", err=True)
    raise typer.Exit(code)


@contextmanager
def friendly() -> Iterator[None]:
    """Turns what a user can cause or repair into one line without a stack trace."""
    import grpc

    from services.runtime.errors import QuartetError

    try:
        yield
    except grpc.RpcError as error:
        from gateway.rest.errors import from_rpc

        failure = from_rpc(error)  # type: ignore[arg-type]
        for violation in failure.violations:
            typer.echo(f"  {violation.path}: {violation.message}", err=True)
        fail(failure.message, reason=failure.reason)
    except QuartetError as error:
        fail(error.message, reason=error.reason)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def print_json(value: Any) -> None:
    """JSON on standard output, indented."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
