"""Plays submitted bots' seats, each in a sandbox. It resigns for a bot that cannot be kept running."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Final, final

from fudaba.bot_program import BotLog
from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.match_play import Seating
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.building import OVER
from fudaba_arena.programs.explanations import describe_figures
from fudaba_arena.programs.folder_transfer import FolderTransfer, Held
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.match_log import own_line
from fudaba_arena.programs.program import program_of
from fudaba_arena.programs.reading_runtimes import why_broken
from fudaba_arena.programs.runtimes import Runtimes
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.sandbox.cores import Cores
from fudaba_arena.sandbox.sandbox import Cause, Ending, Sandbox
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.bots.bot_logs import KeptLog
from fudaba_arena.store.bots.kept_folders import FolderOwner
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.workers.starved import why_starved

__all__ = ["SubmittedBots"]

CPU: Final = "cpu"
LIMIT: Final = "limit"
CRASHED: Final = "crashed"
_MIN_CONNECT_SHARE: Final = 0.5
"""The share of the time to connect below which a bot is not to blame for being late."""
_LEARNING_GRACE_SECONDS: Final = 5.0
"""The time for which a bot with a kept folder may run on after its match, to write what it has learnt."""
_FORFEITS: Final = {
    record_pb2.FORFEIT_CAUSE_RESIGNED: "it resigned",
    record_pb2.FORFEIT_CAUSE_TIMEOUTS: "its time ran out too often",
    record_pb2.FORFEIT_CAUSE_ILLEGAL: "too many of its answers were refused",
}
"""The ways in which a bot loses by its own fault, in words."""
_GIVEN_UP: Final = {
    CPU: "it used up its processor time",
    LIMIT: "it went over a limit of its sandbox",
    CRASHED: "its program ended again and again",
}
"""The reasons why a worker resigns for a bot, in words."""


@final
class SubmittedBots:
    """The submitted bots of one worker."""

    def __init__(
        self,
        sandbox: Sandbox,
        service: ServiceClient,
        store: Store,
        folders: Folders,
        keeping: FolderTransfer,
        runtimes: Runtimes,
        cores: Cores,
        say: Say,
    ) -> None:
        self._sandbox = sandbox
        self._service = service
        self._store = store
        self._folders = folders
        self._keeping = keeping
        self._runtimes = runtimes
        self._cores = cores
        self._say = say
        self.broken: Callable[[str, Callable[[], Awaitable[str]]], None] = lambda _, __: None
        """The callback for the reason why this host cannot run bots; it also gets a check of whether it still
        cannot."""

    @asynccontextmanager
    async def playing(
        self, spec: BlockSpec, bot: BotEntry, token: str, match_id: str, log: BotLog, seating: Seating, seat: int
    ) -> AsyncIterator[None]:
        """Plays a seat with a bot until the context is left; then `seating` has its use.

        Raises `ArenaError` for a bot that this worker cannot run.
        """
        program = await program_of(self._store, bot.submission)
        runtime = self._runtimes.for_manifest(program.manifest)
        own = spec.limits.for_ram(program.manifest.ram_mb)
        async with AsyncExitStack() as stack:
            try:
                folder = await stack.enter_async_context(self._folders.using(program, runtime))
            except OSError as error:
                raise ArenaError(f"the files of {bot.name} cannot be unpacked here: {error}") from error
            held = await stack.enter_async_context(self._held(bot, match_id, lasts=spec.rated))
            with self._cores.taken(own.cores) as cores:
                kept, ponder = held.kept if held is not None else None, spec.limits.ponder
                sandbox, endpoint = self._sandbox, self._service.endpoint
                run = SeatRun(sandbox, endpoint, program, runtime, folder, own, log, cores, kept, ponder=ponder)
                task = asyncio.create_task(self._run(bot, run, token, match_id, seating))
                summary, kept_log, match, record = "", KeptLog(match_id, 0), None, None
                began = ended = time.monotonic()
                try:
                    yield
                    ended = time.monotonic()
                    run.match_over()
                    if held is not None:
                        await asyncio.wait([task], timeout=_LEARNING_GRACE_SECONDS)
                    match = await self._service.match(match_id)
                    self._note_kept_away(match, bot, run, seating, seat, ended, spec.connect_seconds)
                    kept_log = self._ended(bot, match_id, match, seating.given_up)
                    record = await self._record(bot, match_id)
                    summary = own_line(kept_log.ending)
                finally:
                    task.cancel()
                    await asyncio.wait([task])
                    seating.used.append(run.seat_use(seat))
                    if held is not None and (why := await self._given_back(held)):
                        summary = own_line(why) + summary
                    if why := why_starved(match, record, seat, run.waits.lost, run.used.cpu, began, ended):
                        seating.starved = f"bot {bot.name} did not get its share of a core: {why}"
                        self._say(f"{seating.starved}; the block of {match_id} is void")
                        summary = own_line(f"{why}; so its block is void, and played again") + summary
                    if record is not None:
                        summary = own_line(describe_figures(record, seat, run.used.cpu)) + summary
                    await self._keep_log(bot, kept_log, run.said + summary)

    def _note_kept_away(
        self,
        match: matches_pb2.Match | None,
        bot: BotEntry,
        run: SeatRun,
        seating: Seating,
        seat: int,
        ended: float,
        connect_seconds: int,
    ) -> None:
        """Notes that a bot could not connect because this host, or whatever runs its programs, kept it away for too
        long.
        """
        if match is None or match.end.abort_cause != record_pb2.ABORT_CAUSE_NO_SHOW:
            return
        if seat in match.end.absent_seats and (why := run.why_kept_away(ended, _MIN_CONNECT_SHARE * connect_seconds)):
            seating.host_fault = why
            self._say(f"bot {bot.name} could not connect in {match.header.match_id}, by a fault of this host: {why}")

    @asynccontextmanager
    async def _held(self, bot: BotEntry, match_id: str, *, lasts: bool) -> AsyncIterator[Held | None]:
        """Fetches a bot's kept files for a match. Yields None for a bot that keeps nothing."""
        if not bot.keeps:
            yield None
            return
        if self._sandbox.isolated and "kept" not in self._sandbox.enforces:
            raise ArenaError(f"bot {bot.name} remembers, and the sandbox of this worker has no folder that lives on")
        whose = FolderOwner(bot.keeps, bot.bot, bot.version)
        with self._folders.scratch() as scratch:
            try:
                held = await self._keeping.take(whose, match_id, scratch, lasts=lasts)
            except OSError as error:
                raise ArenaError(f"what {bot.name} keeps cannot be unpacked here: {error}") from error
            yield held

    async def _given_back(self, held: Held) -> str:
        """Stores what a bot has left. Returns, for its author, why that failed, or nothing. A match counts in either
        case.
        """
        try:
            return await self._keeping.give_back(held)
        except (ArenaError, StoreUnavailable, OSError) as error:
            self._say(f"what {held.whose.bot} wrote to its folder in {held.match.partition(' ')[0]} is lost: {error}")
            return "what it wrote to its folder is lost, by a fault of the arena's; the folder is as it was"

    async def _record(self, bot: BotEntry, match_id: str) -> record_pb2.MatchRecord | None:
        """Returns the record of a finished match, for the figures in its log; None if it is unavailable."""
        try:
            return await self._service.record(match_id)
        except ServiceError as error:
            self._say(f"the log of bot {bot.name} in {match_id} has no figures: {error}")
            return None

    @staticmethod
    def _ended(bot: BotEntry, match_id: str, match: matches_pb2.Match | None, given_up: dict[str, str]) -> KeptLog:
        """Returns for its author how a finished match ended for a bot, and against whom."""
        players = [(player.bot, player.version) for player in match.header.players] if match is not None else []
        opponents = [f"{name}@{version}" for name, version in players if (name, version) != (bot.bot, bot.version)]
        if match is None or not match.end.HasField("outcome"):
            return KeptLog(match_id, 0, opponents, "the match has no result")
        summary = SubmittedBots._how(bot, match, players.index((bot.bot, bot.version)), given_up)
        return KeptLog(match_id, 0, opponents, summary)

    @staticmethod
    def _how(bot: BotEntry, match: matches_pb2.Match, seat: int, given_up: dict[str, str]) -> str:
        if match.end.HasField("forfeited_seat") and match.end.forfeited_seat == seat:
            own = _FORFEITS.get(match.end.forfeit_cause, "it forfeited")
            return f"it lost the match: {_GIVEN_UP.get(given_up.get(bot.name, ''), own)}"
        return f"the match is over: score {match.end.outcome.scores[seat]:+d}"

    async def _keep_log(self, bot: BotEntry, kept: KeptLog, said: str) -> None:
        """Stores a bot's output for its author. A match counts even if this fails."""
        try:
            now_ms = time.time_ns() // 1_000_000
            await self._store.bot_logs.keep(bot.bot, bot.version, replace(kept, at_ms=now_ms), said)
        except StoreUnavailable as error:
            self._say(f"what bot {bot.name} said in {kept.match_id} is not kept: {error}")

    async def _run(self, bot: BotEntry, run: SeatRun, token: str, match_id: str, seating: Seating) -> None:
        works = partial(why_broken, self._sandbox, run.runtime)
        try:
            ending = await run.run(token)
        except (ArenaError, OSError) as error:
            await self._host_failed(bot, match_id, seating, str(error))
            if why := await works():
                self.broken(why, works)
            return
        if run.over:
            return
        # A bot that ends has played in its check: perhaps it is the host that cannot run it any more.
        if _cause(ending) == CRASHED and (why := await works()):
            await self._host_failed(bot, match_id, seating, why)
            self.broken(why, works)
            return
        seating.given_up[bot.name] = _cause(ending)
        try:
            await self._service.resign(match_id, token)
        except ServiceError as error:  # the bot's time then runs out
            self._say(f"nobody can resign for bot {bot.name} in {match_id}: {error}")

    async def _host_failed(self, bot: BotEntry, match_id: str, seating: Seating, why: str) -> None:
        """Notes the host's fault: the match is played again, here or elsewhere."""
        seating.host_fault = why
        self._say(f"bot {bot.name} cannot be run in {match_id}, which is the fault of this host: {why}")
        await self._service.abort(match_id, "a worker cannot run a bot of it")


def _cause(ending: Ending) -> str:
    """Returns why a bot is given up, as a result's cause."""
    if ending.cause is Cause.CPU:
        return CPU
    return LIMIT if ending.cause in OVER else CRASHED
