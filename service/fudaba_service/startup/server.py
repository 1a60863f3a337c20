"""A whole service process: store, sessions, API and metrics, from start to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, final

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from prometheus_client import CollectorRegistry

from fudaba.codec import codec
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
from fudaba_games.registry import GAMES, game
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.actions import OrganiserActions
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.api.accounts import AccountServicer
from fudaba_service.api.bots import BotServicer
from fudaba_service.api.catalog import CatalogServicer
from fudaba_service.api.guard import Doorkeeper, ServiceHooks, refusal_for
from fudaba_service.api.matches import MatchServicer
from fudaba_service.api.play import PlayServicer
from fudaba_service.api.quota import AccountStreams
from fudaba_service.api.seat_connections import SeatsAlone
from fudaba_service.api.watch_limits import Watchers
from fudaba_service.house.seats import House
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.retention import Keep
from fudaba_service.sessions.snapshot import release
from fudaba_service.settings import DEFAULT_LISTEN, SEATS_EXAMPLE, Settings
from fudaba_service.startup.health import tell_store
from fudaba_service.startup.stores import open_stores
from fudaba_service.startup.tokens import NewTokens, make_tokens
from fudaba_serving.grpc.binding import CannotStart, bind, server_options
from fudaba_serving.grpc.certificate import Certificate, credentials
from fudaba_serving.grpc.certificate_health import tell_certificate
from fudaba_serving.grpc.client_errors import filter_client_errors
from fudaba_serving.grpc.guard import Guard
from fudaba_serving.grpc.hosts import CallerHosts
from fudaba_serving.grpc.listener import listener, serve_on
from fudaba_serving.grpc.rate_limit import Callers
from fudaba_serving.grpc.reflection import add_reflection
from fudaba_serving.process import open_files
from fudaba_serving.process.background import restarted
from fudaba_serving.process.metrics_server import MetricsNotServed, serve_metrics
from fudaba_serving.process.tasks import cancel

__all__ = ["CannotStart", "RunningService", "serve"]

log = logging.getLogger(__name__)

_SERVICES: Final = tuple(
    service.full_name
    for module in (catalog_pb2, accounts_pb2, bots_pb2, matches_pb2, play_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
)


@final
@dataclass(frozen=True, slots=True)
class RunningService:
    """A running service."""

    address: str
    """The address where it listens, with the real port."""
    made: NewTokens
    """The tokens made at this start."""
    working: asyncio.Task[None]
    """The task that keeps the sessions going and listens. It ends only by a fault; then the process must end too."""
    registry: CollectorRegistry
    """The metrics of this process."""
    redis_url: str


def _load_games(names: Sequence[str]) -> None:
    """Loads the rules of these games, or of all if none is named, so that no match waits for them."""
    for name in names or GAMES:
        game(name)
        codec(name)
    if not names:  # else it serves for a moment
        release()


@asynccontextmanager
async def serve(
    settings: Settings, hurry: asyncio.Event, joins: Callable[[], Awaitable[None]] | None = None, store_id: str = ""
) -> AsyncIterator[RunningService]:
    """Runs a service until the context is left; then it stops gracefully, or once `hurry` is set without waiting.

    Raises `CannotStart` and related errors. With `joins` it is one of several that share a port; it awaits `joins`
    after its slow preparations. `store_id` is the id of the others' store; empty to ask the store itself.
    """
    certificate = Certificate.of_files(settings.tls_cert, settings.tls_key)
    ports = 1 if settings.seats_listen is None else 2
    connections = open_files.for_connections(open_files.raise_limit(), ports)
    _load_games(settings.load_games)
    metrics, house = Metrics(), House()
    async with AsyncExitStack() as stack:
        if settings.load_games:  # somebody waits for the only matches of this service
            house.start_ahead()
            stack.callback(house.close)
        stack.callback(filter_client_errors())
        stack.callback(metrics.follow_log())
        opened = await open_stores(stack, settings, metrics, store_id)
        store = opened.store
        metrics.follow_disk(settings.data)
        if settings.backup_stamp is not None:
            metrics.follow_backups(settings.backup_stamp, store.service_id)
        metrics.certificate.follow(certificate)
        host = Host(store, opened.archive, metrics, house, Keep(settings.keep_days, settings.keep_records))
        tokens = Tokens(store, host.tasks)
        if joins is not None:
            await joins()  # before it counts as one that is there: outages end when bots can connect
        await host.prepare()
        stack.push_async_callback(host.leave, settings.grace_seconds)
        running = asyncio.create_task(host.run())
        stack.push_async_callback(cancel, running)
        health = HealthServicer()
        callers = Callers(settings, metrics, CallerHosts(settings.behind))
        servers = _servers(host, settings, tokens, health, callers, _options(connections, shared=joins is not None))
        shown = None if certificate is None else certificate.credentials()
        address = bind(servers[0], settings.listen, shown, DEFAULT_LISTEN)
        if settings.seats_listen is not None:
            # Credentials are for one port: each reads the certificate anew when it has changed.
            bind(servers[1], settings.seats_listen, credentials(settings.tls_cert, settings.tls_key), SEATS_EXAMPLE)
        if settings.metrics is not None:
            stack.callback(_metrics(settings.metrics, metrics))
        # Last of all that can fail: a token that was made is told.
        made = await make_tokens(settings, tokens)
        for server in servers:
            await server.start()
        await _announce(health)
        watched = partial(tell_store, health, store, host.maintenance, ("", *_SERVICES))
        telling = asyncio.create_task(restarted("store_health", watched, lambda: metrics.task_error("store_health")))
        stack.push_async_callback(cancel, telling)
        reporting = asyncio.create_task(restarted("certificate", partial(tell_certificate, health, certificate)))
        stack.push_async_callback(cancel, reporting)
        stack.push_async_callback(_stop, servers, host, health, settings.grace_seconds, hurry)
        working = running
        for server in servers:
            working = asyncio.create_task(serve_on(server, working))
            stack.push_async_callback(cancel, working)
        yield RunningService(address, made, working, metrics.registry, opened.redis_url)


def _options(connections: int, *, shared: bool) -> tuple[tuple[str, Any], ...]:
    """Returns gRPC's options for a port with this many connections, which may be `shared` with other processes."""
    options = dict(server_options(connections))
    if shared:
        options["grpc.so_reuseport"] = 1
    return tuple(options.items())


async def _announce(health: HealthServicer) -> None:
    """Reports every service as serving."""
    for name in ("", *_SERVICES):
        await health.set(name, health_pb2.HealthCheckResponse.SERVING)


def _servers(
    host: Host,
    settings: Settings,
    tokens: Tokens,
    health: HealthServicer,
    callers: Callers,
    options: Sequence[tuple[str, Any]],
) -> list[aio.Server]:
    """Returns the server, and that of the port for seats only if there is one: the same services behind different
    ports.
    """
    door, bots = Doorkeeper(tokens, callers, host.live.delay.now), Bots(host.store)
    accounts, actions = Accounts(host.store, bots, tokens), OrganiserActions(host.store)
    limits = Limits(host.store, settings)
    streams, watchers = AccountStreams(limits), Watchers(settings)
    guard = Guard(callers, door, ServiceHooks(door, actions, host.store.turns), refusal_for, host.metrics.refusals)
    catalog = CatalogServicer(host, settings)
    account = AccountServicer(host, settings, accounts, bots, tokens, actions, door, limits, streams)
    bot = BotServicer(host, limits, accounts, bots, tokens, door)
    match = MatchServicer(host, limits, bots, door, watchers)
    play = PlayServicer(host, streams, door, callers, watchers)
    servers = [listener([guard], options)]
    if settings.seats_listen is not None:
        servers.append(listener([SeatsAlone(), guard], options))
    for server in servers:
        catalog_pb2_grpc.add_CatalogServiceServicer_to_server(catalog, server)
        accounts_pb2_grpc.add_AccountServiceServicer_to_server(account, server)
        bots_pb2_grpc.add_BotServiceServicer_to_server(bot, server)
        matches_pb2_grpc.add_MatchServiceServicer_to_server(match, server)
        play_pb2_grpc.add_PlayServiceServicer_to_server(play, server)
        health_pb2_grpc.add_HealthServicer_to_server(health, server)
        add_reflection([*_SERVICES, "grpc.health.v1.Health"], server)
    return servers


def _metrics(listen: str, metrics: Metrics) -> Callable[[], None]:
    try:
        return serve_metrics(listen, metrics.registry)
    except MetricsNotServed as error:
        raise CannotStart(str(error)) from error


async def _stop(
    servers: Sequence[aio.Server], host: Host, health: HealthServicer, seconds: float, hurry: asyncio.Event
) -> None:
    await health.enter_graceful_shutdown()
    host.roster.end_streams(Refused(errors_pb2.REASON_SHUTTING_DOWN, "the service is stopping; connect again"))
    hurried = asyncio.create_task(hurry.wait())
    stopping = asyncio.ensure_future(asyncio.gather(*(server.stop(seconds) for server in servers)))
    settling = asyncio.create_task(_settle(stopping, host))
    try:
        await asyncio.wait((hurried, stopping), return_when=asyncio.FIRST_COMPLETED)
        if not stopping.done():
            await asyncio.gather(*(server.stop(None) for server in servers))
        await stopping
        await asyncio.wait((hurried, settling), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if settling.done():
            settling.result()
        else:
            log.warning("stopped with changes still in flight; their callers try them again")
    finally:
        await cancel(hurried, settling)
        await host.close()


async def _settle(stopping: asyncio.Future[Any], host: Host) -> None:
    await asyncio.wait((stopping,))
    await host.settle_down()
