"""Providers, built after the process has started and never at import.

Traces go out when the standard variables name an OTLP endpoint (`OTEL_EXPORTER_OTLP_ENDPOINT` or
`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`); sampling, headers and resource attributes follow the standard variables as well.
Metrics are kept in a Prometheus registry that `health.Sidecar` serves.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from opentelemetry import metrics, trace
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from services.runtime.telemetry import names

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def start(service: str) -> Callable[[], None]:
    """Build the providers of this process; returns what flushes and ends them."""
    resource = Resource.create({"service.name": service, "service.instance.id": str(uuid.uuid4())})
    meters = MeterProvider([PrometheusMetricReader()], resource, views=[_seconds(names.SERVER_DURATION)])
    metrics.set_meter_provider(meters)
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return meters.shutdown
    # The exporter brings its own gRPC channel; load it only when spans go out.
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(tracers)

    def stop() -> None:
        tracers.shutdown()
        meters.shutdown()

    return stop


def _seconds(name: str) -> View:
    return View(instrument_name=name, aggregation=ExplicitBucketHistogramAggregation(names.SERVER_DURATION_BUCKETS_S))


def start_logging(service: str, *, level: str, style: str) -> None:
    """One line per event on standard error, as text or JSON, with the trace id where there is one."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter(service) if style == "json" else _TextFormatter(service))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def _extras(record: logging.LogRecord) -> dict[str, object]:
    extras = {k: v for k, v in vars(record).items() if k not in _STANDARD}
    span = trace.get_current_span().get_span_context()
    return {**extras, "trace_id": trace.format_trace_id(span.trace_id)} if span.is_valid else extras


class _TextFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        stamp = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        extras = "".join(f" {k}={v}" for k, v in _extras(record).items())
        line = f"{stamp} {self._service:<10} {record.levelname.lower():<7} {record.getMessage()}{extras}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class _JsonFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        stamp = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        event: dict[str, object] = {
            "time": stamp,
            "service": self._service,
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **_extras(record),
        }
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        return json.dumps(event, default=str)
