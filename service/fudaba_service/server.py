"""A whole service process: store, sessions, front, metrics; started, run and stopped."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from fudaba.codec import codec
from fudaba.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    catalog_pb2,
    catalog_pb2_grpc,
    errors_pb2,
    matches_pb2,
    matches_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)
from fudaba.valkey import EmbeddedValkey, FolderError, NoServerError, ServerFailedError
from fudaba_games.registry import GAMES
from fudaba_service.accounts import Accounts
from fudaba_service.archive import Archive
from fudaba_service.ending import end
from fudaba_service.front.bots import BotServicer
from fudaba_service.front.broken import leave_out_clients_faults
from fudaba_service.front.catalog import CatalogServicer
from fudaba_service.front.flood import Callers
from fudaba_service.front.guard import MAX_MESSAGE, Doorkeeper, Guard
from fudaba_service.front.listener import listener, serve_on
from fudaba_service.front.matches import MatchServicer
from fudaba_service.front.play import PlayServicer
from fudaba_service.metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.settings import Settings
from fudaba_service.store import Store

__all__ = ["CannotStart", "Running", "is_loopback", "runner", "serve", "write_token"]

log = logging.getLogger(__name__)

_STORE_RETRY: Final = 1.0
_LOOKS: Final = 10
_LOOK_AGAIN: Final = 0.1
_LAST_PORT: Final = 65_535

_SERVICES: Final = tuple(
    service.full_name
    for module in (catalog_pb2, bots_pb2, matches_pb2, play_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
)
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    # A dead peer is noticed within 15 s; clients may look as often themselves.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # the same, by the name that newer grpcio listens to
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
    # What one connection may hold on to, and for how long one may say nothing.
    ("grpc.max_concurrent_streams", 4_000),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.server_handshake_timeout_ms", 20_000),
)


class CannotStart(Exception):
    """The service cannot be started as it was told. `str()` says why, and what to change."""


class Running:
    """A service that runs."""

    def __init__(
        self, host: Host, address: str, organiser_token: str | None, redis_url: str, working: asyncio.Task[None]
    ) -> None:
        self.host = host
        self.working = working
        """What keeps the sessions going and listens. It ends only by a fault; then the process must end too."""
        self.address = address
        """Where it listens, with the real port."""
        self.organiser_token = organiser_token
        """The organiser's token, if one was made now."""
        self.redis_url = redis_url


def _load_games() -> None:
    """Loads the rules of every game, which are loaded when they are asked for: no match shall wait for that."""
    for one in GAMES.values():
        codec(one.id)


@asynccontextmanager
async def serve(settings: Settings) -> AsyncIterator[Running]:
    """Runs a service until the block is left; then it stops gracefully. Raises `CannotStart` and friends."""
    credentials = _credentials(settings)
    _load_games()
    metrics = Metrics()
    async with AsyncExitStack() as stack:
        stack.callback(leave_out_clients_faults())
        stack.callback(metrics.follow_log())
        archive = Archive(settings.data / "archive")
        await archive.prepare()
        metrics.follow_disk(settings.data)
        url = settings.redis or await _embedded(stack, settings)
        try:
            store = Store(url, f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}", metrics)
        except ValueError as error:
            raise CannotStart(f"{url} is no URL of a Redis: {error}") from error
        stack.push_async_callback(store.close)
        await store.connect()
        await _check_archive(archive, store, private=settings.redis is None)
        accounts = Accounts(store)
        host = Host(store, archive, metrics)
        await host.prepare()
        stack.push_async_callback(host.leave, settings.stop_seconds)
        running = asyncio.create_task(host.run())
        stack.push_async_callback(end, running)
        health = HealthServicer()
        server = _server(host, accounts, health, Callers(settings, metrics))
        address = _bind(server, settings.listen, credentials)
        if settings.metrics is not None:
            stack.callback(_metrics(settings.metrics, metrics))
        # Last of all that can fail: a token that was made is told.
        token = await accounts.organiser_token(renew=settings.new_organiser_token)
        await server.start()
        for name in ("", *_SERVICES):
            await health.set(name, health_pb2.HealthCheckResponse.SERVING)
        stack.push_async_callback(_stop, server, host, health, settings.stop_seconds)
        working = asyncio.create_task(serve_on(server, running))
        stack.push_async_callback(end, working)
        yield Running(host, address, token, url, working)


async def _check_archive(archive: Archive, store: Store, *, private: bool) -> None:
    """Refuses a folder in which this store's records are not: replicas would not find each other's matches."""
    mine = await archive.identity()
    proposed = mine or secrets.token_hex(8)
    known = await store.archive(proposed)
    if known != proposed and not private:
        for _ in range(_LOOKS):  # another replica may be giving the folder its name
            if await archive.identity() == known:
                return
            await asyncio.sleep(_LOOK_AGAIN)
        raise CannotStart(
            f"{archive.identity_file.parent} is not the archive of this store's records. Replicas need one folder: "
            "give all of them the same --data, on a disk that they share. If this is the archive all the same, because "
            f"it was moved or lost, write {known} into {archive.identity_file}"
        )
    if mine != known:
        await archive.identify(known)


def _credentials(settings: Settings) -> grpc.ServerCredentials | None:
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise CannotStart("TLS needs both a certificate and its key: give --tls-cert and --tls-key")
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    try:
        pair = (settings.tls_key.read_bytes(), settings.tls_cert.read_bytes())
        # gRPC says of bad files only that it cannot listen. (A key with a password cannot be used.)
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, lambda: "")
    except OSError as error:
        raise CannotStart(
            f"the TLS certificate {settings.tls_cert} and key {settings.tls_key} cannot be used: {error}; both are PEM "
            "files, the certificate first in its chain, the key without a password"
        ) from error
    return grpc.ssl_server_credentials([pair])


async def _embedded(stack: AsyncExitStack, settings: Settings) -> str:
    valkey = EmbeddedValkey(settings.data / "store", appendfsync=settings.appendfsync)
    await asyncio.to_thread(valkey.start)
    stack.push_async_callback(asyncio.to_thread, valkey.stop)
    watch = asyncio.create_task(_keep_alive(valkey))
    stack.push_async_callback(end, watch)
    return valkey.url


async def _keep_alive(valkey: EmbeddedValkey) -> None:
    """Starts the embedded server again when it has died."""
    while True:
        await asyncio.sleep(0.2)
        if not valkey.alive:
            log.error("the embedded store died; starting it again")
            try:
                await asyncio.to_thread(valkey.restart)
            except (OSError, FolderError, NoServerError, ServerFailedError) as error:
                log.error("the embedded store cannot be started: %s", error)
                await asyncio.sleep(_STORE_RETRY)


def _server(host: Host, accounts: Accounts, health: HealthServicer, callers: Callers) -> aio.Server:
    door = Doorkeeper(accounts, callers)
    server = listener([Guard(host.metrics, callers, door)], _OPTIONS)
    catalog_pb2_grpc.add_CatalogServiceServicer_to_server(CatalogServicer(), server)
    bots_pb2_grpc.add_BotServiceServicer_to_server(BotServicer(host, accounts, door), server)
    matches_pb2_grpc.add_MatchServiceServicer_to_server(MatchServicer(host, accounts, door), server)
    play_pb2_grpc.add_PlayServiceServicer_to_server(PlayServicer(host, door, callers), server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    reflection.enable_server_reflection([*_SERVICES, "grpc.health.v1.Health", reflection.SERVICE_NAME], server)
    return server


def _bind(server: aio.Server, listen: str, credentials: grpc.ServerCredentials | None) -> str:
    host, _, number = listen.rpartition(":")
    if not listen.startswith("unix:") and not (host and number.isdecimal() and int(number) <= _LAST_PORT):
        raise CannotStart(f"cannot listen on {listen}: write HOST:PORT, for example 127.0.0.1:7710, or unix:/path")
    try:
        port = server.add_insecure_port(listen) if credentials is None else server.add_secure_port(listen, credentials)
    except RuntimeError as error:
        raise CannotStart(f"cannot listen on {listen}: is the address in use, or not of this machine?") from error
    return listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"


def runner() -> asyncio.Runner:
    """What a process that is only a service runs `serve` in: uvloop where it is installed, and a patient collector.

    Nearly all objects here go when their last reference goes. The cyclic collector's default settings have it look
    through every live match again and again, for a tenth of the CPU.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    if find_spec("uvloop") is None:
        return asyncio.Runner()
    import uvloop  # noqa: PLC0415  # where it exists

    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def is_loopback(listen: str) -> bool:
    """Whether nobody outside this machine can reach the address."""
    host = listen.rpartition(":")[0].strip("[]")
    if listen.startswith("unix:") or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _metrics(listen: str, metrics: Metrics) -> Callable[[], None]:
    address, _, port = listen.rpartition(":")
    try:
        server, thread = start_http_server(int(port), address or "127.0.0.1", metrics.registry)
    except (ValueError, OverflowError) as error:
        raise CannotStart(f"cannot serve metrics on {listen}: write HOST:PORT, for example 127.0.0.1:9090") from error
    except OSError as error:
        why = "the port is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise CannotStart(f"cannot serve metrics on {listen}: {why}; choose another HOST:PORT") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop


async def _stop(server: aio.Server, host: Host, health: HealthServicer, seconds: float) -> None:
    await health.enter_graceful_shutdown()
    host.roster.end_streams(Refused(errors_pb2.REASON_SHUTTING_DOWN, "the service is stopping; connect again"))
    await server.stop(seconds)
    try:
        async with asyncio.timeout(seconds):
            await host.settle_down()
    except TimeoutError:
        log.warning("stopped with changes still in flight; they are tried again by whoever asked for them")
    finally:
        await host.close()


def write_token(path: Path, token: str) -> None:
    """Writes a token where only its owner can read it. Raises `CannotStart`."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w") as file:
            os.fchmod(descriptor, 0o600)  # a file that was there before may be open to others
            os.ftruncate(descriptor, 0)
            file.write(token + "\n")
    except OSError as error:
        raise CannotStart(
            f"the organiser's token cannot be written to {path}: {error.strerror}; name another file, and start with "
            "--new-organiser-token, since nobody has seen this one"
        ) from error
