"""What a model run cost: queue time, model time, batch size and tokens, as metrics and as a child span."""

from __future__ import annotations

import time

from opentelemetry import metrics, trace

from services.runtime.telemetry import names


class InferenceMetrics:
    """Histograms of model runs, by model."""

    def __init__(self) -> None:
        meter = metrics.get_meter("quartet.inference")
        self._tracer = trace.get_tracer("quartet.inference")
        self._queue = meter.create_histogram(names.QUEUE_DURATION, unit="s", description="Wait before a model run")
        self._model = meter.create_histogram(names.MODEL_DURATION, unit="s", description="Duration of a model run")
        self._batch = meter.create_histogram(names.BATCH_SIZE, unit="{request}", description="Requests in a run")
        self._tokens = meter.create_histogram(names.INPUT_TOKENS, unit="{token}", description="Tokens of a request")
        self._confidence = meter.create_histogram(names.CONFIDENCE, unit="1", description="Confidence of answers")

    def record(self, model: str, *, queue_s: float, run_s: float, batch_size: int, tokens: int) -> None:
        """Record one answered request. Times in seconds."""
        labels = {names.MODEL_NAME: model}
        self._queue.record(queue_s, labels)
        self._model.record(run_s, labels)
        self._batch.record(batch_size, labels)
        self._tokens.record(tokens, labels)
        self._span(model, queue_s, run_s, batch_size, tokens)

    def confidence(self, model: str, value: float) -> None:
        """Record the confidence of one answer, 0 to 1."""
        self._confidence.record(value, {names.MODEL_NAME: model})

    def _span(self, model: str, queue_s: float, run_s: float, batch_size: int, tokens: int) -> None:
        end = time.time_ns()
        span = self._tracer.start_span(names.MODEL_SPAN, start_time=end - int(run_s * 1e9))
        span.set_attributes(
            {
                names.MODEL_NAME: model,
                names.QUEUE_DURATION: queue_s,
                names.BATCH_SIZE: batch_size,
                names.INPUT_TOKENS: tokens,
            }
        )
        span.end(end)
