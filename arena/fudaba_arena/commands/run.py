"""`fudaba arena run`: one run of a tournament from its file to its ladder."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, final

from fudaba.cli import output
from fudaba.cli.bracket import bracket_text
from fudaba.cli.connection import Connection
from fudaba.client import Endpoint
from fudaba.safe_text import safe_quoting
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.api.messages.definition_messages import bracket_of
from fudaba_arena.commands.display import Display, Voice, ladder_tables, swiss_table
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.ladder.lookalikes import marked
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.own_bots import BotProcesses
from fudaba_arena.play.matches.in_process import InProcess
from fudaba_arena.play.service.one_service import OneService
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.beginning import (
    begin,
    check_games,
    close_if_over,
    continued,
    registered,
    rules_since,
)
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.fault_counts import forfeit_counts, parked_causes
from fudaba_arena.schedule.planning import source_schedule
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.schedule.wording import by_cause, is_are, reasons, span
from fudaba_arena.store.data_folder import DataFolder, open_to_play
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.file import read_source
from fudaba_games.wording import counted
from fudaba_serving.process.metrics_server import serve_metrics

__all__ = ["RunOptions", "play_tournament"]


_MAX_PARKED_SHOWN: Final = 5
"""The number of parked blocks that are explained at the end of a run."""


@final
@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run on the command line."""

    file: Path
    data: Path
    redis: str | None
    metrics: str | None
    retry_parked: bool
    close: bool
    grace_seconds: float
    service_id: str = ""
    accept_risk: tuple[str, ...] = ()


async def play_tournament(connection: Connection, options: RunOptions) -> int:
    """Plays the tournament. Returns the exit code. Raises `BadTournament`, `NotRegistered`, `ArenaError`,
    `ServiceError`.
    """
    source = read_source(options.file)
    tournament = source.read()
    source_schedule(tournament, source)
    endpoint = Endpoint(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
    metrics = Metrics()
    for game in tournament.games:
        metrics.about(tournament.name, game.game)
    voice = Voice()
    opening = open_to_play(options.data, options.redis, voice.say, accepted=options.accept_risk)
    async with opening as home, AsyncExitStack() as stack:
        stored = await home.store.load(tournament.name)
        if stored is None:
            tournament = source.read_new(int(time.time() * 1000))
        else:
            tournament = continued(tournament, stored, source)
            stored = await _pardoned(tournament, stored, home, options, voice.say)
        listen = options.metrics or tournament.metrics
        if listen:
            stack.callback(serve_metrics(listen, metrics.registry))
        service = ServiceClient(endpoint, voice.say, lambda _: metrics.service_errors.inc())
        stack.push_async_callback(service.close)
        if stored is None or not stored.closed:
            await OneService(home, service, options.service_id, voice.say).check()
            await check_games(tournament, service)
            for text in rules_since(tournament):
                voice.say(text)
            tournament = await registered(tournament, stored, source, service)
        state = ScheduledTournament(tournament, stored) if stored is not None else await begin(tournament, home.store)
        await home.store.store_attempts(tournament.name, tournament.attempts)
        processes = BotProcesses(service, partial(_log_path, home, tournament.name), metrics, voice.say)
        retry = store_retry(voice.say, metrics)
        executor = InProcess(state, home.store, service, processes, retry, metrics)
        runner = TournamentRunner(state, home, service, executor, retry, metrics, voice.say)
        stopped = await _played(runner, Display(state, metrics, voice), service, voice.say, options)
        return await _ended(state, home, options, stopped=stopped)


def _log_path(home: DataFolder, tournament: str, bot: BotEntry) -> Path:
    return home.log_path(tournament, bot.name)


async def _pardoned(
    tournament: Tournament, stored: StoredTournament, home: DataFolder, options: RunOptions, say: Say
) -> StoredTournament | None:
    """Grants further attempts to parked blocks if requested. Returns the state stored after that. Raises `ArenaError`
    if a knockout can change nothing any more.
    """
    name = tournament.name
    if not options.retry_parked or not (stored.withdrawn or stored.blocks.void):
        return stored
    if stored.closed:
        raise ArenaError(f"tournament {name} is over and its deals are open; begin another one under a new name")
    state = ScheduledTournament(tournament, stored)
    out = state.out_of_bracket
    back = stored.withdrawn.keys() - out
    stays_out = (
        f"{' and '.join(sorted(out))} {is_are(len(out))} out of the bracket, and no decided round is played again"
    )
    if out and not back and not state.blocked:
        raise ArenaError(f"{stays_out}; leave out --retry-parked to go on without {'it' if len(out) == 1 else 'them'}")
    if out:
        say(stays_out)
    await home.store.pardon(name, back)
    return await home.store.load(name)


async def _played(
    runner: TournamentRunner, display: Display, service: ServiceClient, say: Say, options: RunOptions
) -> bool:
    """Plays the tournament. Returns whether it was stopped before the end."""
    state = runner.state
    planned, done = state.schedule.matches, state.matches_counted
    bots = counted(len(state.tournament.bots), "bot")
    say(
        f"tournament {state.tournament.name} ({state.id}): {bots}, {counted(planned, 'match')}"
        + (f", {done} of them played before" if done else "")
    )
    say(f"commitment to the deals: {state.commitment}")
    if state.stored.closed or not state.playable:
        return False
    runner.grace_seconds = options.grace_seconds
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if runner.stop.is_set():
            runner.hurry.set()
        else:
            say("stopping when the matches in play are over; interrupt again to stop at once")
            runner.stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    beside = [asyncio.create_task(work) for work in (display.keep_up(), service.watch_maintenance(say))]
    try:
        with display.shown():
            await runner.run()
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return runner.stop.is_set()


async def _ended(state: ScheduledTournament, home: DataFolder, options: RunOptions, *, stopped: bool) -> int:
    """Prints the ladder and the closing remarks. Returns the exit code."""
    open_blocks = await close_if_over(state, home.store, leave_out=options.close)
    parked = state.parked_blocks
    ladders = marked(ladders_of(state, block_results(state)), state.tournament.bots)
    for swiss_standings in standing_messages.swiss(state):
        output.say_text(f"{swiss_table(swiss_standings)}\n")
    if (bracket := bracket_of(state)) is not None:
        output.say_text(f"{bracket_text(bracket)}\n")
    output.say_text(ladder_tables(ladders))
    for bot, why in sorted(state.stored.withdrawn.items()):
        output.say_text(safe_quoting(f"bot {bot} is withdrawn: {why}"), err=True)
    _tell_forfeits(state, home, ladders.overall.rows)
    if state.stored.closed:
        output.say(f"the deals are open: master {state.stored.master.hex()}", err=True)
    if parked:
        again = "try again with --retry-parked, or end without what is parked with --close"
        what_now = "left out for good" if state.stored.closed else again
        blocks = f"{len(parked)} of {counted(len(state.schedule), 'block')} {is_are(len(parked))} parked"
        output.say(f"{blocks}{span(state.schedule)}; {what_now}", err=True)
        for number, causes in list(parked_causes(state).items())[:_MAX_PARKED_SHOWN]:
            output.say_text(safe_quoting(f"block {number} is parked: {reasons(causes)}"), err=True)
    if state.stuck:
        again = "let withdrawn bots play again with --retry-parked, or end without it with --close"
        output.say(f"{state.stuck}; {again}", err=True)
    if stopped and open_blocks:
        left = counted(open_blocks, "block")
        output.say(f"stopped with {left} to play; the same command continues:", f"  {_command()}", err=True)
    return 0 if state.complete or (state.stored.closed and not open_blocks) else 1


def _tell_forfeits(state: ScheduledTournament, home: DataFolder, rows: Sequence[Standing]) -> None:
    """Names the bots that forfeited most of their matches: this is seldom intended, and the ladder does not show it."""
    forfeits = forfeit_counts(state)
    for row in rows:
        causes = forfeits.get(row.bot, {})
        number = sum(causes.values())
        if 2 * number <= row.matches:
            continue
        where = "its author's own log may say why"
        if not state.tournament.bot(row.bot).remote:
            where = f"see its log: {home.log_path(state.tournament.name, row.bot)}"
        notice = f"bot {row.bot} forfeited {number} of {counted(row.matches, 'match')} ({by_cause(causes)}); {where}"
        output.say(notice, err=True)


def _command() -> str:
    """Returns the command that continues the run: the same command without the token."""
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    for place, word in enumerate(words):
        if word == "--token" and place + 1 < len(words):
            words[place + 1] = "..."
        elif word.startswith("--token="):
            words[place] = "--token=..."
    return shlex.join(words)
