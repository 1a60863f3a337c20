"""Checks the service once it answers, unless it is already `checked`, and keeps checking it until cancelled.

The service then has matches of blocks that the store does not know. The arena would choose other blocks under the same
numbers, and their matches would repeat ids and deals. So a new generation begins, see `ChosenBlock.generation`. Only a
season of a ladder needs one, since other tournaments play the same blocks again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from fudaba.v1 import matches_pb2
from fudaba_arena.errors import Say
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.generations import Generation
from fudaba_games.wording import counted

__all__ = ["begin_generation", "restored_text"]

_NAME_BYTES: Final = 4


async def begin_generation(
    state: ScheduledTournament, store: Store, service: ServiceClient, say: Say, noticed: Callable[[], None]
) -> None:
    """Begins a generation of a season if the service has matches of blocks that the store does not know.

    The caller must have claimed the season and not have chosen any block yet. Raises `ServiceError`,
    `StoreUnavailable`.
    """
    name, known = state.tournament.name, state.stored.generations
    since_ms = known[-1].at_ms if known else 0
    found = await _unknown_matches(state, service, since_ms)
    if not found or await store.progress.chosen(name, len(state.stored.chosen)):
        return  # a block that another arena chose since this state was read is not unknown
    newest_ms = max(match.header.create_time.ToMilliseconds() for match in found)
    now_ms = int(time.time() * 1000)
    # The service's clock may be ahead. The generation begins after the newest match, so that no later search finds one
    # of these again.
    generation = Generation(secrets.token_hex(_NAME_BYTES), max(now_ms, newest_ms + 1), len(found), newest_ms)
    if await store.progress.begin_generation(name, len(known), generation):
        known.append(generation)
        noticed()
        say(restored_text(generation))


def restored_text(generation: Generation) -> str:
    """Returns the warning about a restored backup, with the arena's reaction."""
    newest = datetime.fromtimestamp(generation.newest_ms / 1000, UTC)
    return (
        f"the arena's store is older than its service, as a restored backup is: the service has"
        f" {counted(generation.matches, 'match', 'matches')} of blocks that the store does not know, the newest of"
        f" {newest:%Y-%m-%d %H:%M:%S} UTC. None of them counts; the blocks that are chosen from now on are of"
        f" generation {generation.name}, with ids and deals of their own"
    )


async def _unknown_matches(
    state: ScheduledTournament, service: ServiceClient, since_ms: int
) -> list[matches_pb2.Match]:
    """Returns the matches of a season, created since then, that no block known here plans, newest first, page by page,
    up to a page without any. A page may be empty although later ones are not.
    """
    found: list[matches_pb2.Match] = []
    async for page in service.matches_of(state.tournament.name, since_ms):
        unknown = [match for match in page if _is_unknown(state, match.header.match_id)]
        if page and not unknown:
            break
        found += unknown
    return found


def _is_unknown(state: ScheduledTournament, match_id: str) -> bool:
    """Returns whether an id belongs to this season but to no known block."""
    if not match_id.startswith(f"{state.id}-"):
        return False
    number = match_id.rsplit("-", 2)[1][1:]
    try:
        block = state.schedule.block(int(number))
    except ValueError:
        return True
    return all(planned.match_id != match_id for planned in block.matches)
