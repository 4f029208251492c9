"""The gRPC face of the llm service."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final, TypeAlias

import grpc

from quartet.v1 import common_pb2, llm_pb2, llm_pb2_grpc
from services.llm.config import LlmConfig
from services.llm.engine import Engine
from services.llm.generation import Delta, Ending, Finish, Generation
from services.llm.model import LanguageModel
from services.llm.parse import parse
from services.llm.upstream import UpstreamModel
from services.runtime.catalog import get_model, list_models
from services.runtime.deadline import Deadline
from services.runtime.lifecycle import Host
from services.runtime.onnx.registry import Registry
from services.runtime.telemetry.inference import InferenceMetrics

Models: TypeAlias = Registry[LanguageModel] | Registry[UpstreamModel]
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_REASONS: Final = {Finish.STOP: llm_pb2.FINISH_REASON_STOP, Finish.LENGTH: llm_pb2.FINISH_REASON_LENGTH}


class LlmServicer(llm_pb2_grpc.LlmServiceServicer):
    """Checks and encodes off the event loop, streams what the engine writes."""

    def __init__(self, host: Host[LlmConfig, Models]) -> None:
        self._host = host
        self._metrics = InferenceMetrics()
        self._engine = Engine(host.runner, sequences=host.config.sequences, cache_tokens=host.config.cache_tokens)
        host.on_close.append(self._engine.close)

    async def Generate(
        self, request: llm_pb2.GenerateRequest, context: Context
    ) -> AsyncIterator[llm_pb2.GenerateResponse]:
        """Stream a text; the last message has finish reason, usage and timing."""
        with self._host.admission.slot():
            deadline = Deadline.after(context.time_remaining())
            model = self._host.model.get(request.model)
            # Closing the deltas frees the slot at once when the client leaves between two of them.
            async with aclosing(await self._write(model, request, deadline)) as deltas:
                async for delta in deltas:
                    if delta.ending:
                        self._record(model.card.id, delta.ending)
                    if delta.text or delta.ending or delta.scores:
                        yield _message(model.card.id, delta)

    async def GetModel(self, request: common_pb2.GetModelRequest, context: Context) -> common_pb2.GetModelResponse:
        """Describe one model."""
        return get_model(self._host.model, request)

    async def ListModels(
        self, request: common_pb2.ListModelsRequest, context: Context
    ) -> common_pb2.ListModelsResponse:
        """List the models."""
        return list_models(self._host.model, request)

    async def _write(
        self, model: LanguageModel | UpstreamModel, request: llm_pb2.GenerateRequest, deadline: Deadline
    ) -> AsyncGenerator[Delta, None]:
        if isinstance(model, UpstreamModel):
            return model.write(parse(request, model.card.limits), deadline=deadline)
        generation = await asyncio.to_thread(self._prepare, model, request)
        return self._engine.write(generation, deadline=deadline)

    def _prepare(self, model: LanguageModel, request: llm_pb2.GenerateRequest) -> Generation:
        return Generation(model, parse(request, model.card.limits), prefill_tokens=self._host.config.prefill_tokens)

    def _record(self, model: str, ending: Ending) -> None:
        run_s = ending.prefill_s + ending.decode_s
        self._metrics.record(model, queue_s=ending.queue_s, run_s=run_s, batch_size=1, tokens=ending.input_tokens)


def _message(model: str, delta: Delta) -> llm_pb2.GenerateResponse:
    message = llm_pb2.GenerateResponse(model=model, text=delta.text)
    if delta.scores:
        chosen, *top = [llm_pb2.TokenScore(token=score.token, logprob=score.logprob) for score in delta.scores]
        message.logprobs.add(chosen=chosen, top=top)
    if delta.ending:
        ending = delta.ending
        message.finish_reason = _REASONS[ending.finish]
        message.usage.CopyFrom(
            llm_pb2.GenerateUsage(
                input_tokens=ending.input_tokens,
                output_tokens=ending.output_tokens,
                cached_input_tokens=ending.cached_tokens,
            )
        )
        message.timing.CopyFrom(
            llm_pb2.GenerateTiming(
                queue_s=ending.queue_s, prefill_s=ending.prefill_s, decode_s=ending.decode_s, total_s=ending.total_s
            )
        )
    return message
