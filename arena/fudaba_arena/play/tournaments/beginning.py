"""Begins and ends tournaments, for a run as for a standing arena."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service.registration import register
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.schedule.schedule import BadSchedule
from fudaba_arena.schedule.seeds import MASTER_BYTES
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Owned, Tournament, changes, with_authors, with_rules
from fudaba_arena.tournament.file import Source
from fudaba_games.registry import GAMES

__all__ = [
    "begin",
    "begun_as",
    "check_games",
    "close_for_good",
    "close_if_over",
    "continued",
    "registered",
    "rules_since",
]


def continued(tournament: Tournament, stored: StoredTournament, source: Source) -> Tournament:
    """Returns a tournament that was begun earlier, with the stored authors and versions of the rules.

    Raises `ArenaError` if its definition has changed.
    """
    tournament = begun_as(tournament, stored.definition)
    _refuse_changes(tournament, stored, source)
    return tournament


def begun_as(tournament: Tournament, definition: Mapping[str, Any]) -> Tournament:
    """Returns a tournament as its file has it, with what it keeps from its stored definition."""
    kept = {bot.name: definition.get(f"bot {bot.name}", {}) for bot in tournament.bots}
    known = {
        name: Owned(bot_fields.get("author", ""), bot_fields.get("account", "")) for name, bot_fields in kept.items()
    }
    return with_rules(with_authors(tournament, known), definition)


async def check_games(tournament: Tournament, service: ServiceClient) -> None:
    """Checks that the service answers and has the same games as this arena. Raises `ArenaError`."""
    hosted = await service.games()
    for played in tournament.games:
        if played.game not in hosted:
            raise ArenaError(f"the service does not host {played.game}, only {', '.join(hosted) or 'nothing'}")
        game, known = hosted[played.game], GAMES[played.game]
        if game.rules_version != known.rules_version:
            raise ArenaError(
                f"the service plays {game.id} by version {game.rules_version} of its rules, this arena knows version"
                f" {known.rules_version}; use the same release for both"
            )


def rules_since(tournament: Tournament) -> list[str]:
    """Returns a sentence for each game whose rules have changed since the tournament began."""
    return [
        f"tournament {tournament.name} began with version {played.rules_version} of the rules of {played.game}, and"
        f" goes on with version {GAMES[played.game].rules_version}: its ratings count both alike"
        for played in tournament.games
        if played.rules_version not in {0, GAMES[played.game].rules_version}
    ]


async def registered(
    tournament: Tournament, stored: StoredTournament | None, source: Source, service: ServiceClient
) -> Tournament:
    """Registers the tournament's bots. Returns it with the authors that only the service knew.

    Raises `NotRegistered`, and `ArenaError` when it cannot be played with these authors.
    """
    tournament = await register(tournament, service, source, begun=stored is not None)
    if stored is not None:
        _refuse_changes(tournament, stored, source)
    try:
        schedule_of(tournament, tournament.name)
    except BadSchedule as error:
        raise ArenaError(f"{source.file}: with the authors that the service knows, {error}") from error
    return tournament


async def begin(tournament: Tournament, store: Store) -> ScheduledTournament:
    """Stores a new tournament with a new master. An existing tournament is resumed unchanged."""
    await store.begin(tournament.name, tournament.definition(), secrets.token_bytes(MASTER_BYTES))
    stored = await store.load(tournament.name)
    if stored is None:
        raise ArenaError("the store loses what is written to it; does another program use it as a cache?")
    return ScheduledTournament(tournament, stored)


async def close_if_over(state: ScheduledTournament, store: Store, *, leave_out: bool = False) -> int:
    """Closes a tournament with nothing left to play, and opens its master. Returns how many blocks are left to play.

    Parked blocks, and rounds of a Swiss that lack bots, keep it open unless they are to be left out for good.
    """
    parked = state.parked_slots
    coming = state.next_round()
    left = len(state.schedule) - state.stored.blocks.counted - len(parked) + (len(coming.blocks) if coming else 0)
    if not left and ((state.schedule.whole and not state.blocked) or leave_out):
        await close_for_good(state, store)
    return left


async def close_for_good(state: ScheduledTournament, store: Store) -> None:
    """Closes a tournament and opens its master. Unplayed blocks are left out. A closed tournament stays closed."""
    if not state.stored.closed:
        await store.close_tournament(state.tournament.name)
        state.stored.closed = True


def _refuse_changes(tournament: Tournament, stored: StoredTournament, source: Source) -> None:
    changed = changes(stored.definition, tournament.definition())
    if changed:
        raise ArenaError(
            f"{source.file}: tournament {tournament.name} was begun with another file: {'; '.join(changed)}. Its"
            " schedule is fixed: write what it was, or give the changed tournament a name of its own"
        )
