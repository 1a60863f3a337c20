"""A whole service process: store, sessions, front, metrics; started, run and stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer

from fudaba import open_files
from fudaba.codec import codec
from fudaba.metrics_server import MetricsNotServed, serve_metrics
from fudaba.serving.binding import OPTIONS, CannotStart, bind, credentials
from fudaba.serving.client_errors import filter_client_errors
from fudaba.serving.listener import listener, serve_on
from fudaba.serving.rate_limit import Callers
from fudaba.serving.reflection import add_reflection
from fudaba.storage import BadPlace, FolderStorage, StorageUnavailable, UrlStorage, storage_at
from fudaba.v1 import (
    accounts_pb2,
    accounts_pb2_grpc,
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
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.actions import Actions
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.archive import Archive
from fudaba_service.front.accounts import AccountServicer
from fudaba_service.front.bots import BotServicer
from fudaba_service.front.catalog import CatalogServicer
from fudaba_service.front.guard import Doorkeeper, Guard
from fudaba_service.front.matches import MatchServicer
from fudaba_service.front.play import PlayServicer
from fudaba_service.front.quota import AccountStreams
from fudaba_service.house.seats import House
from fudaba_service.metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.retention import Keep
from fudaba_service.settings import DEFAULT_LISTEN, Settings
from fudaba_service.store import Store
from fudaba_service.tasks import cancel

__all__ = ["CannotStart", "Running", "serve", "write_arena_token", "write_token"]

log = logging.getLogger(__name__)

_STORE_RETRY: Final = 1.0
_ARENA_TOKEN: Final = "made by fudaba serve"  # noqa: S105  # a label
_LOOKS: Final = 10
_LOOK_AGAIN: Final = 0.1

_OWN_FILES: Final = 128
"""How many files are kept from callers: connections to the store, records, the house bots' worker, metrics."""
_FEW_FILES: Final = 4_096

_SERVICES: Final = tuple(
    service.full_name
    for module in (catalog_pb2, accounts_pb2, bots_pb2, matches_pb2, play_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
)


class Running:
    """A service that runs."""

    def __init__(
        self,
        host: Host,
        address: str,
        organiser_token: str | None,
        arena_token: str | None,
        redis_url: str,
        working: asyncio.Task[None],
    ) -> None:
        self.host = host
        self.working = working
        """What keeps the sessions going and listens. It ends only by a fault; then the process must end too."""
        self.address = address
        """Where it listens, with the real port."""
        self.organiser_token = organiser_token
        """The organiser's token, if one was made now."""
        self.arena_token = arena_token
        """The arena's token, if one was made now."""
        self.redis_url = redis_url


def _load_games() -> None:
    """Loads the rules of every game, which are loaded when they are asked for: no match shall wait for that."""
    for one in GAMES.values():
        codec(one.id)


@asynccontextmanager
async def serve(settings: Settings) -> AsyncIterator[Running]:
    """Runs a service until the block is left; then it stops gracefully. Raises `CannotStart` and friends."""
    shown = credentials(settings.tls_cert, settings.tls_key)
    connections = _connections(open_files.raise_limit())
    _load_games()
    metrics = Metrics()
    async with AsyncExitStack() as stack:
        stack.callback(filter_client_errors())
        stack.callback(metrics.follow_log())
        archive = _archive(settings)
        try:
            await FolderStorage(settings.data).prepare()
        except StorageUnavailable as error:
            raise CannotStart(f"{error}; name a folder that you may write to with --data") from error
        try:
            await archive.prepare()
        except BadPlace as error:
            raise CannotStart(f"--archive: {error}") from error
        metrics.follow_disk(settings.data)
        url = settings.redis or await _embedded(stack, settings)
        try:
            store = Store(url, f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}", metrics)
        except ValueError as error:
            raise CannotStart(f"{url} is not a URL of a Redis: {error}") from error
        stack.push_async_callback(store.close)
        await store.connect()
        await _check_archive(archive, store, private=settings.redis is None and settings.archive is None)
        host = Host(store, archive, metrics, House(), Keep(settings.keep_days, settings.keep_records))
        tokens = Tokens(store, host.tasks)
        await host.prepare()
        stack.push_async_callback(host.leave, settings.grace)
        running = asyncio.create_task(host.run())
        stack.push_async_callback(cancel, running)
        health = HealthServicer()
        server = _server(host, settings, tokens, health, Callers(settings, metrics), connections)
        address = bind(server, settings.listen, shown, DEFAULT_LISTEN)
        if settings.metrics is not None:
            stack.callback(_metrics(settings.metrics, metrics))
        # Last of all that can fail: a token that was made is told.
        token = await tokens.organiser_token(renew=settings.new_organiser_token)
        arena_token = (
            None if settings.arena_token_file is None else await _arena_token(settings.arena_token_file, tokens)
        )
        await server.start()
        for name in ("", *_SERVICES):
            await health.set(name, health_pb2.HealthCheckResponse.SERVING)
        stack.push_async_callback(_stop, server, host, health, settings.grace)
        working = asyncio.create_task(serve_on(server, running))
        stack.push_async_callback(cancel, working)
        yield Running(host, address, token, arena_token, url, working)


def _kept_token(path: Path) -> str:
    """What a file of a token has; empty when there is none. Raises `CannotStart`."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise CannotStart(f"the arena's token cannot be read from {path}: {error}; name another file") from error


async def _arena_token(path: Path, tokens: Tokens) -> str | None:
    """A new token for an arena, unless a file has one that is valid. Raises `CannotStart`."""
    known = _kept_token(path)
    if known:
        with suppress(Refused):  # it was revoked, or is of another store
            if (await tokens.owner(known)).scope == Scope.ARENA:
                return None
    token, _ = await tokens.create(Owner(scope=Scope.ARENA, label=_ARENA_TOKEN))
    return token


def _archive(settings: Settings) -> Archive:
    """The archive that the settings name. Raises `CannotStart`."""
    folder = settings.data / "archive"
    if settings.archive is None:
        return Archive(folder)
    try:
        storage = storage_at(settings.archive)
    except BadPlace as error:
        raise CannotStart(f"--archive: {error}") from error
    return Archive(folder, storage) if isinstance(storage, UrlStorage) else Archive(Path(storage.where))


async def _check_archive(archive: Archive, store: Store, *, private: bool) -> None:
    """Refuses a folder in which this store's records are not: replicas would not find each other's matches."""
    mine = await archive.identity()
    proposed = mine or secrets.token_hex(8)
    known = await store.replicas.archive(proposed)
    if known != proposed and not private:
        for _ in range(_LOOKS):  # another replica may be giving the folder its name
            if await archive.identity() == known:
                return
            await asyncio.sleep(_LOOK_AGAIN)
        raise CannotStart(
            f"{archive.where} is not the archive of this store's records. Replicas need one: give all of them the same "
            "--data, on a disk that they share, or the same --archive. If this is the archive all the same, because "
            f"it was moved or lost, write {known} into {archive.identity_file}"
        )
    if mine != known:
        await archive.identify(known)


async def _embedded(stack: AsyncExitStack, settings: Settings) -> str:
    valkey = EmbeddedValkey(settings.data / "store", appendfsync=settings.appendfsync)
    await asyncio.to_thread(valkey.start)
    stack.push_async_callback(asyncio.to_thread, valkey.stop)
    watch = asyncio.create_task(_keep_alive(valkey))
    stack.push_async_callback(cancel, watch)
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


def _connections(files: int) -> int:
    """How many connections callers may have open together, in a process that may have this many files open.

    gRPC takes every connection that comes, and when there are no files left the service can neither read nor write.
    """
    connections = max(files - _OWN_FILES, files // 2)
    if files < _FEW_FILES:
        log.warning(
            "this process may have %d files open, so it accepts %d connections at once; raise the limit: "
            "`ulimit -n`, LimitNOFILE of systemd, or `ulimits: nofile` of a container",
            files, connections,
        )  # fmt: skip
    return connections


def _server(
    host: Host, settings: Settings, tokens: Tokens, health: HealthServicer, callers: Callers, connections: int
) -> aio.Server:
    door, bots = Doorkeeper(tokens, callers, host.live.delay.now), Bots(host.store)
    accounts, actions = Accounts(host.store, bots, tokens), Actions(host.store)
    limits = Limits(host.store, settings)
    streams = AccountStreams(limits)
    # Any more are closed as soon as they come.
    options = (*OPTIONS, ("grpc.max_allowed_incoming_connections", connections))
    server = listener([Guard(host.metrics, callers, door, actions)], options)
    catalog_pb2_grpc.add_CatalogServiceServicer_to_server(CatalogServicer(), server)
    accounts_pb2_grpc.add_AccountServiceServicer_to_server(
        AccountServicer(host, settings, accounts, bots, tokens, actions, door, limits, streams), server
    )
    bots_pb2_grpc.add_BotServiceServicer_to_server(BotServicer(host, limits, accounts, bots, tokens, door), server)
    matches_pb2_grpc.add_MatchServiceServicer_to_server(MatchServicer(host, limits, bots, door), server)
    play_pb2_grpc.add_PlayServiceServicer_to_server(PlayServicer(host, streams, door, callers), server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    add_reflection([*_SERVICES, "grpc.health.v1.Health"], server)
    return server


def _metrics(listen: str, metrics: Metrics) -> Callable[[], None]:
    try:
        return serve_metrics(listen, metrics.registry)
    except MetricsNotServed as error:
        raise CannotStart(str(error)) from error


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
    """Writes a new organiser's token where only its owner can read it. Raises `CannotStart`."""
    try:
        _write_secret(path, token)
    except OSError as error:
        raise CannotStart(
            f"the organiser's token cannot be written to {path}: {error.strerror}; name another file, and start with "
            "--new-organiser-token, since nobody has seen this one"
        ) from error


def write_arena_token(path: Path, token: str) -> None:
    """Writes a new arena's token where only its owner can read it. Raises `CannotStart`."""
    try:
        _write_secret(path, token)
    except OSError as error:
        raise CannotStart(
            f"the arena's token cannot be written to {path}: {error.strerror}; name another file"
        ) from error


def _write_secret(path: Path, token: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)  # a file that was there before may be open to others
        os.ftruncate(descriptor, 0)
        file.write(token + "\n")
