"""What cannot be read is refused, says what is wrong, and leaves the gateway as it was."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.web.gateways import JSON, Gateway, refusal_of

GET_GAME = "/fudaba.v1.CatalogService/GetGame"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "in JSON"),
        (b"[]", "in JSON"),
        (b"null", "in JSON"),
        (b'{"game": 1}', "in JSON"),
        (b'{"gmae": "naga"}', 'no field named "gmae"'),
        (b'{"game": "naga", "game": "nerts"}', "in JSON"),
        (b'{"game": "\xff"}', "in JSON"),
        (b"\xff\xfe", "in JSON"),
        (b'{"a":' * 5_000, "in JSON"),
    ],
)
def test_a_body_that_is_no_such_message_is_malformed(web: Gateway, body: bytes, said: str) -> None:
    answer = web.http.post(GET_GAME, content=body, headers=JSON)
    assert refusal_of(answer) == ("invalid_argument", "MALFORMED")
    assert said in answer.json()["message"]
    assert web.answer("CatalogService/GetGame", {"game": "naga"})["game"]["id"] == "naga"


def test_binary_that_is_no_message_is_malformed(web: Gateway) -> None:
    answer = web.http.post(GET_GAME, content=b"\xff\xff\xff", headers={"content-type": "application/proto"})
    assert refusal_of(answer) == ("invalid_argument", "MALFORMED")


def test_a_body_that_is_too_large_is_not_read_to_its_end(web: Gateway) -> None:
    answer = web.http.post(GET_GAME, content=b'{"game": "' + b"x" * 2_000_000 + b'"}', headers=JSON)
    assert answer.status_code == 429
    assert "larger than" in answer.json()["message"]


def test_a_body_that_unpacks_to_too_much_is_not_unpacked(web: Gateway) -> None:
    import gzip

    packed = gzip.compress(b'{"game": "' + b"x" * 50_000_000 + b'"}')
    answer = web.http.post(GET_GAME, content=packed, headers=JSON | {"content-encoding": "gzip"})
    assert answer.status_code == 429
    assert web.answer("CatalogService/GetGame", {"game": "naga"})


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", GET_GAME, {"content-type": "text/plain"}, 415),
        ("PUT", GET_GAME, JSON, 405),
        ("DELETE", "/", {}, 405),
        ("GET", "/fudaba.v1.CatalogService/Nothing", {}, 501),
        ("POST", "/fudaba.v1.CatalogService/", JSON, 501),
        ("GET", "/contract/../../etc/passwd", {}, 404),
        ("GET", "/contract/%2e%2e/%2e%2e/etc/passwd", {}, 404),
    ],
)
def test_paths_and_methods_that_there_are_not(
    web: Gateway, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    assert web.http.request(method, path, headers=headers).status_code == status


@pytest.mark.parametrize("raw", [b"\0\1\2\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
def test_what_is_no_http_ends_that_connection_alone(web: Gateway, raw: bytes) -> None:
    where = urlsplit(web.url)
    with socket.create_connection((where.hostname or "", where.port or 0)) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):  # what it has not read any more
            while connection.recv(65_536):
                pass
    assert web.answer("CatalogService/ListGames")["games"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--listen", "nowhere"], 2, "write HOST:PORT"),
        (["--listen", "0.0.0.0:7712"], 1, "--insecure"),
        (["--server", "nowhere"], 1, "HOST:PORT"),
        (["--token-file", "/no/such/file"], 1, "cannot be read: No such file"),
        (["--token-file", "/dev/null"], 1, "the token file /dev/null is empty; write the token into it"),
        (["--tls-cert", "/no/cert.pem"], 1, "--tls-key"),
        (["--tls-cert", "/no/cert.pem", "--tls-key", "/no/key.pem"], 1, "cannot be used"),
        (["--listen", "192.0.2.1:7712", "--insecure"], 1, "cannot listen on"),
    ],
)
def test_a_gateway_that_cannot_start_says_what_to_change(words: list[str], status: int, said: str) -> None:
    done = CliRunner().invoke(cli, ["web", *words])
    assert (done.exit_code, said in done.stderr) == (status, True), done.stderr


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: Any = taken.getsockname()[1]
        done = CliRunner().invoke(cli, ["web", "--listen", f"127.0.0.1:{port}"])
    assert (done.exit_code, f"cannot listen on 127.0.0.1:{port}" in done.stderr) == (1, True), done.stderr
