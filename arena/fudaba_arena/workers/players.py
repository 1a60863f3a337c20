"""The bots that a worker starts. Each has a token for one seat of one match, and never the worker's own.

A submitted bot, or one given as a command, is started afresh for each match. Built-in bots keep nothing between
matches, and starting a process takes longer than many a match: so a few processes play all seats of a kind.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, final

from fudaba.bot_program import BotLog
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.bot_process import BotProcess, environment
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.match_play import Seating
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.workers.built_in import BuiltIn
from fudaba_arena.workers.logs import Logs
from fudaba_arena.workers.submitted_bots import SubmittedBots

__all__ = ["Players"]

_MAX_BOTS_REMEMBERED: Final = 1_000
"""The number of bots whose last words are remembered. Few are ever requested."""
_CORES: Final = os.cpu_count() or 1
_NOTHING: Final = sys.executable, "-I", "-S", "-c", ""
"""A command that does nothing."""


@final
class Players:
    """Puts bots into the seats of matches."""

    def __init__(
        self,
        service: ServiceClient,
        logs: Logs,
        commands: Path | None,
        metrics: Metrics,
        say: Say,
        submitted: SubmittedBots | None = None,
    ) -> None:
        self._service = service
        self._logs = logs
        self._commands = commands
        self._submitted = submitted
        """The player of submitted bots' seats; None if there is no sandbox."""
        self._metrics = metrics
        self._say = say
        self._built_in: dict[tuple[str, tuple[tuple[str, str], ...]], BuiltIn] = {}
        self._said: dict[tuple[str, str], str] = {}
        self.broken: Callable[[str, Callable[[], Awaitable[str]]], None] = lambda _, __: None
        """The callback for the reason why this host can start no bots; it also gets a check of whether it still
        cannot."""

    async def close(self) -> None:
        """Ends the processes of built-in bots."""
        await asyncio.gather(*(built_in.close() for built_in in self._built_in.values()))

    def last_words(self, match_id: str, bot: str) -> str:
        """Returns the last output of a bot that was started here, as text that follows a sentence; only the first call
        has it.
        """
        words = self._said.pop((match_id, bot), "")
        return f"; {words}" if words else ""

    @asynccontextmanager
    async def seated(self, spec: BlockSpec, planned: PlannedMatch) -> AsyncIterator[Seating]:
        """Runs the non-remote bots of a match until the context is left. If this host cannot start them, it ends the
        match, and `Seating.host_fault` says why.
        """
        seating = Seating()
        async with AsyncExitStack() as stack:
            try:
                await self._seat(stack, spec, planned, seating)
            except OSError as error:
                await self._host_failed("a bot", planned.match_id, seating, error)
            yield seating

    async def _seat(self, stack: AsyncExitStack, spec: BlockSpec, planned: PlannedMatch, seating: Seating) -> None:
        for seat, name in enumerate(planned.bots):
            bot = spec.bots[name]
            if bot.remote:
                continue
            token = await self._service.match_token(planned.match_id, seat)
            if token is None:
                seating.too_late = True  # the match is over
                break
            if bot.submission:
                in_sandbox = self._in_sandbox(spec, bot, token, planned.match_id, seating, seat)
                await stack.enter_async_context(in_sandbox)
            elif bot.builtin:
                await stack.enter_async_context(self._kind(bot).seat(token))
            else:
                await stack.enter_async_context(self._started(bot, token, planned.match_id, seating))

    def _kind(self, bot: BotEntry) -> BuiltIn:
        key = bot.builtin, tuple(sorted(bot.env.items()))
        if key not in self._built_in:
            log = self._logs.of_built_in(bot.builtin)
            env = environment(os.environ, bot, self._service.endpoint, "")
            self._built_in[key] = BuiltIn(bot.builtin, env, log, self._say, _CORES)
        return self._built_in[key]

    @asynccontextmanager
    async def _started(self, bot: BotEntry, token: str, match_id: str, seating: Seating) -> AsyncIterator[None]:
        """Runs a bot's process, which plays one match, until the context is left."""
        if self._commands is None:
            raise ArenaError(
                f"bot {bot.name} is given as a command, and this worker starts none; give it --commands FOLDER"
            )
        here = BotEntry(bot.name, command=bot.command, version=bot.version, env=bot.env, cwd=self._commands)
        log = self._logs.of_match(bot, match_id)
        env = environment(os.environ, here, self._service.endpoint, token)
        process = BotProcess(here, env, log, lambda _: None, self._metrics.restarts.inc, single_match=True)
        running = asyncio.create_task(self._run(process, match_id, seating))
        try:
            yield
        finally:
            running.cancel()
            await asyncio.wait([running])
            self._note_end(bot, match_id, log)

    async def _run(self, process: BotProcess, match_id: str, seating: Seating) -> None:
        """Keeps a bot running until it is given up, or until this host cannot run it."""
        try:
            await process.run()
        except OSError as error:
            await self._host_failed(f"bot {process.bot.name}", match_id, seating, error)

    async def _host_failed(self, bot: str, match_id: str, seating: Seating, error: OSError) -> None:
        """Notes the host's fault: the match is played again, and the worker stops until its host can start bots.

        If it did not stop, it would take one block after another, and make each void.
        """
        seating.host_fault = str(error)
        self._say(f"{bot} cannot be run in {match_id}, which is the fault of this host: {error}")
        folders = self._logs.folder, self._commands or self._logs.folder
        self.broken(f"this host cannot start bots: {error}", partial(asyncio.to_thread, _why_no_bot, *folders))
        await self._service.abort(match_id, "a worker cannot run a bot of it")

    @asynccontextmanager
    async def _in_sandbox(
        self, spec: BlockSpec, bot: BotEntry, token: str, match_id: str, seating: Seating, seat: int
    ) -> AsyncIterator[None]:
        """Runs a process in a sandbox, which plays one match, until the context is left."""
        if self._submitted is None:
            raise ArenaError(f"bot {bot.name} was submitted, and this worker has no sandbox to run it in")
        log = self._logs.of_match(bot, match_id)
        try:
            async with self._submitted.playing(spec, bot, token, match_id, log, seating, seat):
                yield
        finally:
            self._note_end(bot, match_id, log)

    def _note_end(self, bot: BotEntry, match_id: str, log: BotLog) -> None:
        """Notes that a bot's match is over, or that the bot is given up."""
        self._said[match_id, bot.name] = log.last_lines()
        if len(self._said) > _MAX_BOTS_REMEMBERED:
            del self._said[next(iter(self._said))]
        self._logs.close(log)


def _why_no_bot(logs: Path, folder: Path) -> str:
    """Returns why this host can start no bot in a folder, with a log in another one; empty if it can."""
    try:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=logs, buffering=0) as log:
            log.write(b"\n")
            subprocess.run(_NOTHING, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        return str(error)
    return ""
