"""`/openapi.json` says what is served."""

import re
from typing import Any

import httpx2
from starlette.routing import Route

from gateway.rest.routes import dialects
from gateway.supervisor.background import RunningStack
from tests.contract.rest.edge import served

UNDESCRIBED = {"/openapi.json", "/client/v4/{rest:path}"}


async def fetched() -> dict[str, Any]:
    async with served() as client:
        response = await client.get("/openapi.json")
        assert response.status_code == 200 and response.headers["content-type"] == "application/json"
        return dict(response.json())


async def test_every_path_of_the_dialects_is_described() -> None:
    document = await fetched()
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    routes = [route for route in dialects() if isinstance(route, Route) and route.path not in UNDESCRIBED]
    made = {
        (route.path.replace(":path", ""), method)
        for route in routes
        for method in (route.methods or ())
        if method != "HEAD"
    }
    assert described == made


async def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    document = await fetched()
    names = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert names == set(document["components"]["schemas"])


async def test_every_example_is_answered(stack: RunningStack) -> None:
    async with httpx2.AsyncClient(base_url=stack.http, timeout=60) as client:
        document = (await client.get("/openapi.json")).json()
        schemas = document["components"]["schemas"]
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                for parameter in operation.get("parameters", ()):
                    path = path.replace(f"{{{parameter['name']}}}", parameter["example"])
                body = operation["requestBody"]["content"]["application/json"]["example"] if method == "post" else None
                response = await client.request(method, path, json=body)
                assert response.status_code == 200, (path, response.text)
                name = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"][21:]
                assert set(schemas[name].get("required", ())) <= set(response.json()), path


async def test_what_a_schema_needs_the_edge_needs_too() -> None:
    document = await fetched()
    schemas = document["components"]["schemas"]
    async with served() as client:
        for path, methods in document["paths"].items():
            if "post" not in methods:
                continue
            schema = schemas[methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"][21:]]
            refused = await client.post(path.replace("{account}", "a"), json={})
            assert refused.status_code in (400, 422)
            for key in schema["required"]:
                assert key in refused.text, path


async def test_the_keys_of_a_closed_schema_are_those_that_are_known() -> None:
    document = await fetched()
    schemas = document["components"]["schemas"]
    compared = set()
    async with served() as client:
        for path, methods in document["paths"].items():
            if "post" not in methods:
                continue
            name = methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"][21:]
            if schemas[name].get("additionalProperties", True):
                continue
            refused = await client.post(path.replace("{account}", "a"), json={"zzz": 1})
            listed = re.search(r"zzz: is not known here; known are ([a-z_, ]*[a-z_])", refused.text)
            assert listed is not None, (path, refused.text)
            # What only OpenRouter's envelope has is taken off before the keys are compared.
            extra = {"provider", "session_id", "trace", "user", "assets"} if path.startswith("/api/") else set()
            assert set(listed[1].split(", ")) | extra == set(schemas[name]["properties"]), path
            compared.add(name)
    assert len(compared) >= 5
