"""A standing arena: its store, its tournaments and its gRPC API, from start to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer

from fudaba.address import DEFAULT_ARENA
from fudaba.client import Endpoint
from fudaba.v1 import arena_pb2, arena_pb2_grpc
from fudaba_arena.api.actions import ActionLog
from fudaba_arena.api.awaited_entries import AwaitedEntries
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import ArenaHooks, Doorkeeper, Watching, refusal_for
from fudaba_arena.api.methods.announcement_methods import AnnouncementMethods
from fudaba_arena.api.methods.bot_log_methods import BotLogMethods
from fudaba_arena.api.methods.challenge_methods import ChallengeLimits, ChallengeMethods
from fudaba_arena.api.methods.disqualification_methods import DisqualificationMethods
from fudaba_arena.api.methods.entry_methods import EntryMethods
from fudaba_arena.api.methods.export_methods import ExportMethods
from fudaba_arena.api.methods.extension_methods import ExtensionMethods
from fudaba_arena.api.methods.kept_folder_methods import KeptFolderMethods
from fudaba_arena.api.methods.ladder_methods import LadderMethods
from fudaba_arena.api.methods.runtime_methods import RuntimeMethods
from fudaba_arena.api.methods.submission_methods import SubmissionMethods, UploadLimits
from fudaba_arena.api.methods.tournament_methods import TournamentMethods
from fudaba_arena.api.methods.worker_methods import WorkerMethods
from fudaba_arena.api.published import Published
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.api.servicer import arena_servicer
from fudaba_arena.api.settings import Settings
from fudaba_arena.api.streams import Streams
from fudaba_arena.api.token_owners import ServiceTokenOwners
from fudaba_arena.errors import Say
from fudaba_arena.ladder.rater import Rater
from fudaba_arena.limits import MEGABYTE
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.own_bots import BotProcesses
from fudaba_arena.play.challenges.challenge_scheduler import ChallengeScheduler
from fudaba_arena.play.service.one_service import OneService
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.standing_arena.season_mover import SeasonMover
from fudaba_arena.play.standing_arena.shown_authors import ShownAuthors
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.standing_by import StandingBy
from fudaba_arena.play.workers.block_queue import BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.play.workers.roll_call import RollCall
from fudaba_arena.programs.folder_transfer import FolderTransfer
from fudaba_arena.store.answers import StoreFull, StoreUnavailable
from fudaba_arena.store.data_folder import DataFolder, open_to_play, watch_settings
from fudaba_arena.store.store import Store
from fudaba_arena.store.submissions.submissions import Quota
from fudaba_arena.submissions.contents import KeptContents
from fudaba_arena.submissions.upkeep import Upkeep
from fudaba_arena.submissions.uploads import Uploads
from fudaba_arena.tournament.definition import BotEntry
from fudaba_serving.grpc.binding import bind, server_options
from fudaba_serving.grpc.certificate import Certificate
from fudaba_serving.grpc.certificate_health import tell_certificate
from fudaba_serving.grpc.client_errors import filter_client_errors
from fudaba_serving.grpc.guard import Guard
from fudaba_serving.grpc.hosts import CallerHosts
from fudaba_serving.grpc.listener import listener, serve_on
from fudaba_serving.grpc.rate_limit import Callers
from fudaba_serving.grpc.reflection import add_reflection
from fudaba_serving.process import open_files
from fudaba_serving.process.background import restarted
from fudaba_serving.process.memory import give_back
from fudaba_serving.process.metrics_server import serve_metrics

__all__ = ["RunningArena", "serve"]

_SERVICE: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].full_name
_RESTORED: Final = "fudaba.restored"
"""The health service's name for a restored backup: NOT_SERVING if the store is older than the service."""
_STANDBY: Final = "fudaba.standby"
"""The health service's name for standing by: NOT_SERVING if another arena on the same store plays."""
_MAX_CALLS: Final = 2_000
"""The number of calls and streams that may be open at once; more are refused with RESOURCE_EXHAUSTED."""
_STOP_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 1.0
_SHARED_LOGS: Final = "arena-bots"
_Task: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""A task that runs until it is cancelled."""


@final
class RunningArena:
    """A running arena."""

    def __init__(
        self,
        address: str,
        registry: TournamentRegistry,
        challenges: ChallengeScheduler,
        working: asyncio.Task[None],
        same_service: asyncio.Task[None],
    ) -> None:
        self.address = address
        """The address where it listens, with the real port."""
        self.registry = registry
        self._challenges = challenges
        self.working = working
        """Ends only by a fault; then the process must end too."""
        self.same_service = same_service
        """Ends only with the refusal of a store that is another service's; then the process must end too."""

    def hurry(self) -> None:
        """Stops without waiting for matches in play."""
        self.registry.hurry()
        self._challenges.hurry()


@asynccontextmanager
async def serve(settings: Settings, service: Endpoint, say: Say) -> AsyncIterator[RunningArena]:
    """Runs an arena until the context is left, then stops it in order. Raises `ArenaError`, `CannotStart` and related
    errors.
    """
    certificate = Certificate.of_files(settings.tls_cert, settings.tls_key)
    connections = open_files.for_connections(open_files.raise_limit())
    metrics = Metrics()
    async with AsyncExitStack() as stack:
        stack.callback(filter_client_errors())
        home = await stack.enter_async_context(
            open_to_play(settings.data, settings.redis, say, settings.archive, settings.accept_risk)
        )
        client = ServiceClient(service, say, lambda _: metrics.service_errors.inc())
        stack.push_async_callback(client.close)
        one_service = OneService(home, client, settings.service_id, say)
        checked = await one_service.checked()
        tokens = ServiceTokenOwners(service, lambda: home.store.service.taken)
        stack.push_async_callback(tokens.close)
        processes = BotProcesses(client, partial(_log_path, home), metrics, say)
        queue = BlockQueue(home.store.url) if settings.workers else None
        if queue is not None:
            stack.push_async_callback(queue.close)
        published = Published(Rater(), home.store.published)
        offers = Offers(home.store.workers)
        arena = ArenaResources(
            home, client, processes, metrics, say, published.rater.known, settings.grace_seconds, queue, offers
        )
        registry = TournamentRegistry(arena, settings.commands)
        challenges = ChallengeScheduler(arena, registry, settings.challenges_at_once)
        callers = Callers(settings, metrics, CallerHosts(settings.behind))
        door = Doorkeeper(tokens, callers)
        uploads = _uploads(settings, home, offers, metrics, say)
        stack.push_async_callback(uploads.close)
        streams, health, awaited = Streams(), HealthServicer(), AwaitedEntries(registry, Finder(registry), say)
        servicer = _servicer(
            settings, home.store, registry, door, published, streams, challenges, uploads, offers, awaited
        )
        guard = Guard(callers, door, _hooks(settings, door, home, metrics, say), refusal_for, metrics.refusals)
        server = _server(servicer, health, guard, connections)
        address = bind(server, settings.listen, _shown(certificate, metrics), DEFAULT_ARENA)
        if settings.metrics is not None:
            stack.callback(serve_metrics(settings.metrics, metrics.registry))
        if settings.workers:
            await _tell_workers(settings, home, say)
        await uploads.open()
        await registry.open()
        challenges.begin()
        await server.start()
        await _announce(health)
        roll = RollCall(home.store, offers, metrics, say, queue)
        counting = partial(_count, registry, metrics, roll, health, StandingBy(home, registry.unfinished, say))
        upkeep = _upkeep(
            settings, home, registry, metrics, say, partial(tell_certificate, health, certificate), published
        )
        beside = asyncio.create_task(
            _beside({"counts": counting, "uploads": uploads.run, "entries": awaited.run, **upkeep})
        )
        working = asyncio.create_task(serve_on(server, beside))
        same = asyncio.create_task(one_service.watch(checked=checked))
        stack.push_async_callback(_end, working, beside, same)
        stack.push_async_callback(server.stop, _STOP_SECONDS)
        stack.push_async_callback(_leave, registry, challenges, streams, health)
        yield RunningArena(address, registry, challenges, working, same)


def _shown(certificate: Certificate | None, metrics: Metrics) -> grpc.ServerCredentials | None:
    """Returns the credentials of a server with this certificate, and exports its metrics."""
    metrics.certificate.follow(certificate)
    return None if certificate is None else certificate.credentials()


def _log_path(home: DataFolder, bot: BotEntry) -> Path:
    return home.log_path(_SHARED_LOGS, f"{bot.bot}-{bot.version}")


def _submissions(settings: Settings, home: DataFolder) -> str:
    """Returns the place where submissions are kept."""
    return settings.submissions or str(home.folder / "submissions")


def _uploads(settings: Settings, home: DataFolder, offers: Offers, metrics: Metrics, say: Say) -> Uploads:
    upkeep = Upkeep(KeptContents(_submissions(settings, home)), home.store.content_uses)
    metrics.submissions.set_function(lambda: upkeep.total_bytes)
    checks = home.store.checks if settings.workers else None
    limits = settings.submission_limits
    kept, spool = home.store.submissions, home.folder / "spool"
    return Uploads(kept, spool, upkeep, limits, say, checks=checks, runtimes=offers)


async def _tell_workers(settings: Settings, home: DataFolder, say: Say) -> None:
    """Publishes to workers where submissions are kept, and what their builds may use."""
    with _as_before(say):
        await _note_settings(settings, home)


@contextmanager
def _as_before(say: Say) -> Iterator[None]:
    """Lets an arena start although its store is full. The store keeps what was written last."""
    try:
        yield
    except StoreFull as error:
        say(f"{error}; workers keep to the settings of the arena's last start until it is started again")


async def _note_settings(settings: Settings, home: DataFolder) -> None:
    await home.store.checks.set_place(settings.submissions if "://" in settings.submissions else "")
    most_bytes, most_ms = settings.upload_megabytes_per_day * MEGABYTE, settings.build_minutes_per_day * 60_000
    await home.store.build_use.set_quota(most_bytes, most_ms)


def _upload_limits(settings: Settings) -> UploadLimits:
    quota = Quota(settings.uploads_per_day, settings.upload_megabytes_per_day * MEGABYTE)
    return UploadLimits(quota, settings.upload_hours)


def _servicer(
    settings: Settings,
    store: Store,
    registry: TournamentRegistry,
    door: Doorkeeper,
    published: Published,
    streams: Streams,
    challenges: ChallengeScheduler,
    uploads: Uploads,
    offers: Offers,
    awaited: AwaitedEntries,
) -> arena_pb2_grpc.ArenaServiceServicer:
    """Assembles ArenaService from one part for each subject."""
    finder, ratings, frozen = Finder(registry), Ratings(published), FrozenSeasons(registry)
    of_others = Ratings(Published(Rater(), store.published, stores=False))
    limits = ChallengeLimits(settings.challenge_blocks_per_day, settings.challenge_hours)
    return arena_servicer(
        TournamentMethods(registry, door, finder, ratings, of_others, frozen, streams),
        ExportMethods(registry, door, finder, frozen, streams),
        LadderMethods(registry, door, finder, frozen, streams),
        EntryMethods(registry, door, finder, awaited, frozen),
        DisqualificationMethods(registry, door, finder, ratings),
        ExtensionMethods(registry, door, finder),
        AnnouncementMethods(store.announcements, finder),
        ChallengeMethods(registry, door, finder, challenges, limits, frozen),
        SubmissionMethods(door, finder, uploads, _upload_limits(settings)),
        BotLogMethods(registry, door, finder, frozen),
        KeptFolderMethods(store, door, finder),
        RuntimeMethods(offers, store.workers),
        WorkerMethods(store),
    )


def _server(
    servicer: arena_pb2_grpc.ArenaServiceServicer, health: HealthServicer, guard: Guard, connections: int
) -> aio.Server:
    server = listener([guard], server_options(connections), _MAX_CALLS)
    arena_pb2_grpc.add_ArenaServiceServicer_to_server(servicer, server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    add_reflection([_SERVICE, "grpc.health.v1.Health"], server)
    return server


def _hooks(settings: Settings, door: Doorkeeper, home: DataFolder, metrics: Metrics, say: Say) -> ArenaHooks:
    watching = Watching(settings.streams_per_host, metrics.watchers.inc)
    return ArenaHooks(door, metrics, watching, ActionLog(home.store.actions, metrics, say))


async def _announce(health: HealthServicer) -> None:
    for name in ("", _SERVICE):
        await health.set(name, health_pb2.HealthCheckResponse.SERVING)


def _upkeep(
    settings: Settings,
    home: DataFolder,
    registry: TournamentRegistry,
    metrics: Metrics,
    say: Say,
    certificate: _Task,
    published: Published,
) -> dict[str, _Task]:
    """Returns the tasks, by name, that maintain memory, names, stored seasons, kept folders, the store, the
    certificate and published ratings, and that follow the service's maintenance.
    """
    mover = SeasonMover(registry, home.store, settings.archive_after, say, metrics.archive_failures.inc)
    folders = FolderTransfer(_submissions(settings, home), home.store.kept_folders)
    return {
        "memory": give_back,
        "shown authors": ShownAuthors(registry).watch,
        "seasons that are over": mover.run,
        "kept folders": partial(folders.run, say),
        "settings of the store": partial(watch_settings, home.store),
        "certificate": certificate,
        "published ratings": partial(published.run, registry.known_states),
        "maintenance of the service": partial(registry.service.watch_maintenance, say),
    }


async def _beside(work: Mapping[str, _Task]) -> None:
    """Runs the background tasks until cancelled; restarts one that fails."""
    async with asyncio.TaskGroup() as group:
        for name, task in work.items():
            group.create_task(restarted(name, task))


async def _count(
    registry: TournamentRegistry, metrics: Metrics, roll: RollCall, health: HealthServicer, standing_by: StandingBy
) -> None:
    """Finds what other arenas on the store have begun. Counts the tournaments by state, and the workers.

    Reports whether a backup was restored, and whether this arena stands by.
    """
    while True:
        await roll.call()
        with suppress(StoreUnavailable):  # the tournaments report that the store is away
            await registry.find_new()
        for state, number in registry.states().items():
            metrics.tournaments.labels(state).set(number)
        answers = health_pb2.HealthCheckResponse
        await health.set(_RESTORED, answers.NOT_SERVING if registry.is_restored else answers.SERVING)
        await standing_by.refresh()
        await health.set(_STANDBY, answers.NOT_SERVING if standing_by.stands_by else answers.SERVING)
        await asyncio.sleep(_POLL_SECONDS)


async def _leave(
    registry: TournamentRegistry, challenges: ChallengeScheduler, streams: Streams, health: HealthServicer
) -> None:
    """Stops playing. Standings stay readable until the last match in play has ended, but no new clients are sent
    here.
    """
    await health.enter_graceful_shutdown()
    streams.end()
    await asyncio.gather(registry.leave(), challenges.leave())


async def _end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
