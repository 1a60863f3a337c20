"""The arena's own bots: each version is one process with its own token, whatever it plays in."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, final

from fudaba.bot_program import BotLog
from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.bot_process import BotProcess, environment
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.tournament.definition import BotEntry, Tournament

__all__ = ["BotProcesses", "OwnBots"]

_LEAVE_TIMEOUT_SECONDS: Final = 5.0
_HOST_HAS_NONE_LEFT: Final = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC}
"""The errors of a host without a free file, memory or process: it may have some again."""
_HOST_RETRY_SECONDS: Final = 5.0

Gone = Callable[[str, str], None]
"""A callback that receives a bot that cannot be kept running, and the reason."""


@final
@dataclass(slots=True, eq=False)
class _Kept:
    """A process that runs as long as a tournament needs it."""

    process: BotProcess
    given_up: asyncio.Task[str]
    """A future with the reason why the process is given up."""
    users: int = field(default=0)


@final
class BotProcesses:
    """The processes of the bots that an arena starts. There is one for each version, since a version has one valid
    token.
    """

    def __init__(
        self, service: ServiceClient, log_path: Callable[[BotEntry], Path], metrics: Metrics, say: Say
    ) -> None:
        self._service = service
        self._log_path = log_path
        self._metrics = metrics
        self._say = say
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._changing = asyncio.Lock()

    async def take(self, bot: BotEntry) -> _Kept:
        """Keeps a bot running until it is given back. Raises `ArenaError` if its version is now another program."""
        async with self._changing:
            kept = self._kept.get((bot.bot, bot.version))
            if kept is not None and _program(kept.process.bot) != _program(bot):
                raise ArenaError(
                    f"bot {bot.bot}, version {bot.version}, is another program in a tournament that is played now;"
                    " another program is another version"
                )
            if kept is None or kept.given_up.done():
                kept = await self._start(bot)
                self._kept[bot.bot, bot.version] = kept
            kept.users += 1
            return kept

    async def give_back(self, kept: _Kept) -> None:
        """Ends a process that is no longer needed, and revokes its token if the service can be reached."""
        async with self._changing:
            kept.users -= 1
            if kept.users:
                return
            bot = kept.process.bot
            kept.given_up.cancel()
            await asyncio.wait([kept.given_up])
            if self._kept.get((bot.bot, bot.version)) is not kept:
                return  # another one was started since, and has the token
            del self._kept[bot.bot, bot.version]
            try:
                async with asyncio.timeout(_LEAVE_TIMEOUT_SECONDS):
                    await self._service.revoke(bot.bot, bot.version)
            except (TimeoutError, ServiceError):
                return  # it ends at the next start at the latest

    async def _start(self, bot: BotEntry) -> _Kept:
        token = await self._service.new_token(bot.bot, bot.version)
        env = environment(os.environ, bot, self._service.endpoint, token)
        process = BotProcess(bot, env, BotLog(self._log_path(bot)), self._say, self._metrics.restarts.inc)
        return _Kept(process, asyncio.create_task(_keep(process, self._say)))


async def _keep(process: BotProcess, say: Say) -> str:
    """Runs a bot until it is given up; returns the reason. Where the host has nothing left for it, the bot waits."""
    try:
        while True:
            try:
                return await process.run()
            except OSError as error:
                if error.errno not in _HOST_HAS_NONE_LEFT:
                    return f"it cannot be started: {error}"
                say(f"bot {process.bot.name} cannot be started by a fault of this host: {error}; trying again")
            await asyncio.sleep(_HOST_RETRY_SECONDS)
    finally:
        process.log.close()


def _program(bot: BotEntry) -> tuple[object, ...]:
    return bot.builtin, bot.command, dict(bot.env), bot.cwd if bot.command else None


@final
class OwnBots:
    """The bots of one tournament that the arena itself starts."""

    def __init__(self, tournament: Tournament, processes: BotProcesses) -> None:
        self._tournament = tournament
        self._processes = processes
        self._kept: dict[str, _Kept] = {}

    async def start(self, withdrawn: Callable[[str], bool], gone: Gone, spawn: Callable[..., Any]) -> None:
        """Starts the arena's own bots, each watched by a task made with `spawn`."""
        for bot in self._tournament.bots:
            if bot.remote or withdrawn(bot.name):
                continue
            plays = tuple(game.game for game in self._tournament.games if bot.plays(game.game))
            self._kept[bot.name] = kept = await self._processes.take(replace(bot, games=plays))
            spawn(self._watch(bot.name, kept, gone))

    async def _watch(self, bot: str, kept: _Kept, gone: Gone) -> None:
        await asyncio.wait([kept.given_up])
        if not kept.given_up.cancelled():
            gone(bot, kept.given_up.result())

    def played(self, bot: str) -> None:
        """Notes that a bot has played a match to its end."""
        kept = self._kept.get(bot)
        if kept is not None:
            kept.process.played()

    def last_words(self, bot: str) -> str:
        """Returns the last words of an arena's own bot; empty for others."""
        kept = self._kept.get(bot)
        return f"; {kept.process.log.last_lines()}" if kept is not None else ""

    async def leave(self) -> None:
        """Gives up all of these bots."""
        while self._kept:
            _, kept = self._kept.popitem()
            await self._processes.give_back(kept)
