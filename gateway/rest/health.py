"""`GET /healthz`: this process lives. `GET /readyz`: what every service says of itself."""

import asyncio

from starlette.requests import Request

from gateway.clients import SERVICES, Clients
from gateway.rest.endpoint import JsonReply


async def healthz(request: Request) -> JsonReply:
    """200 as long as the event loop turns."""
    return JsonReply({"status": "ok"})


async def readyz(request: Request) -> JsonReply:
    """200 when every service is SERVING, else 503, with the status of each."""
    clients: Clients = request.app.state.clients
    found = await asyncio.gather(*(clients.health(name) for name in SERVICES))
    ready = all(status == "SERVING" for status in found)
    body = {"ready": ready, "services": dict(zip(SERVICES, found, strict=True))}
    return JsonReply(body, 200 if ready else 503)
