"""The paths of all dialects, each with its description."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.rest import (
    chat,
    decisions,
    estimates,
    extraction,
    forecasts,
    health,
    models,
    native,
    openapi,
    openrouter,
    systemone,
    workers_ai,
)
from gateway.rest.endpoint import Answer, Render, get, post
from gateway.rest.openapi import Shapes

_SYSTEM_ONE: Final = Shapes(
    summary="Typed decisions about a state",
    request="SystemOneRequest",
    answer="SystemOneAnswer",
    error="SystemOneError",
)
_DECISIONS: Final = Shapes(
    summary="Typed decisions, in arrays", request="DecisionsRequest", answer="DecisionsAnswer", error="OpenAiError"
)
_EXTRACTION: Final = Shapes(
    summary="Typed values with evidence", request="ExtractionRequest", answer="ExtractionAnswer", error="Error"
)
_EXTRACTIONS: Final = Shapes(
    summary="Typed values with evidence, as a named object",
    request="ExtractionRequest",
    answer="NamedExtractionAnswer",
    error="Error",
)
_FORECASTS: Final = Shapes(
    summary="The next steps of series", request="ForecastRequest", answer="ForecastAnswer", error="Error"
)
_ESTIMATES: Final = Shapes(
    summary="Unstated numbers of records", request="EstimateRequest", answer="EstimateAnswer", error="Error"
)
_CHAT: Final = Shapes(
    summary="Written text", request="ChatRequest", answer="ChatAnswer", error="OpenAiError", streams=True
)
_CLEF: Final = Shapes(
    summary="Decisions as Workers AI runs them", request="ClefRequest", answer="ClefAnswer", error="WorkersAiError"
)
_CLAIRIC: Final = Shapes(
    summary="Extraction as Workers AI runs it",
    request="ExtractionRequest",
    answer="ClairicAnswer",
    error="WorkersAiError",
)
_ROUTED: Final = Shapes(
    summary="Typed decisions, as OpenRouter wraps them",
    request="SystemOneRequest",
    answer="OpenRouterSystemOneAnswer",
    error="OpenRouterError",
)
_ROUTED_EXTRACTION: Final = Shapes(
    summary="Typed values, as OpenRouter wraps them",
    request="OpenRouterExtractionRequest",
    answer="OpenRouterExtractionAnswer",
    error="OpenRouterError",
)
_MODELS: Final = Shapes(summary="All models", answer="Models", error="SystemOneError")
_MODEL: Final = Shapes(summary="One model", answer="Model", error="OpenAiError")
_HEALTH: Final = Shapes(summary="Whether this process lives", answer="Health", error="Health")
_READY: Final = Shapes(summary="Whether every service is ready", answer="Readiness", error="Readiness")


@dataclass(frozen=True, slots=True)
class _Served:
    """One path."""

    path: str
    method: str
    endpoint: Callable[[Request], Awaitable[Response]]
    shapes: Shapes


def dialects() -> list[BaseRoute]:
    """One route per path, in order of precedence, and `/openapi.json`, which describes them."""
    served = _served()
    routes: list[BaseRoute] = [Route(one.path, one.endpoint, methods=[one.method]) for one in served]
    # What has no place among the models of the run route is answered in its shape, and not described.
    missing = post(workers_ai.unknown, workers_ai.render_decision)
    return [
        *routes,
        Route("/client/v4/{rest:path}", missing, methods=["POST"]),
        Route("/openapi.json", openapi.endpoint([(one.path, one.method, one.shapes) for one in served])),
    ]


def _served() -> list[_Served]:
    return [
        *_posts(systemone.answer, systemone.render, _SYSTEM_ONE, "/v1/systemone", "/systemone"),
        *_posts(decisions.answer, chat.render, _DECISIONS, "/v1/decisions"),
        *_posts(extraction.answer, native.render, _EXTRACTION, "/v1/extraction", "/extraction"),
        *_posts(extraction.answer_named, native.render, _EXTRACTIONS, "/v1/extractions"),
        *_posts(openrouter.decide, openrouter.render, _ROUTED, "/api/v1/systemone", "/api/alpha/decisions"),
        *_posts(openrouter.extract, openrouter.render, _ROUTED_EXTRACTION, "/api/alpha/extractions"),
        *_posts(forecasts.answer, native.render, _FORECASTS, "/v1/forecasts"),
        *_posts(estimates.answer, native.render, _ESTIMATES, "/v1/estimates"),
        *_posts(chat.answer, chat.render, _CHAT, "/v1/chat/completions"),
        *_workers_ai(),
        _Served("/v1/models", "GET", get(models.answer, systemone.render), _MODELS),
        _Served("/v1/models/{model:path}", "GET", get(models.answer_one, chat.render), _MODEL),
        _Served("/healthz", "GET", health.healthz, _HEALTH),
        _Served("/readyz", "GET", health.readyz, _READY),
    ]


def _posts(answer: Answer, render: Render, shapes: Shapes, *paths: str) -> list[_Served]:
    endpoint = post(answer, render)
    return [_Served(path, "POST", endpoint, shapes) for path in paths]


def _workers_ai() -> list[_Served]:
    prefix = workers_ai.RUN + workers_ai.PREFIX
    found: list[_Served] = []
    for name in workers_ai.DECIDES:
        found += _posts(workers_ai.decide(name), workers_ai.render_decision, _CLEF, prefix + name)
    for name in workers_ai.EXTRACTS:
        found += _posts(workers_ai.extract(name), workers_ai.render_extraction, _CLAIRIC, prefix + name)
    return found
