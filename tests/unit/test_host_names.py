"""A page of another name that resolves to this machine is no page of this app."""

import asyncio
import http.client
from concurrent.futures import ThreadPoolExecutor

import pytest

from components import host_names
from components.host_names import REFUSAL, KnownNamesOnly, is_known
from isogloss.settings import HOSTS
from tests.helpers.server import running_app

FOREIGN = ("evil.example", "isogloss.example.evil.example", "localhost.evil.example")


@pytest.fixture(autouse=True)
def nothing_listed(monkeypatch):
    monkeypatch.delenv(HOSTS.name, raising=False)
    monkeypatch.setattr(host_names.st, "get_option", lambda name: None)


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:8501", "LocalHost:8501", "localhost.", "LOCALHOST.:8501",
        "127.0.0.1", "127.0.0.1:8501", "192.168.1.4:80", "[::1]", "[::1]:8501", "[2001:DB8::7]:1",
    ],
)  # fmt: skip
def test_numbers_and_localhost_are_known(host):
    assert is_known(host)


@pytest.mark.parametrize(
    "host",
    [
        *FOREIGN, "", ":8501", ".", "evil.example:8501", "127.0.0.1.evil.example", "127.0.0.1:x",
        "evil.example:80:80", "localhost evil.example", "[evil.example]", "[::1", "::1", "127.1",
        "2130706433", "[127.0.0.1]", "localhost..", "lοcalhost", "a@localhost", "localhost/",
    ],
)  # fmt: skip
def test_other_names_are_not(host):
    assert not is_known(host)


def test_an_owner_lists_names(monkeypatch):
    monkeypatch.setenv(HOSTS.name, " isogloss.example , Lab.example.,")
    for host in ("isogloss.example", "ISOGLOSS.example.:443", "lab.example:8501", "localhost"):
        assert is_known(host)
    for host in (*FOREIGN, "", ",", "www.isogloss.example", "isogloss.example,lab.example"):
        assert not is_known(host)


def test_the_name_that_the_server_was_told_to_listen_at(monkeypatch):
    monkeypatch.setattr(host_names.st, "get_option", {"server.address": "gpu-box"}.__getitem__)
    assert is_known("gpu-box:8501")
    assert not is_known("gpu-box.evil.example")


def answers(scope: dict) -> list[dict]:
    """What comes back for a request whose app inside would answer that it was reached."""
    sent: list[dict] = []

    async def inside(scope, receive, send):
        await send({"type": "reached"})

    async def send(message):
        sent.append(message)

    # In a thread, because a browser's tests before it leave a loop that runs in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, KnownNamesOnly(inside)(scope, None, send)).result()
    return sent


@pytest.mark.parametrize(
    "hosts", [[], [b"evil.example"], [b"localhost", b"evil.example"], [b"\xff"]]
)
@pytest.mark.parametrize("extensions", [{}, {"websocket.http.response": {}}])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_what_is_refused_never_reaches_the_app(kind, extensions, hosts):
    headers = [(b"host", host) for host in hosts]
    first, *rest = answers({"type": kind, "headers": headers, "extensions": extensions})
    if kind == "websocket" and not extensions:
        assert (first["type"], rest) == ("websocket.close", [])
    else:
        assert first["type"].endswith("http.response.start")
        assert first["status"] == 403
        assert rest[0]["body"].decode() == REFUSAL


def test_what_is_allowed_reaches_the_app():
    reached = [{"type": "reached"}]
    for kind in ("http", "websocket"):
        assert answers({"type": kind, "headers": [(b"host", b"localhost:1")]}) == reached
    assert answers({"type": "lifespan"}) == reached


def ask(port: int, host: str, path: str, **headers: str) -> tuple[int, str]:
    """Status and content for `path` of the server at `port`, asked for by the name `host`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=240)
    connection.request("GET", path, headers={"Host": host, **headers})
    answer = connection.getresponse()
    content = b"" if answer.status == 101 else answer.read()
    connection.close()
    return answer.status, content.decode()


def shake_hands(port: int, host: str) -> int:
    """The status with which the server answers who wants a page's WebSocket."""
    status, _ = ask(
        port, host, "/_stcore/stream",
        **{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": f"http://{host}"},
    )  # fmt: skip
    return status


def test_a_real_server_answers_to_its_own_names_only(tmp_path, monkeypatch):
    monkeypatch.setenv(HOSTS.name, "isogloss.example")
    with running_app(tmp_path / "cache") as address:
        port = int(address.rpartition(":")[2])
        for name in FOREIGN:
            host = f"{name}:{port}"
            for path in ("/", "/_stcore/health", "/_stcore/host-config"):
                assert ask(port, host, path) == (403, REFUSAL)
            assert shake_hands(port, host) == 403
        for name in ("localhost", "127.0.0.1", "LOCALHOST.", "isogloss.example"):
            status, content = ask(port, f"{name}:{port}", "/")
            assert (status, "<title>" in content) == (200, True)
            assert shake_hands(port, f"{name}:{port}") == 101
