"""The HTTP edge without any service behind it: what it refuses, and how it says so."""

import asyncio
import gzip
import json
import shutil
import sys
from typing import Any

import pytest

from gateway.rest.settings import RestSettings
from tests.contract.rest.edge import error_of, served

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JSON = {"content-type": "application/json"}
QUESTION = {"q": {"type": "noul", "instructions": "?"}}
DECIDE = {"model": "jev-latest", "state": "s", "questions": QUESTION}
CHAT = {"messages": [{"role": "user", "content": "hi"}]}
EXTRACT = {"state": "s", "fields": {"a": {"type": "text"}}}
FORECAST = {"series": [{"values": [1, 2]}], "horizon": 1}
ASK = {"model": "m", "input": "s", "questions": [{"type": "predicate", "instructions": "?"}]}
RUN = "/client/v4/accounts/a/ai/run/@cf/cloudflare"
ROUTES = [
    ("/v1/systemone", DECIDE),
    ("/systemone", DECIDE),
    ("/v1/decisions", ASK),
    ("/api/v1/systemone", DECIDE),
    ("/api/alpha/decisions", DECIDE),
    ("/api/alpha/extractions", EXTRACT),
    (f"{RUN}/clef", DECIDE | {"model": "clef"}),
    (f"{RUN}/clairic", EXTRACT),
    ("/v1/extractions", EXTRACT),
    ("/v1/extraction", EXTRACT),
    ("/extraction", EXTRACT),
    ("/v1/forecasts", FORECAST),
    ("/v1/chat/completions", CHAT),
]
PATHS = [path for path, _ in ROUTES]


@pytest.mark.parametrize(("path", "body"), ROUTES)
async def test_a_missing_service_is_unavailable_for_now(path: str, body: dict[str, Any]) -> None:
    async with served() as client:
        response = await client.post(path, json=body)
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        error_of(response)


async def test_models_need_a_service() -> None:
    async with served() as client:
        response = await client.get("/v1/models")
        assert response.status_code == 503
        assert error_of(response)["detail"]["error_type"] == "overloaded_error"


async def test_health_is_of_the_process_and_readiness_of_the_services() -> None:
    async with served() as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        ready = await client.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["services"]["classifier"] == "UNREACHABLE" and ready.json()["ready"] is False


async def test_unknown_paths_and_methods_are_json_and_never_a_redirect() -> None:
    async with served() as client:
        assert error_of(await client.get("/nope")) == {"detail": "Not Found"}
        assert error_of(await client.post("/v1", json={})) == {"detail": "Not Found"}
        for method in ("GET", "PUT", "DELETE", "PATCH"):
            response = await client.request(method, "/v1/systemone")
            assert (response.status_code, response.headers["allow"]) == (405, "POST")
            error_of(response)
        assert (await client.head("/v1/systemone")).status_code == 405
        assert (await client.post("/v1/models", json={})).status_code == 405


@pytest.mark.parametrize("path", PATHS)
async def test_a_trailing_slash_is_the_same_route(path: str) -> None:
    async with served() as client:
        plain, slashed = await client.post(path, json={}), await client.post(f"{path}/", json={})
        assert slashed.status_code == plain.status_code in (400, 422)
        assert slashed.content == plain.content


async def test_every_response_has_an_id_that_a_caller_may_choose() -> None:
    async with served() as client:
        for path in ("/v1/systemone", "/healthz", "/nope"):
            response = await client.get(path)
            assert len(response.headers["x-typesafe-request-id"]) == 32
        given = await client.get("/healthz", headers={"x-request-id": "abc-1"})
        assert given.headers["x-request-id"] == given.headers["x-typesafe-request-id"] == "abc-1"
        long = await client.get("/healthz", headers={"x-request-id": "a" * 200})
        assert len(long.headers["x-request-id"]) == 32


BROKEN = {
    "empty": b"",
    "blank": b"  \n",
    "cut": b'{"model": "jev-latest", "sta',
    "array": b"[1]",
    "text": b'"x"',
    "repeated key": b'{"state":"a","state":"b"}',
    "nan": b'{"state":["x",NaN]}',
    "infinity": b'{"state":[-Infinity]}',
    "huge number": b'{"state":[1e400]}',
    "digits": b'{"state":[' + b"9" * 5000 + b"]}",
    "deep": b'{"state":' + b"[" * 1000 + b"]" * 1000 + b"}",
    "very deep": b'{"state":' + b"[" * 100_000,
    "surrogate": b'{"state":"\\ud800"}',
    "utf-8": b'{"state":"\xff"}',
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", BROKEN)
async def test_broken_bodies_are_the_clients_mistake(name: str, path: str) -> None:
    async with served() as client:
        response = await client.post(path, content=BROKEN[name], headers=JSON)
        assert response.status_code in (400, 422)
        body = error_of(response)
        if path in ("/v1/systemone", "/systemone"):
            assert response.status_code == 422 and body["detail"][0]["loc"][0] == "body"


async def test_a_repeated_key_is_named_with_its_place() -> None:
    async with served() as client:
        content = b'{"model":"m","state":"s","questions":{"q":{"type":"noul"},"q":{"type":"noul"}}}'
        detail = error_of(await client.post("/v1/systemone", content=content, headers=JSON))["detail"]
        assert detail[0]["loc"] == ["body", "questions"] and detail[0]["type"] == "duplicate_key"


@pytest.mark.parametrize("path", PATHS)
async def test_other_media_types_are_refused(path: str) -> None:
    async with served() as client:
        text = await client.post(path, content=b"{}", headers={"content-type": "text/plain"})
        assert text.status_code == 415
        error_of(text)
        image = await client.post(path, files={"request": b"{}", "asset-0": b"\x89PNG"})
        assert image.status_code == 415
        assert "mage" in json.dumps(error_of(image))


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.x+json", "APPLICATION/JSON", ""])
async def test_json_by_any_name_is_read(kind: str) -> None:
    async with served() as client:
        response = await client.post("/v1/systemone", content=b"{}", headers={"content-type": kind} if kind else {})
        assert response.status_code == 422


@pytest.mark.parametrize("encode", [gzip.compress, zstd.compress])
async def test_compressed_bodies_are_read_within_limits(encode: Any) -> None:
    name = "gzip" if encode is gzip.compress else "zstd"
    headers = JSON | {"content-encoding": name}
    good, bomb = encode(json.dumps(DECIDE).encode()), encode(b" " * (17 << 20))
    assert len(bomb) < 100_000
    async with served() as client:
        # Nobody is there to answer, which is found out only after the body was read and checked.
        assert (await client.post("/v1/systemone", content=good, headers=headers)).status_code == 503
        assert (await client.post("/v1/systemone", content=bomb, headers=headers)).status_code == 413
        for broken in (good[:-4], b"nonsense", good + b"more", encode(b"{")):
            response = await client.post("/v1/systemone", content=broken, headers=headers)
            assert response.status_code in (400, 422)
            error_of(response)


async def test_unknown_encodings_are_refused_with_the_known_ones() -> None:
    async with served() as client:
        response = await client.post("/v1/systemone", content=b"{}", headers=JSON | {"content-encoding": "br"})
        assert (response.status_code, response.headers["accept-encoding"]) == (415, "gzip, zstd")
        error_of(response)


async def test_bodies_over_the_limit_are_refused_announced_or_not() -> None:
    async def pieces() -> Any:
        for _ in range(40):
            yield b" " * 1000

    async with served(RestSettings(max_body_bytes=30_000)) as client:
        for path in PATHS:
            announced = await client.post(path, content=b" " * 40_000, headers=JSON)
            streamed = await client.post(path, content=pieces(), headers=JSON)
            assert announced.status_code == streamed.status_code == 413
            error_of(streamed)
    async with served() as client:
        assert (await client.post("/v1/systemone", content=b" " * (50 << 20), headers=JSON)).status_code == 413


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        ("Basic s3cret", 401),
        ("s3cret", 401),
        ("Bearer", 401),
        ("Bearer s3cr\u00e9t".encode("latin-1"), 401),
        ("Bearer s3cret", 422),
        ("bearer s3cret", 422),
        ("BEARER  s3cret", 422),
    ],
)
async def test_a_key_is_asked_for_when_one_is_set(header: Any, status: int) -> None:
    async with served(RestSettings(api_key="s3cret")) as client:
        headers = {} if header is None else {"authorization": header}
        response = await client.post("/v1/systemone", json={}, headers=headers)
        assert response.status_code == status
        body = error_of(response)
        assert status != 401 or body["detail"]["error_type"] == "authentication_error"
        assert (await client.get("/v1/models", headers=headers)).status_code == (401 if status == 401 else 503)
        assert (await client.get("/healthz")).status_code == 200


async def test_without_a_key_the_header_is_ignored() -> None:
    async with served() as client:
        response = await client.post("/v1/systemone", json={}, headers={"authorization": "Basic x"})
        assert response.status_code == 422


async def test_every_dialect_refuses_a_missing_key_in_its_own_shape() -> None:
    async with served(RestSettings(api_key="s3cret")) as client:
        chat = await client.post("/v1/chat/completions", json=CHAT)
        assert (chat.status_code, error_of(chat)["error"]["code"]) == (401, "invalid_api_key")
        native = await client.post("/v1/extraction", json=EXTRACT)
        assert (native.status_code, error_of(native)["error"]["reason"]) == (401, "CREDENTIAL_INVALID")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here; it is the client that speaks both")
async def test_one_port_speaks_http_1_and_clear_text_http_2() -> None:
    async with served() as client:
        for flag, version in (("--http1.1", "1.1"), ("--http2-prior-knowledge", "2")):
            command = ["curl", "-s", flag, "-o", "/dev/null", "-w", "%{http_version} %{http_code}"]
            url = str(client.base_url.join("/v1/systemone"))
            body = ["-H", "content-type: application/json", "-d", "{}"]
            process = await asyncio.create_subprocess_exec(*command, *body, url, stdout=asyncio.subprocess.PIPE)
            out, _ = await process.communicate()
            assert out.decode() == f"{version} 422"


async def test_a_connection_serves_many_requests() -> None:
    async with served() as client:
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        for _ in range(3):
            writer.write(b"POST /v1/systemone HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 422") and b"connection: close" not in head.lower()
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()


async def test_a_client_that_leaves_while_it_sends_harms_nobody() -> None:
    async with served() as client:
        _, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write(b"POST /v1/systemone HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await client.get("/healthz")).status_code == 200
