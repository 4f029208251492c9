"""The language model service in front of another server: our own gateway."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from gateway.supervisor.background import RunningStack
from quartet.v1 import llm_pb2 as pb
from quartet.v1 import llm_pb2_grpc
from tests.contract.runtime.process import running

ASK = [pb.ChatMessage(role="user", content="Say hello to Ana in one short sentence.")]


def asked(**fields: Any) -> pb.GenerateRequest:
    return pb.GenerateRequest(messages=ASK, max_tokens=12, **fields)


def written(stub: Any, request: pb.GenerateRequest) -> tuple[str, pb.GenerateResponse]:
    *pieces, last = stub.Generate(request, timeout=60)
    return "".join(piece.text for piece in (*pieces, last)), last


def test_a_text_through_the_upstream_is_the_text_of_the_upstream(stack: RunningStack, tmp_path: Path) -> None:
    flags = ("--engine", "openai", "--upstream-url", f"{stack.http}/v1", "--upstream-model", "smollm2")
    with running(tmp_path, "services.llm", *flags) as process, grpc.insecure_channel(process.grpc) as channel:
        stub = llm_pb2_grpc.LlmServiceStub(channel)  # type: ignore[no-untyped-call]
        text, last = written(stub, asked(logprobs=1))
        again, _ = written(stub, asked())
        choice, _ = written(stub, asked(constraint=pb.Constraint(choice=pb.Choice(options=["red", "blue"]))))
        with pytest.raises(grpc.RpcError) as refused:
            written(stub, asked(constraint=pb.Constraint(json_schema='{"type": "colour"}')))
    assert text == again != ""
    assert choice in ("red", "blue")
    assert last.model == "smollm2-upstream"
    assert (last.usage.output_tokens, last.finish_reason) == (12, pb.FINISH_REASON_LENGTH)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]
