"""The arena's own bots of a run: started with tokens of their own, and kept running."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, Final, final

from fudaba.errors import ServiceError
from fudaba_arena.bot_process import BotLog, BotProcess, environment
from fudaba_arena.errors import Say
from fudaba_arena.home import Home
from fudaba_arena.link import Link
from fudaba_arena.metrics import Metrics
from fudaba_arena.tournament import Tournament

__all__ = ["Field"]

_LEAVE_SECONDS: Final = 5.0

Gone = Callable[[str, str], Coroutine[Any, Any, None]]
"""Takes a bot that cannot be kept running, and why."""


@final
class Field:
    """All bots of a tournament."""

    def __init__(self, tournament: Tournament, home: Home, link: Link, metrics: Metrics, say: Say) -> None:
        self._tournament = tournament
        self._home = home
        self._link = link
        self._metrics = metrics
        self._say = say
        self._processes: dict[str, BotProcess] = {}

    async def start(self, withdrawn: Callable[[str], bool], gone: Gone, spawn: Callable[..., Any]) -> None:
        """Starts the arena's own bots, each kept running by a task made with `spawn`."""
        for bot in self._tournament.bots:
            if bot.remote or withdrawn(bot.name):
                continue
            token = await self._link.new_token(bot.name, bot.version)
            env = environment(os.environ, bot, self._link.endpoint, token)
            log = BotLog(self._home.log_path(self._tournament.name, bot.name))
            process = BotProcess(bot, env, log, self._say, self._metrics.restarts.inc)
            self._processes[bot.name] = process
            spawn(self._keep(process, gone))

    async def _keep(self, process: BotProcess, gone: Gone) -> None:
        try:
            why = await process.run()
            await gone(process.bot.name, why)
        except OSError as error:
            await gone(process.bot.name, f"it cannot be started: {error}")
        finally:
            process.log.close()

    def played(self, bot: str) -> None:
        """A bot has played a match to its end."""
        process = self._processes.get(bot)
        if process is not None:
            process.played()

    def last_words(self, bot: str) -> str:
        """What a bot of the arena's own last said; empty for others."""
        process = self._processes.get(bot)
        return f"; {process.log.last_lines()}" if process is not None else ""

    async def leave(self) -> None:
        """Ends the tokens of the arena's own bots, if the service can be reached."""
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                for name in self._processes:
                    await self._link.revoke(name, self._tournament.bot(name).version)
        except (TimeoutError, ServiceError):
            return  # they end at the next start at the latest
