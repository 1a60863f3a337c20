"""`fudaba health` against services that serve, that do not, and that are not there: what container engines ask."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner, Result
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import HealthServicer

from fudaba.cli import cli
from tests.support.service.processes import Service


def health(address: str, *options: str) -> Result:
    return CliRunner().invoke(cli, ["health", "--server", address, *options])


def test_a_service_that_serves_is_healthy_without_a_token(service: Service) -> None:
    done = health(service.address)
    assert (done.exit_code, done.stdout) == (0, f"{service.address} serves\n")


def test_the_address_can_come_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUDABA_SERVER", service.address)
    assert CliRunner().invoke(cli, ["health"]).exit_code == 0


def test_a_service_that_has_ended_is_not_healthy(folder: Path) -> None:
    with Service(folder, listen=f"unix:{folder}/s") as service:
        service.start()
        assert health(service.address).exit_code == 0
        assert service.terminate() == 0
        done = health(service.address)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: cannot reach the service at unix:{folder}/s")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def closing() -> Iterator[str]:
    """Yields a server that says of itself that it does not serve."""
    servicer = HealthServicer()
    server = grpc.server(ThreadPoolExecutor(1))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    servicer.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def test_a_service_that_is_there_and_does_not_serve_is_not_healthy(closing: str) -> None:
    done = health(closing)
    assert done.exit_code == 1
    assert "answers, but does not serve: it is starting or stopping" in done.stderr


def test_what_takes_a_connection_and_never_answers_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = health(address, "--timeout", "0.5")
    assert done.exit_code == 1
    assert address in done.stderr


def test_a_wrong_address_is_refused() -> None:
    assert health("nonsense").exit_code == 1
    assert health("127.0.0.1:1", "--timeout", "0").exit_code == 2
