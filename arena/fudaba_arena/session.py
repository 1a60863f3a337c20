"""`fudaba arena run`: one run of a tournament from its file to its ladder."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fudaba.cli import _output
from fudaba.cli._connection import Connection
from fudaba.client import Endpoint
from fudaba.safe_text import safe_quoting
from fudaba_arena.blocks import MASTER_BYTES
from fudaba_arena.display import Display, Voice, ladder_tables
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.home import Home, open_to_play
from fudaba_arena.link import Link
from fudaba_arena.metrics import Metrics, serve_metrics
from fudaba_arena.registration import register
from fudaba_arena.runner import Runner
from fudaba_arena.schedule import BadSchedule
from fudaba_arena.standings import Standing
from fudaba_arena.state import TournamentState, changes
from fudaba_arena.store import StoredTournament
from fudaba_arena.tournament import Tournament, read_tournament, with_authors
from fudaba_arena.wording import by_cause, counted, is_are, span
from fudaba_games.registry import GAMES

__all__ = ["RunOptions", "play_tournament"]


@final
@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line says of a run."""

    file: Path
    data: Path
    redis: str | None
    metrics: str | None
    retry_parked: bool
    close: bool
    grace: float


async def play_tournament(connection: Connection, options: RunOptions) -> int:
    """Plays the tournament; the exit code. Raises `BadTournament`, `ArenaError`, `ServiceError`."""
    tournament = read_tournament(options.file)
    endpoint = Endpoint(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
    metrics = Metrics()
    for game in tournament.games:
        metrics.about(tournament.name, game.game)
    voice = Voice()
    async with open_to_play(options.data, options.redis, voice.say) as home, AsyncExitStack() as stack:
        tournament, stored = await _continued(tournament, home, options)
        listen = options.metrics or tournament.metrics
        if listen:
            stack.callback(serve_metrics(listen, metrics))
        link = Link(endpoint, voice.say, lambda _: metrics.service_errors.inc())
        stack.push_async_callback(link.close)
        if stored is None or not stored.closed:
            await _check_games(tournament, link)
            tournament = await _registered(tournament, link, stored, options)
        state = TournamentState(tournament, stored or await _begun(tournament, home))
        await home.store.store_attempts(tournament.name, tournament.attempts)
        runner = Runner(state, home, link, metrics, voice.say)
        stopped = await _played(runner, Display(state, metrics, voice), voice.say, options)
        return await _ended(state, home, options, stopped=stopped)


async def _continued(
    tournament: Tournament, home: Home, options: RunOptions
) -> tuple[Tournament, StoredTournament | None]:
    """The tournament, and how an earlier run has left it; None when there was none."""
    name = tournament.name
    stored = await home.store.load(name)
    if stored is None:
        return tournament, None
    known = {bot.name: stored.definition.get(f"bot {bot.name}", {}).get("author", "") for bot in tournament.bots}
    tournament = with_authors(tournament, known)
    _refuse_changes(tournament, stored, options)
    if options.retry_parked and (stored.withdrawn or stored.void):
        if stored.closed:
            raise ArenaError(f"tournament {name} is over and its deals are open; begin another one under a new name")
        await home.store.pardon(name)
        return tournament, await home.store.load(name)
    return tournament, stored


def _refuse_changes(tournament: Tournament, stored: StoredTournament, options: RunOptions) -> None:
    changed = changes(stored.definition, tournament.definition())
    if changed:
        raise ArenaError(
            f"{options.file}: tournament {tournament.name} was begun with another file: {'; '.join(changed)}. Its"
            " schedule is fixed: write what it was, or give the changed tournament a name of its own"
        )


async def _registered(
    tournament: Tournament, link: Link, stored: StoredTournament | None, options: RunOptions
) -> Tournament:
    """The tournament with its bots known to the service, and with the authors that only the service knew."""
    tournament = await register(tournament, link, options.file)
    if stored is not None:
        _refuse_changes(tournament, stored, options)
    try:
        tournament.schedule(tournament.name)
    except BadSchedule as error:
        raise ArenaError(f"{options.file}: with the authors that the service knows, {error}") from error
    return tournament


async def _begun(tournament: Tournament, home: Home) -> StoredTournament:
    """A new tournament."""
    await home.store.begin(tournament.name, tournament.definition(), secrets.token_bytes(MASTER_BYTES))
    stored = await home.store.load(tournament.name)
    if stored is None:
        raise ArenaError("the store forgets what it is given; does another program use it as a cache?")
    return stored


async def _check_games(tournament: Tournament, link: Link) -> None:
    """Checks, before anything is started, that the service is there and has the games as this arena knows them."""
    hosted = await link.games()
    for entry in tournament.games:
        if entry.game not in hosted:
            raise ArenaError(f"the service does not host {entry.game}, only {', '.join(hosted) or 'nothing'}")
        game, known = hosted[entry.game], GAMES[entry.game]
        if game.rules_version != known.rules_version:
            raise ArenaError(
                f"the service plays {game.id} by version {game.rules_version} of its rules, this arena knows version"
                f" {known.rules_version}; use the same release for both"
            )


async def _played(runner: Runner, display: Display, say: Say, options: RunOptions) -> bool:
    """Plays; whether it was stopped before the end."""
    state = runner.state
    planned, done = state.schedule.matches, state.matches_counted
    bots = counted(len(state.tournament.bots), "bot")
    say(
        f"tournament {state.tournament.name} ({state.id}): {bots}, {counted(planned, 'match')}"
        + (f", {done} of them played before" if done else "")
    )
    say(f"commitment to the deals: {state.commitment}")
    if state.stored.closed or not any(not state.parked(block) for block in state.unfinished()):
        return False
    runner.grace_seconds = options.grace
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if runner.stop.is_set():
            runner.hurry.set()
        else:
            say("stopping when the matches in play are over; once more stops at once")
            runner.stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    keeping = asyncio.create_task(display.keep_up())
    try:
        with display.shown():
            await runner.run()
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return runner.stop.is_set()


async def _ended(state: TournamentState, home: Home, options: RunOptions, *, stopped: bool) -> int:
    """Prints the ladder and what is to be said; the exit code."""
    parked = [] if state.complete else state.parked_blocks
    open_blocks = len(state.schedule) - len(state.stored.finished) - len(parked)
    if not open_blocks and (not parked or options.close) and not state.stored.closed:
        await home.store.close_tournament(state.tournament.name)
        state.stored.closed = True
    ladders = state.ladders(state.block_results())
    _output.say_text(ladder_tables(ladders))
    for bot, why in sorted(state.stored.withdrawn.items()):
        _output.say_text(safe_quoting(f"bot {bot} is withdrawn: {why}"), err=True)
    _tell_forfeits(state, home, ladders.overall.rows)
    if state.stored.closed:
        _output.say(f"the deals are open: master {state.stored.master.hex()}", err=True)
    if parked:
        again = "try again with --retry-parked, or end without what is parked with --close"
        what_now = "left out for good" if state.stored.closed else again
        blocks = f"{len(parked)} of {counted(len(state.schedule), 'block')} {is_are(len(parked))} parked"
        _output.say(f"{blocks}{span(state.schedule)}; {what_now}", err=True)
    if stopped and open_blocks:
        left = counted(open_blocks, "block")
        _output.say(f"stopped with {left} to play; the same command continues:", f"  {_command()}", err=True)
    return 0 if state.complete or (state.stored.closed and not open_blocks) else 1


def _tell_forfeits(state: TournamentState, home: Home, rows: Sequence[Standing]) -> None:
    """Names the bots that forfeited most of their matches: they seldom mean to, and the ladder does not show it."""
    forfeits = state.forfeits()
    for row in rows:
        causes = forfeits.get(row.bot, {})
        number = sum(causes.values())
        if 2 * number <= row.matches:
            continue
        where = "its author's own log may say why"
        if not state.tournament.bot(row.bot).remote:
            where = f"see its log: {home.log_path(state.tournament.name, row.bot)}"
        told = f"bot {row.bot} forfeited {number} of {counted(row.matches, 'match')} ({by_cause(causes)}); {where}"
        _output.say(told, err=True)


def _command() -> str:
    """What to type to go on: the same again, the token left out."""
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    for place, word in enumerate(words):
        if word == "--token" and place + 1 < len(words):
            words[place + 1] = "..."
        elif word.startswith("--token="):
            words[place] = "--token=..."
    return shlex.join(words)
