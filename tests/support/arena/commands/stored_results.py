"""Results written straight into a store, as many as a test needs."""

from __future__ import annotations

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame

MASTER = bytes(range(32))
DAY_MS = 86_400_000
FAR = "far-0a1b2c3d"


async def store_results(store: Store, name: str) -> None:
    """Stores results: three bots meet four times each, a is always better than b, and b than c. Block n ended on day n
    of 1970.
    """
    bots = tuple(BotEntry(bot, "random", stateless=True) for bot in ("a", "b", "c"))
    tournament = Tournament(name, (TournamentGame("naga", blocks=4),), bots)
    await store.begin(name, tournament.definition(), MASTER)
    stored = await store.load(name)
    assert stored is not None
    for block in ScheduledTournament(tournament, stored).schedule:
        results = []
        worker = FAR if block.number % 3 == 0 else "near-0a1b2c3d"
        for match in block.matches:
            score = 1 if match.bots[0] < match.bots[1] else -1
            result = MatchResult(
                match.match_id,
                block.number,
                match.deal,
                match.bots,
                (score, -score),
                worker=worker,
                ended_ms=block.number * DAY_MS,
            )
            await store.open_blocks.store_result(name, block.slot, 0, result)
            results.append(result)
        closed = ClosedBlock(block.number, block.slot, "naga", tuple(results), 2, at_ms=block.number * DAY_MS)
        await store.open_blocks.store_closed(name, closed, 0, [match.match_id for match in block.matches])
    await store.close_tournament(name)
