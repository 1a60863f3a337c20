"""`fudaba doctor` names the step that does not work, and what to do."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.certificates import certify
from tests.support.folders import short_folder
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway


def doctor(*words: str) -> tuple[int, list[Any]]:
    """Returns the exit status, and the steps."""
    done = CliRunner().invoke(cli, ["doctor", *words, "--json"])
    return done.exit_code, json.loads(done.stdout)


def broken(*words: str) -> tuple[str, str, str]:
    """Returns the name of the one step that does not work, what is told of it, and the remedy."""
    status, steps = doctor(*words)
    assert status == 1
    [failed] = [step for step in steps if not step["works"]]
    assert failed == steps[-1]
    assert failed["remedy"]
    return failed["name"], failed["told"], failed["remedy"]


class Old(BaseHTTPRequestHandler):
    """A proxy that speaks HTTP/1.1 alone, and knows no gateway."""

    def do_POST(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>sign in to this network</html>")

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def old_proxy() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Old)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_where_all_works_each_step_is_told(web: Gateway, hosted: Service) -> None:
    status, steps = doctor("--server", hosted.address, "--token", hosted.token, "--web", web.url)
    assert status == 0
    names = ["name", "connection", "gRPC", "stream", "token", "web", "web stream"]
    assert [(step["name"], step["works"]) for step in steps] == [(name, True) for name in names]


def test_people_are_told_in_lines(hosted: Service) -> None:
    done = CliRunner().invoke(cli, ["doctor", "--server", hosted.address])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "ok      stream: messages go both ways"


def test_a_token_that_is_of_no_use_is_told(hosted: Service) -> None:
    name, message, _ = broken("--server", hosted.address, "--token", "none")
    assert (name, "unknown" in message) == ("token", True)


def test_a_port_that_nobody_listens_on_is_told() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        name, message, _ = broken("--server", f"127.0.0.1:{held.getsockname()[1]}")
    assert (name, message) == ("connection", "Connection refused")


def test_a_network_that_lets_no_grpc_through_is_told_with_the_way_around_it() -> None:
    with old_proxy() as address:
        name, _, remedy = broken("--server", address)
    assert name == "gRPC"
    assert "Play through a gateway" in remedy


def test_a_page_to_sign_in_is_no_gateway(hosted: Service) -> None:
    with old_proxy() as address:
        name, message, _ = broken("--server", hosted.address, "--web", f"http://{address}")
    assert (name, message) == ("web", "the server there is not a gateway")


@pytest.mark.parametrize("url", ["nowhere", "ftp://host", "http://", "http://127.0.0.1:1"])
def test_an_address_where_no_gateway_is_is_told(hosted: Service, url: str) -> None:
    assert broken("--server", hosted.address, "--web", url)[0] == "web"


def test_a_service_is_no_gateway(hosted: Service) -> None:
    name, message, _ = broken("--server", hosted.address, "--web", f"http://{hosted.address}")
    assert (name, message) == ("web", "the server there does not speak HTTP/1.1")


def test_what_is_wrong_with_tls_is_told(need_tool: Callable[[str], Path]) -> None:
    with short_folder() as place:
        cert, key = place / "cert.pem", place / "key.pem"
        certify(need_tool("openssl"), cert, key)
        with Service(place, "--tls-cert", str(cert), "--tls-key", str(key)) as running:
            address = running.start().address.replace("127.0.0.1", "localhost")
            assert doctor("--server", address, "--ca-cert", str(cert))[0] == 0
            name, message, _ = broken("--server", address, "--tls")
            assert (name, "not trusted" in message) == ("TLS", True)
            name, message, _ = broken("--server", address.replace("localhost", "127.0.0.1"), "--ca-cert", str(cert))
            assert (name, "IP address mismatch" in message) == ("TLS", True)
            name, _, remedy = broken("--server", address)
            assert (name, "add --tls" in remedy) == ("gRPC", True)


def test_tls_where_there_is_none_is_told(hosted: Service) -> None:
    name, _, remedy = broken("--server", hosted.address, "--tls")
    assert (name, "leave out --tls" in remedy) == ("TLS", True)
