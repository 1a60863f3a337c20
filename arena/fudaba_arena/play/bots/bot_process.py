"""A bot's process: starts it, keeps its output, restarts it when it ends, and ends it with the arena."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final, final

from fudaba import bot_program
from fudaba.bot_program import BotLog, BotProgram, command_line
from fudaba.client import Endpoint
from fudaba.tether import how_ended
from fudaba_arena.errors import Say
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["BotProcess", "command_of", "environment"]

_MAX_STARTS: Final = 5
"""The number of ends without a match played after which a bot is given up."""
_FIRST_PAUSE_SECONDS: Final = 0.25
_MAX_PAUSE_SECONDS: Final = 10.0
_MAX_LINE_CHARS: Final = 400


def command_of(bot: BotEntry) -> list[str]:
    """Returns the command that runs a bot. `python` is the interpreter of the arena."""
    if bot.builtin:
        games = ["--games", ",".join(bot.games)] if bot.games else []
        return [sys.executable, "-c", "from fudaba.cli import main; main()", "bot", "run", bot.builtin, *games]
    return command_line(bot.command)


def environment(base: Mapping[str, str], bot: BotEntry, endpoint: Endpoint, token: str) -> dict[str, str]:
    """Returns the environment of a bot's process: the service's address and the bot's own token, never the
    organiser's.
    """
    return bot_program.environment(base, endpoint, token) | dict(bot.env)


@final
class BotProcess:
    """Keeps one bot running. `run` returns the reason when it gives up.

    A bot for a single match may end with status 0. Then its match is over, and `run` waits to be cancelled.
    """

    def __init__(
        self,
        bot: BotEntry,
        env: Mapping[str, str],
        log: BotLog,
        say: Say,
        restarted: Callable[[], None] = lambda: None,
        *,
        single_match: bool = False,
    ) -> None:
        self.bot = bot
        self._single_match = single_match
        self._env = env
        self._log = log
        self._say = say
        self._restarted = restarted
        self._ends = 0
        self.first_pause = _FIRST_PAUSE_SECONDS
        """The seconds before the first restart. Each further pause is twice as long."""

    @property
    def log(self) -> BotLog:
        """The log of its output."""
        return self._log

    def played(self) -> None:
        """Notes that it has played a match. Earlier ends no longer count."""
        self._ends = 0

    async def run(self) -> str:
        """Runs it until cancelled. Returns the reason if it gives up."""
        while True:
            began = time.monotonic()
            status = await self._once()
            if self._single_match and status == 0:
                await asyncio.Event().wait()
            self._ends += 1
            ending = f"ended with {how_ended(status)} after {time.monotonic() - began:.1f} s"
            self._log.note(f"{self.bot.name} {ending}")
            if self._ends >= _MAX_STARTS:
                return f"it {ending}, for the {self._ends}th time without playing; {self._log.last_lines()}"
            if self._ends == 1:
                self._say(f"bot {self.bot.name} {ending} and is started again; {self._log.last_lines()}")
            await asyncio.sleep(min(_MAX_PAUSE_SECONDS, self.first_pause * 2 ** (self._ends - 1)))
            self._restarted()

    async def _once(self) -> int:
        """Runs one process to its end. Returns its exit status."""
        command = command_of(self.bot)
        self._log.forget()
        self._log.note(f"starting {' '.join(command)[:_MAX_LINE_CHARS]}")
        return await BotProgram(command, self._log, cwd=self.bot.cwd, env=self._env).run()
