"""Where the services are, and stubs to call them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

DEFAULTS = {
    "gateway": "127.0.0.1:50050",
    "classifier": "127.0.0.1:50051",
    "extractor": "127.0.0.1:50052",
    "forecaster": "127.0.0.1:50053",
    "llm": "127.0.0.1:50054",
}
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
TIMEOUT_S = 120.0

AddressOption = typer.Option("--address", "-a", metavar="HOST:PORT", help="The service; default: see QUARTET_CLI_*.")
JsonOption = typer.Option("--json", help="Print JSON.")
TimeoutOption = typer.Option(min=0.001, help="Seconds to wait for the answer.")
ModelOption = typer.Option("--model", "-m", help="Id or alias of a model; default: the service's own.")


def address_of(service: str, given: str = "") -> str:
    """The flag, else `QUARTET_CLI_<SERVICE>`, else the service's usual port on this machine."""
    return given or os.environ.get(f"QUARTET_CLI_{service.upper()}", "") or DEFAULTS[service]


@contextmanager
def stub(service: str, given: str = "") -> Iterator[Any]:
    """A blocking stub of a service; ends the command with one line when nothing answers there."""
    import grpc

    try:
        with open_stub(service, given) as made:
            yield made
    except grpc.RpcError as error:
        if _unreachable(error):
            from gateway.cli.output import fail

            where = address_of(service, given)
            fail(f"nothing answers at {where} ({service}); start it with `quartet up`", reason="SERVICE_UNAVAILABLE")
        raise


@contextmanager
def open_stub(service: str, given: str = "") -> Iterator[Any]:
    """A blocking stub of a service."""
    import grpc

    from quartet.v1 import (
        cascade_pb2_grpc,
        classifier_pb2_grpc,
        extractor_pb2_grpc,
        forecaster_pb2_grpc,
        llm_pb2_grpc,
    )
    from services.runtime.server import channel_options

    makers: dict[str, Any] = {
        "gateway": cascade_pb2_grpc.CascadeServiceStub,
        "classifier": classifier_pb2_grpc.ClassifierServiceStub,
        "extractor": extractor_pb2_grpc.ExtractorServiceStub,
        "forecaster": forecaster_pb2_grpc.ForecasterServiceStub,
        "llm": llm_pb2_grpc.LlmServiceStub,
    }
    options = channel_options(MAX_MESSAGE_BYTES)
    with grpc.insecure_channel(address_of(service, given), options=options) as channel:
        yield makers[service](channel)


def _unreachable(error: Any) -> bool:
    import grpc

    # A service that is up but cannot answer says why in its details.
    code, trailers = error.code(), error.trailing_metadata() or ()
    return code is grpc.StatusCode.UNAVAILABLE and not any(key == "grpc-status-details-bin" for key, _ in trailers)
