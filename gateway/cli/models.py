"""`quartet models list|show`."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from gateway.cli.output import fail, friendly, print_json
from gateway.cli.targets import JsonOption, address_of, open_stub

app = typer.Typer(help="Look at the models that the services run.", no_args_is_help=True)
SERVICES = ("classifier", "extractor", "forecaster", "llm")
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--address", "-a", metavar="SERVICE=HOST:PORT", help="Where a service is; default: see QUARTET_CLI_*."
    ),
]


@app.command("list")
def list_models(address: Where = None, as_json: Annotated[bool, JsonOption] = False) -> None:
    """List the models of all services; a service that does not answer is named."""
    with friendly():
        from gateway.cli import tables

        found = list(_models(address))
        if as_json:
            print_json([_plain(service, model) for service, model in found if model is not None])
        else:
            made = tables.table("service", "model", "default", "licence", "aliases", whole=("service", "model"))
            for service, model in found:
                if model is None:
                    made.add_row(service, "does not answer", "", "", "")
                else:
                    default = "yes" if model.is_default else ""
                    made.add_row(service, model.id, default, model.license, ", ".join(model.aliases[1:]))
            tables.console.print(made)
        if all(model is None for _, model in found):
            fail("no service answers; start them with `quartet up`", reason="SERVICE_UNAVAILABLE")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Id or alias of a model.")],
    address: Where = None,
    as_json: Annotated[bool, JsonOption] = False,
) -> None:
    """Show a model: limits, quality as measured, training data, licence, checksums."""
    with friendly():
        from gateway.cli import tables

        for service, model in _models(address):
            if model is None or name not in (model.id, *model.aliases, service):
                continue
            if name == service and not model.is_default:
                continue
            plain = _plain(service, model)
            if as_json:
                print_json(plain)
                return
            made = tables.table("", "")
            made.show_header = False
            for key, value in {**plain, **plain.pop("card")}.items():
                made.add_row(key, _lines(value))
            tables.console.print(made)
            return
        fail(f"no service that answers knows a model {name!r}", reason="MODEL_NOT_FOUND")


def _models(given: list[str] | None) -> Iterator[tuple[str, Any]]:
    """Every model with its service; None for a service that does not answer."""
    import grpc

    from quartet.v1 import common_pb2

    where = _addresses(given)
    for service in SERVICES:
        try:
            with open_stub(service, where.get(service, "")) as made:
                request = common_pb2.ListModelsRequest()
                while True:
                    page = made.ListModels(request, timeout=5.0)
                    yield from ((service, model) for model in page.models)
                    if not page.next_page_token:
                        break
                    request.page_token = page.next_page_token
        except grpc.RpcError:
            yield service, None


def _addresses(given: list[str] | None) -> dict[str, str]:
    found = {}
    for item in given or ():
        service, equals, address = item.partition("=")
        if not equals or service not in SERVICES:
            fail(f"{item!r} is not SERVICE=HOST:PORT with one of {', '.join(SERVICES)}", reason="USAGE", code=2)
        found[service] = address_of(service, address)
    return found


def _plain(service: str, model: Any) -> dict[str, Any]:
    import json

    return {
        "service": service,
        "id": model.id,
        "aliases": list(model.aliases),
        "default": model.is_default,
        "license": model.license,
        "description": model.description,
        "limits": {limit.name: limit.value for limit in model.limits},
        "quality": {item.name: round(item.value, 6) for item in model.quality},
        "card": json.loads(model.card.json) if model.card.json else {},
    }


def _lines(value: Any) -> str:
    import json

    if isinstance(value, dict):
        return "\n".join(f"{key}: {_lines(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(_lines(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
