"""The paths of all dialects."""

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
    openrouter,
    systemone,
    workers_ai,
)
from gateway.rest.endpoint import Answer, Render, get, post


def dialects() -> list[BaseRoute]:
    """One route per path, in order of precedence."""
    return [
        *_posts(systemone.answer, systemone.render, "/v1/systemone", "/systemone"),
        *_posts(decisions.answer, chat.render, "/v1/decisions"),
        *_posts(extraction.answer, native.render, "/v1/extraction", "/extraction"),
        *_posts(extraction.answer_named, native.render, "/v1/extractions"),
        *_posts(openrouter.decide, openrouter.render, "/api/v1/systemone", "/api/alpha/decisions"),
        *_posts(openrouter.extract, openrouter.render, "/api/alpha/extractions"),
        *_posts(forecasts.answer, native.render, "/v1/forecasts"),
        *_posts(estimates.answer, native.render, "/v1/estimates"),
        *_posts(chat.answer, chat.render, "/v1/chat/completions"),
        *_workers_ai(),
        Route("/v1/models", get(models.answer, systemone.render), methods=["GET"]),
        Route("/v1/models/{model:path}", get(models.answer_one, chat.render), methods=["GET"]),
        Route("/healthz", health.healthz, methods=["GET"]),
        Route("/readyz", health.readyz, methods=["GET"]),
    ]


def _posts(answer: Answer, render: Render, *paths: str) -> list[BaseRoute]:
    endpoint = post(answer, render)
    return [Route(path, endpoint, methods=["POST"]) for path in paths]


def _workers_ai() -> list[BaseRoute]:
    prefix = workers_ai.RUN + workers_ai.PREFIX
    found = []
    for name in workers_ai.DECIDES:
        found += _posts(workers_ai.decide(name), workers_ai.render_decision, prefix + name)
    for name in workers_ai.EXTRACTS:
        found += _posts(workers_ai.extract(name), workers_ai.render_extraction, prefix + name)
    return [*found, *_posts(workers_ai.unknown, workers_ai.render_decision, "/client/v4/{rest:path}")]
