"""An export: all of a tournament that is public, as JSON Lines. Section 13 of `docs/contract.md` has its fields.

Later releases add kinds of lines and fields, and change none.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, Final

from fudaba_arena.audit.digests import match_digest, results_digest
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.seeds import block_seed, deal_seed
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.closed_blocks import ClosedBlock

__all__ = ["FORMAT", "export"]

FORMAT: Final = 1

Line = dict[str, Any]


def export(state: TournamentState) -> Iterator[Line]:
    """The lines: the tournament; of a Swiss its rounds; each block that is over, with its deals and matches; the end.

    The state is one with its entries.

    Nothing is told of blocks that are still to be played, nor seeds before the tournament's master is open.
    """
    yield _tournament(state)
    for number, drawn in enumerate(state.stored.rounds):
        yield {"kind": "round", "round": number, **drawn.values()}
    blocks = deals = 0
    digests: list[bytes] = []
    for closed in state.stored.blocks.blocks():
        block, number = state.schedule.block(closed.block), closed.block
        yield _block(state, block, closed)
        blocks += 1
        for deal in range(block.deals):
            yield {"kind": "deal", "block": number, "deal": deal, "seed": _open(state, _deal_seed(state, block, deal))}
            deals += 1
        for line, digest in _matches(state, block, closed):
            yield line
            digests.append(digest)
    whole = results_digest(digests).hex()
    yield {"kind": "end", "blocks": blocks, "deals": deals, "matches": len(digests), "results_digest": whole}


def _tournament(state: TournamentState) -> Line:
    tournament = state.tournament
    return {
        "kind": "tournament",
        "format": FORMAT,
        "release": version("fudaba"),
        "name": tournament.name,
        "id": state.id,
        "commitment": state.commitment,
        "master": _open(state, state.stored.master),
        "complete": state.complete,
        "planned_blocks": len(state.schedule),
        "planned_matches": state.schedule.matches,
        "parked": sorted(block.number for block in state.parked_blocks),
        "withdrawn": sorted(state.stored.withdrawn),
        "definition": _definition(state),
    }


def _definition(state: TournamentState) -> Line:
    """What fixes the schedule and the matches. How the organiser starts bots, which may tell secrets, is left out."""
    tournament = state.tournament
    clock = tournament.clock
    return {
        "format": tournament.format.kind,
        "challengers": list(tournament.format.challengers),
        "rounds": tournament.format.rounds,
        "same_author": tournament.same_author,
        "connect_seconds": tournament.connect_seconds,
        "clock": {
            "move_ms": clock.move_ms,
            "increment_ms": clock.increment_ms,
            "bank_ms": clock.bank_ms,
            "max_timeouts": clock.max_timeouts,
            "max_illegal": clock.max_illegal,
        },
        "games": [
            {
                "game": entry.game,
                "rules_version": entry.rules_version or None,
                "seats": entry.seats,
                "options": dict(entry.options),
                "blocks": entry.blocks,
                "deals": entry.deals,
                "win_margin": entry.win_margin,
            }
            for entry in tournament.games
        ],
        "bots": [
            {
                "bot": bot.name,
                "version": bot.version,
                "author": bot.author,
                "kind": bot.kind,
                "builtin": bot.builtin,
                "stateless": bot.stateless,
                "games": list(bot.games),
            }
            for bot in sorted(tournament.bots, key=lambda bot: bot.name)
        ],
    }


def _block(state: TournamentState, block: Block, closed: ClosedBlock) -> Line:
    void = closed.void
    annulled = state.stored.blocks.annulled.get(block.number)
    return {
        "kind": "block",
        "block": block.number,
        "game": block.game,
        "slot": block.slot,
        "attempt": block.attempt,
        "cycle": block.cycle,
        "round": block.round,
        "state": "void" if void is not None else "counted" if annulled is None else "annulled",
        "annulled": None if annulled is None else {"reason": annulled.reason, "at_ms": annulled.at_ms},
        "void_cause": "" if void is None else void.cause,
        "void_bots": [] if void is None else list(void.bots),
        "deals": block.deals,
        "seed": _open(state, block_seed(state.stored.master, block.number)),
    }


def _matches(state: TournamentState, block: Block, closed: ClosedBlock) -> Iterator[tuple[Line, bytes]]:
    annulled = block.number in state.stored.blocks.annulled
    counted = frozenset(result.match_id for result in closed.counted)
    results = {result.match_id: result for result in closed.results}
    for match in block.matches:
        result = results.get(match.match_id)
        seed = _deal_seed(state, block, match.deal)
        ended: Line | None = None
        digest = match_digest(match.match_id, seed, match.bots, ())
        if result is not None:
            ended = {
                "scores": list(result.scores),
                "forfeited_by": result.forfeited,
                "forfeit_cause": result.forfeit_cause,
                "ended_ms": result.ended_ms,
            }
            digest = match_digest(
                match.match_id,
                seed,
                result.bots,
                result.scores,
                result.forfeited,
                result.forfeit_cause,
                result.ended_ms,
            )
        line = {
            "kind": "match",
            "block": block.number,
            "deal": match.deal,
            "match_id": match.match_id,
            "bots": list(match.bots if result is None else result.bots),
            "counts": match.match_id in counted and not annulled,
            "counted": match.match_id in counted,
            "result": ended,
            "digest": digest.hex(),
        }
        yield line, digest


def _deal_seed(state: TournamentState, block: Block, deal: int) -> bytes:
    return deal_seed(block_seed(state.stored.master, block.number), deal)


def _open(state: TournamentState, secret: bytes) -> str | None:
    """What is told once the master is open."""
    return secret.hex() if state.stored.closed else None
