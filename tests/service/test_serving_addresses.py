"""Where `fudaba serve` listens: addresses, ports, sockets, TLS."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from grpc import aio

from fudaba.v1 import catalog_pb2
from tests.support.service.bots import Stream, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service
from tests.support.service.serving import works


async def test_a_port_in_use_is_refused(folder: Path) -> None:
    with Service(folder) as first, Service(folder, name="second", data=folder / "other") as second:
        first.start()
        second.listen = first.address
        said = await asyncio.to_thread(second.refuses_to_start)
        assert f"cannot listen on {first.address}" in said
        await works(first)


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7710", "example.org:7710"])
def test_other_machines_are_not_served_without_tls_unless_it_is_asked_for(folder: Path, listen: str) -> None:
    with Service(folder, listen=listen) as service:
        assert "--insecure" in service.refuses_to_start(status=2)
    assert not service.data.exists()


async def test_other_machines_are_served_without_tls_when_it_is_asked_for(folder: Path) -> None:
    with Service(folder, "--insecure", listen="0.0.0.0:0") as service:
        service.start()
        service.address = service.address.replace("0.0.0.0", "127.0.0.1")
        await works(service)


@pytest.mark.parametrize(
    ("listen", "status"), [("127.0.0.1:99999", 2), ("127.0.0.1:x", 2), ("localhost", 2), ("127.0.0.300:1", 1)]
)
def test_an_address_that_is_none_is_refused(folder: Path, listen: str, status: int) -> None:
    with Service(folder, "--insecure", listen=listen) as service:
        assert f"cannot listen on {listen}" in service.refuses_to_start(status=status)


async def test_a_unix_socket_is_served_and_its_network_costs_nothing(folder: Path) -> None:
    with Service(folder, listen=f"unix:{folder}/s") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants)
            await play_match(*organiser.by_chance(*entrants))
            record = await organiser.record(match_id)
            assert {e.spent.network_us for e in record.log} == {0}
        assert service.terminate() == 0
        await asyncio.to_thread(service.start)
        await works(service)


@pytest.fixture
def certificate(folder: Path, need_tool: Callable[[str], Path]) -> tuple[Path, Path]:
    """Returns a self-signed certificate for localhost, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            need_tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key


async def test_tls_works_and_what_is_not_tls_fails_cleanly(folder: Path, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Service(folder, "--tls-cert", str(cert), "--tls-key", str(key), listen="0.0.0.0:0") as service:
        service.start()
        port = service.address.rpartition(":")[2]
        trust = grpc.ssl_channel_credentials(cert.read_bytes())
        async with Organiser(f"localhost:{port}", service.token, trust) as organiser:
            entrant = await organiser.entrant()
            async with Stream(f"localhost:{port}", entrant.token, trust) as stream:
                assert (await stream.hello()).bot == entrant.name
        for address, credentials in (
            (f"127.0.0.1:{port}", None),
            (f"localhost:{port}", grpc.ssl_channel_credentials()),
        ):
            async with Organiser(address, service.token, credentials) as organiser:
                with pytest.raises(aio.AioRpcError) as info:
                    await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=5)
                assert info.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
        with contextlib.closing(socket.create_connection(("127.0.0.1", int(port)))) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert service.running
        assert_no_fault(service)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tls-cert", "{cert}", "--tls-key", "/nowhere"], "/nowhere"),
        (["--tls-cert", "{key}", "--tls-key", "{cert}"], "TLS"),
        (["--tls-cert", "{cert}", "--tls-key", "{other}"], "TLS"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_refused(
    folder: Path, certificate: tuple[Path, Path], options: list[str], words: str
) -> None:
    cert, key = certificate
    (folder / "other").write_text("no key at all")
    filled = [o.format(cert=cert, key=key, other=folder / "other") for o in options]
    with Service(folder, *filled) as service:
        assert words in service.refuses_to_start()


def test_a_metrics_port_that_cannot_be_had_is_refused(folder: Path) -> None:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for where, status in ((f"127.0.0.1:{port}", 1), ("127.0.0.1:x", 2), ("nonsense", 2)):
            with Service(folder, "--metrics", where) as service:
                assert f"cannot serve metrics on {where}" in service.refuses_to_start(status=status)
