"""`GET /v1/models`: one object that is TypeSafe's list (`models`) and OpenAI's list (`object`, `data`) at once.

`models` has what can answer `/v1/systemone`: every id and every alias. `data` has the models of all services by id.
"""

import asyncio
from itertools import chain

import grpc
from starlette.requests import Request

from gateway.clients import SERVICES
from gateway.rest.endpoint import Context, JsonReply
from gateway.rest.errors import Failure
from quartet.v1 import common_pb2
from services.runtime.json_text import Json


async def answer(context: Context, request: Request) -> JsonReply:
    """Lists the models of the services that answer right now.

    Raises:
        Failure: SERVICE_UNAVAILABLE when none does.
    """
    found = await _all(context)
    decisions = [_typesafe(name, model) for model in found.get("classifier", []) for name in (*model.aliases, model.id)]
    data = [_openai(model, service) for service, models in found.items() for model in models]
    return JsonReply({"models": decisions, "object": "list", "data": data})


async def answer_one(context: Context, request: Request) -> JsonReply:
    """One model by id or alias, in OpenAI's shape.

    Raises:
        Failure: MODEL_NOT_FOUND.
    """
    name = request.path_params["model"]
    for service, models in (await _all(context)).items():
        for model in models:
            if name in chain((model.id,), model.aliases):
                return JsonReply(_openai(model, service))
    raise Failure("MODEL_NOT_FOUND", f"model {name!r} is not known here")


async def _all(context: Context) -> dict[str, list[common_pb2.Model]]:
    results = await asyncio.gather(*(context.clients.models(name) for name in SERVICES), return_exceptions=True)
    found: dict[str, list[common_pb2.Model]] = {}
    for service, result in zip(SERVICES, results, strict=True):
        if isinstance(result, list):
            found[service] = result
        elif not isinstance(result, grpc.aio.AioRpcError):
            raise result
    if not found:
        raise Failure("SERVICE_UNAVAILABLE", "None of the services answers right now.", retry_after_s=1.0)
    return found


def _typesafe(name: str, model: common_pb2.Model) -> Json:
    day = model.release_time.ToDatetime().date().isoformat()
    return {"name": name, "description": model.description, "release_date": day}


def _openai(model: common_pb2.Model, service: str) -> Json:
    return {
        "id": model.id,
        "object": "model",
        "created": model.release_time.seconds,
        "owned_by": "quartet",
        "service": service,
        "aliases": list(model.aliases),
        "description": model.description,
    }
