"""A renewed certificate serves new connections, and cuts none."""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from prometheus_client import CollectorRegistry

from fudaba_serving.grpc import certificate, certificate_health
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.grpc.certificate import Certificate, credentials
from fudaba_serving.grpc.certificate_health import CERTIFICATE, CertificateGauges, tell_certificate
from tests.support.certificates import certify


class Files:
    """A server's certificate and key, and another pair that can take their place."""

    def __init__(self, folder: Path, openssl: Path) -> None:
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self._openssl = openssl
        self._next = folder / "next"
        self._next.mkdir()
        certify(openssl, self.cert, self.key)

    def renew(self, *, cert: bool = True, key: bool = True) -> None:
        """Puts a new pair in their place, or half of one."""
        certify(self._openssl, self._next / "cert.pem", self._next / "key.pem")
        if cert:
            (self._next / "cert.pem").replace(self.cert)
        if key:
            (self._next / "key.pem").replace(self.key)


@pytest.fixture
def files(tmp_path: Path, need_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.setattr(certificate, "CHECK_INTERVAL_SECONDS", 0.0)
    monkeypatch.setattr(certificate_health, "CHECK_INTERVAL_SECONDS", 0.01)
    return Files(tmp_path, need_tool("openssl"))


@pytest.fixture
async def port(files: Files) -> AsyncIterator[int]:
    """Of a server that echoes what a stream says."""

    async def echo(words: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        async for word in words:
            yield word

    server = aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {"Echo": grpc.stream_stream_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test", handlers),))
    shown = credentials(files.cert, files.key)
    assert shown is not None
    port = server.add_secure_port("localhost:0", shown)
    await server.start()
    yield port
    await server.stop(None)


def stream_to(port: int, trusted: bytes) -> tuple[aio.Channel, Any]:
    channel = aio.secure_channel(f"localhost:{port}", grpc.ssl_channel_credentials(trusted))
    return channel, channel.stream_stream("/test/Echo")()


async def echoed(stream: Any, word: bytes) -> None:
    await stream.write(word)
    assert await stream.read() == word


async def test_new_connections_are_shown_the_renewed_one_and_streams_go_on(files: Files, port: int) -> None:
    before = files.cert.read_bytes()
    first, old = stream_to(port, before)
    async with first:
        await echoed(old, b"before")
        files.renew()
        second, new = stream_to(port, files.cert.read_bytes())
        async with second:
            await echoed(new, b"after")
        await echoed(old, b"still")


@pytest.mark.parametrize("half", ["cert", "key"])
async def test_half_a_renewal_changes_nothing_until_the_other_half_is_there(
    files: Files, port: int, half: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = files.cert.read_bytes()
    files.renew(cert=half == "cert", key=half == "key")
    for _ in range(2):
        channel, stream = stream_to(port, before)
        async with channel:
            await echoed(stream, b"as before")
    # Each change is told once, not at each connection.
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert ["cannot be used" in record.getMessage() for record in warnings] == [True]
    files.renew()
    channel, stream = stream_to(port, files.cert.read_bytes())
    async with channel:
        await echoed(stream, b"renewed")


def test_files_that_are_gone_leave_the_one_before(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    shown = Certificate(files.cert, files.key)
    pair = shown.pair
    files.key.unlink()
    for _ in range(3):
        assert not shown.renewed()
    assert shown.pair == pair
    assert caplog.text.count("cannot be used, so the one before is shown") == 1


def test_files_that_were_written_anew_with_the_same_contents_are_no_renewal(files: Files) -> None:
    shown = Certificate(files.cert, files.key)
    for path in (files.cert, files.key):
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    assert not shown.renewed()


def test_a_look_by_somebody_else_hides_no_renewal_from_the_connections(files: Files) -> None:
    shown = Certificate(files.cert, files.key)
    files.renew()
    shown.check()
    assert [shown.renewed(), shown.renewed()] == [True, False]


@pytest.fixture
async def health() -> AsyncIterator[tuple[HealthServicer, Any]]:
    """Yields a server's health, and what asks for it."""
    server, servicer = aio.server(), HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("localhost:0")
    await server.start()
    async with aio.insecure_channel(f"localhost:{port}") as channel:
        yield servicer, health_pb2_grpc.HealthStub(channel)
    await server.stop(None)


async def test_metrics_and_health_say_until_when_it_is_valid_and_that_a_renewal_cannot_be_used(
    files: Files, health: tuple[HealthServicer, Any]
) -> None:
    servicer, asking = health
    shown, registry = Certificate(files.cert, files.key), CollectorRegistry()
    CertificateGauges(registry).follow(shown)
    reporting = asyncio.create_task(tell_certificate(servicer, shown))

    async def becomes(status: int, unusable: float) -> None:
        request = health_pb2.HealthCheckRequest(service=CERTIFICATE)
        async for answer in asking.Watch(request):
            if answer.status == status:
                break
        assert registry.get_sample_value("fudaba_tls_certificate_unusable") == unusable

    await becomes(health_pb2.HealthCheckResponse.SERVING, 0.0)
    expiry = registry.get_sample_value("fudaba_tls_certificate_expiry_timestamp_seconds")
    assert expiry is not None
    assert 0 < expiry - time.time() <= 2 * 86_400, "certify makes one of two days"
    files.renew(key=False)
    await becomes(health_pb2.HealthCheckResponse.NOT_SERVING, 1.0)
    assert registry.get_sample_value("fudaba_tls_certificate_expiry_timestamp_seconds") == expiry
    files.renew()
    await becomes(health_pb2.HealthCheckResponse.SERVING, 0.0)
    reporting.cancel()
    await asyncio.gather(reporting, return_exceptions=True)


def test_without_tls_the_metrics_are_0() -> None:
    registry = CollectorRegistry()
    CertificateGauges(registry).follow(None)
    assert registry.get_sample_value("fudaba_tls_certificate_expiry_timestamp_seconds") == 0.0
    assert registry.get_sample_value("fudaba_tls_certificate_unusable") == 0.0


def test_a_context_shows_what_was_loaded_into_it_last(files: Files) -> None:
    shown = Certificate(files.cert, files.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    shown.load_into(context)
    files.renew()
    assert shown.renewed()
    shown.load_into(context)
    assert presented(context, files.cert)


def presented(context: ssl.SSLContext, trusted: Path) -> bool:
    """Returns whether a client that trusts this certificate alone accepts what the context shows."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=str(trusted)).wrap_bio(to_client, to_server, server_hostname="localhost")
    server = context.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError:
            return False
    return client.getpeercert() is not None


@pytest.mark.parametrize("missing", ["cert", "key"])
def test_a_certificate_wants_its_key_and_a_key_its_certificate(files: Files, missing: str) -> None:
    given = {"cert": files.cert, "key": files.key} | {missing: None}
    with pytest.raises(CannotStart, match="give --tls-cert and --tls-key"):
        credentials(given["cert"], given["key"])


def test_without_files_there_is_no_tls() -> None:
    assert credentials(None, None) is None


def test_a_pair_that_does_not_fit_is_refused_at_the_start(files: Files) -> None:
    files.renew(key=False)
    with pytest.raises(CannotStart, match=r"cannot be used: .*; both are PEM files"):
        credentials(files.cert, files.key)
