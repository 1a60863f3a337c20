"""Tournaments in play, as far as a test wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame


def stored() -> StoredTournament:
    return StoredTournament({}, bytes(32), ClosedBlocks(), {}, set(), set(), {}, {}, 3, 0, 0, False)


def state(
    bots: int = 4,
    stateless: bool = True,
    capacity: int = 0,
    blocks: int = 1,
    seats: int = 2,
    deals: int = 1,
    **more: Any,
) -> ScheduledTournament:
    entries = [
        BotEntry(f"bot-{n}", command=("x",), stateless=stateless, capacity=capacity, cwd=Path()) for n in range(bots)
    ]
    games = (TournamentGame("naga", seats=seats, blocks=blocks, deals=deals),)
    return ScheduledTournament(Tournament("t", games, tuple(entries), **more), stored())
