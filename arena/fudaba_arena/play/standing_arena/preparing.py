"""Prepares a tournament of a standing arena for play: its present stored state, and a runner."""

from __future__ import annotations

import time
from collections.abc import Callable

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.forms import readable
from fudaba_arena.play.seasons.block_chooser import Chooser, catch_up
from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.service.restored import begin_generation
from fudaba_arena.play.standing_arena.obstacles import Obstacle, StallCause
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.tournaments.beginning import check_games, continued, registered, rules_since
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.idle_reasons import IdleCause, IdleReason
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.schedule.wording import is_are
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Season
from fudaba_games.wording import counted

__all__ = ["prepared_runner", "prepared_state", "why_not_begun", "why_parked"]


async def prepared_state(
    arena: ArenaResources, known: StoredTournament, source: Source, say: Say
) -> ScheduledTournament:
    """Loads a tournament that may be partly known, and registers its bots. Raises `ArenaError` and related errors."""
    tournament, store = source.read(), arena.home.store
    with readable(f"tournament {tournament.name}"):
        stored = await store.load(tournament.name, known=known)
    if stored is None:
        raise ArenaError(f"the store has lost tournament {tournament.name}")
    tournament = continued(tournament, stored, source)
    await check_games(tournament, arena.service)
    for text in rules_since(tournament):
        say(text)
    tournament = await registered(tournament, stored, source, arena.service)
    state = ScheduledTournament(tournament, stored)
    if tournament.season is not None:
        await begin_generation(state, store, arena.service, say, arena.metrics.restored.inc)
        # Somebody may have been entered since it was loaded. The caller waits for nothing before it takes the state.
        await catch_up(state, store)
    return state


def prepared_runner(
    arena: ArenaResources, state: ScheduledTournament, presence: Presence, say: Say, changed: Callable[[], None]
) -> tuple[TournamentRunner, Chooser | None]:
    """Returns the runner of a tournament, and for a season also the chooser that selects its blocks."""
    store = arena.home.store
    retry = store_retry(say, arena.metrics)
    executor = arena.executor(state, retry)
    runner = TournamentRunner(state, arena.home, arena.service, executor, retry, arena.metrics, say)
    runner.grace_seconds = arena.grace_seconds
    runner.changed = changed
    if state.tournament.season is None:
        return runner, None
    maintenance, hold = arena.service.maintenance, runner.maintenance_hold
    chooser = Chooser(state, store, retry, arena.rate, presence, runner.plan, lambda: executor.spare, maintenance, hold)
    runner.choose, runner.waits, runner.missed = chooser.choose, chooser.waits, chooser.missed
    runner.excuses.suspended, runner.excuses.blameless = chooser.suspended, chooser.blameless
    runner.plan.away = chooser.away
    return runner, chooser


def why_not_begun(season: Season, word: str, *, elsewhere: bool) -> IdleReason:
    """Returns why nothing of a season is played here. `word` is its state; `elsewhere` says whether another arena plays
    it.
    """
    if word == "paused":
        return IdleReason(IdleCause.PAUSED, ladder=season.ladder)
    if word == "stalled":
        return IdleReason(IdleCause.STALLED)
    if season.begins_ms > time.time() * 1000:
        return IdleReason(IdleCause.NOT_BEGUN, begins_ms=season.begins_ms)
    return IdleReason(IdleCause.ELSEWHERE if elsewhere else IdleCause.STARTING)


def why_parked(state: ScheduledTournament) -> Obstacle:
    """Returns why a tournament stalls that has blocks left but plays none."""
    again = "resume it to try again, or close it"
    if state.stuck:
        stuck_round = len(state.stored.rounds) + 1
        return Obstacle(
            f"{state.stuck}; {again}",
            StallCause.TOO_FEW_FOR_ROUND,
            round_number=stuck_round,
            rounds=state.tournament.format.rounds,
        )
    parked, blocks = len(state.parked_blocks), len(state.schedule)
    text = f"{parked} of {counted(blocks, 'block')} {is_are(parked)} parked; {again}"
    return Obstacle(text, StallCause.PARKED, parked=parked, blocks=blocks)
