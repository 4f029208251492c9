"""Every metric, span and attribute name. Conventions move; they move here."""

from __future__ import annotations

from typing import Final

# RPC conventions (release candidate): a method is one string, a status is its name.
RPC_SYSTEM: Final = "rpc.system.name"
RPC_METHOD: Final = "rpc.method"
RPC_STATUS: Final = "rpc.response.status_code"
ERROR_TYPE: Final = "error.type"
HTTP_METHOD: Final = "http.request.method"
HTTP_STATUS: Final = "http.response.status_code"
SERVER_DURATION: Final = "rpc.server.call.duration"
SERVER_DURATION_BUCKETS_S: Final = (
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
)  # fmt: skip
GRPC: Final = "grpc"

# Our own, about the model run behind a call.
QUEUE_DURATION: Final = "inference.queue.duration"
MODEL_DURATION: Final = "inference.model.duration"
BATCH_SIZE: Final = "inference.batch.size"
INPUT_TOKENS: Final = "inference.input.tokens"
CONFIDENCE: Final = "inference.confidence"
MODEL_NAME: Final = "inference.model.name"
MODEL_SPAN: Final = "model run"
REQUEST_ID: Final = "quartet.request.id"
REASON: Final = "quartet.error.reason"
