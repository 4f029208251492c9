"""The page and its files over a real application: types, headers, and nothing from elsewhere."""

import re
from importlib import resources
from typing import Any

import pytest
from starlette.testclient import TestClient

from gateway.app import create_app
from gateway.clients import SERVICES, Clients
from gateway.demo.emails import shipped
from gateway.rest.settings import RestSettings

STATIC = resources.files("gateway.console") / "static"
FILES = sorted(item.name for item in STATIC.iterdir())
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
NAMESPACE = "http://www.w3.org/2000/svg"
"""The name of SVG elements; nobody asks for it."""


@pytest.fixture
async def client() -> Any:
    clients = Clients({name: "127.0.0.1:1" for name in SERVICES})
    # The page itself needs no key: it is where one is typed in.
    yield TestClient(create_app(clients, RestSettings(api_key="k")))
    await clients.close()


def path_of(name: str) -> str:
    return "/" if name == "index.html" else f"/console/{name}"


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_as_it_is(client: Any, name: str) -> None:
    reply = client.get(path_of(name))
    assert reply.status_code == 200
    assert reply.content == (STATIC / name).read_bytes()
    assert reply.headers["content-type"] == TYPES[name.rpartition(".")[2]]


@pytest.mark.parametrize("name", [*FILES, "emails.json"])
def test_headers_keep_the_page_to_itself(client: Any, name: str) -> None:
    headers = client.get(path_of(name)).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_an_unchanged_file_is_not_sent_again(client: Any) -> None:
    first = client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/", headers={"if-none-match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert again.headers["content-security-policy"]
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


def test_head_has_no_body(client: Any) -> None:
    reply = client.head("/")
    assert (reply.status_code, reply.content) == (200, b"")


@pytest.mark.parametrize("path", ["/console/", "/console/nothing.js", "/console/../pages.py", "/console/pages.py"])
def test_only_the_page_s_own_files_are_there(client: Any, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/console/main.js"])
def test_it_is_only_read(client: Any, path: str) -> None:
    assert client.post(path, json={}).status_code == 405


def test_the_letters_are_those_of_the_demo(client: Any) -> None:
    letters = client.get("/console/emails.json").json()
    assert [letter["text"] for letter in letters] == [email.text for email in shipped()]
    assert all(set(letter) == {"name", "text", "received"} for letter in letters)


@pytest.mark.parametrize("name", FILES)
def test_nothing_comes_from_elsewhere(name: str) -> None:
    text = (STATIC / name).read_text(encoding="utf-8").replace(NAMESPACE, "")
    assert not re.search(r"\w+://|[\"'(]//\w|url\(|@import", text)


def test_every_reference_is_a_file_that_is_there() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    wanted = set(re.findall(r"""(?:src|href)="console/([^"]+)""", page))
    for name in FILES:
        if name.endswith(".js"):
            wanted |= set(re.findall(r"""from "\./([^"]+)""", (STATIC / name).read_text(encoding="utf-8")))
    assert wanted | {"index.html"} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_nothing_needs_what_the_policy_refuses(name: str) -> None:
    text = (STATIC / name).read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    if name == "index.html":
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text)


def test_files_stay_small() -> None:
    assert max(len((STATIC / name).read_text(encoding="utf-8").splitlines()) for name in FILES) <= 250
