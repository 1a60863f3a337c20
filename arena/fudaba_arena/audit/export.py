"""An export: everything public about a tournament, as JSON Lines. `docs/verifying.md` lists its fields.

Later releases add kinds of lines and fields, and never change existing ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Final

from fudaba_arena.audit.digests import match_digest, results_digest
from fudaba_arena.audit.rebuilt import LADDER
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.seeds import block_seed, deal_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.tournament.season import Season

__all__ = ["FORMAT_NUMBER", "annulled_line", "export"]

FORMAT_NUMBER: Final = 1

Line = dict[str, Any]


def export(
    state: ScheduledTournament, standings: Iterable[Line] = (), published: Iterable[Line] = ()
) -> Iterator[Line]:
    """Yields the lines: the tournament; for a Swiss or a knockout its rounds, for a season of a ladder its entries and
    the players chosen for each block; the annulments; each finished block, with its deals and matches; the ratings that
    were published at points of the sequence; the given standings, with the point that they are based on; the end.

    The state includes its entries.

    The export omits results of blocks that are still to be played, and seeds before the tournament's master is open.
    """
    yield _tournament(state)
    for number, drawn in enumerate(state.stored.rounds):
        yield {"kind": "round", "round": number, **drawn.values()}
    yield from _season_lines(state)
    yield from _annulments(state.stored.blocks)
    blocks = deals = 0
    digests: list[bytes] = []
    places = {number: place for place, number in enumerate(state.stored.blocks.places, 1)}
    for closed in state.stored.blocks.blocks():
        block, number = state.schedule.block(closed.block), closed.block
        yield _block(state, block, closed, places[number])
        blocks += 1
        for deal in range(block.deals):
            yield {"kind": "deal", "block": number, "deal": deal, "seed": _open(state, _deal_seed(state, block, deal))}
            deals += 1
        for line, digest in _matches(state, block, closed):
            yield line
            digests.append(digest)
    for line in published:
        yield {"kind": "published", **line}
    for line in standings:
        yield {"kind": "standings", "point": state.stored.blocks.point, **line}
    yield {
        "kind": "end",
        "blocks": blocks,
        "deals": deals,
        "matches": len(digests),
        "annulments": len(state.stored.blocks.annulments),
        "results_digest": results_digest(digests).hex(),
    }


def _tournament(state: ScheduledTournament) -> Line:
    tournament = state.tournament
    return {
        "kind": "tournament",
        "format": FORMAT_NUMBER,
        "release": version("fudaba"),
        "name": tournament.name,
        "id": state.id,
        "commitment": state.commitment,
        "master": _open(state, state.stored.master),
        "complete": state.complete,
        "planned_blocks": len(state.schedule),
        "planned_matches": state.schedule.matches,
        "parked": sorted(block.number for block in state.parked_blocks),
        "left_out": _left_out(state),
        "withdrawn": sorted(state.stored.withdrawn),
        "definition": _definition(state),
    }


def _left_out(state: ScheduledTournament) -> list[int]:
    """Returns the blocks that were neither played nor parked when the tournament was closed."""
    if not state.stored.closed:
        return []
    return sorted(block.number for block in state.unfinished() if block.slot not in state.parked_slots)


def _season_lines(state: ScheduledTournament) -> Iterator[Line]:
    """Adds the lines of a season: who entered and left it, and who was chosen for each slot."""
    if not isinstance(state.schedule, ChosenSchedule):
        return
    changes = [change for change in state.stored.entries.changes if not change.private]
    for number, change in enumerate(changes):
        yield {
            "kind": "entry",
            "number": number,
            "change": change.kind,
            "at_ms": change.at_ms,
            "bot": change.bot,
            "version": change.version,
            "author": change.author,
            "games": list(change.games),
            "submission": change.submission,
            "stateless": change.stateless,
            **({"late": True} if change.late else {}),
            **({"in_time": True} if change.in_time else {}),
        }
    for slot, chosen in enumerate(state.schedule.chosen):
        groups = [list(group) for group in chosen.groups]
        yield {
            "kind": "chosen",
            "slot": slot,
            "game": chosen.game,
            "groups": groups,
            "shared": chosen.shared,
            "chosen_for": chosen.chosen_for,
            "final": chosen.final,
            "at_ms": chosen.at_ms,
            "generation": chosen.generation,
            "edits": chosen.edits,
        }


def _annulments(blocks: ClosedBlocks) -> Iterator[Line]:
    """Yields the annulments and their undoings: entries of the sequence, each after a number of its blocks."""
    for number, (annulment, after) in enumerate(zip(blocks.annulments, blocks.annulled_after(), strict=True), 1):
        yield {
            "kind": "annulment",
            "number": number,
            "after": after,
            "blocks": list(annulment.blocks),
            "bots": list(annulment.bots),
            "reason": annulment.reason,
            "at_ms": annulment.at_ms,
            "undoes": annulment.undoes,
            "disqualifies": annulment.disqualifies,
        }


def _definition(state: ScheduledTournament) -> Line:
    """Returns the definition of the schedule and of the matches, without the commands of bots, which may contain
    secrets.
    """
    tournament, season = state.tournament, state.tournament.season
    bots = sorted(tournament.bots, key=lambda bot: bot.name)
    owners = {owner: number for number, owner in enumerate(dict.fromkeys(bot.owner for bot in bots))}
    return {
        "format": tournament.format.kind if season is None else LADDER,
        "challengers": list(tournament.format.challengers),
        "rounds": tournament.format.rounds,
        **tournament.format.knockout_rules(),
        "same_author": tournament.same_author,
        "sittings": tournament.sittings,
        "connect_seconds": tournament.connect_seconds,
        "clock": tournament.clock.definition(),
        "limits": tournament.limits.values(),
        "games": [
            {
                "game": game.game,
                "rules_version": game.rules_version or None,
                "seats": game.seats,
                "options": dict(game.options),
                "blocks": game.blocks,
                "deals": game.deals,
                "win_margin": game.win_margin,
            }
            for game in tournament.games
        ],
        "bots": [
            {
                "bot": bot.name,
                "version": bot.version,
                "author": bot.author,
                "owner": owners[bot.owner],
                "kind": bot.kind,
                "builtin": bot.builtin,
                "stateless": bot.stateless,
                "games": list(bot.games),
            }
            for bot in bots
        ],
        "season": None if season is None else _season(season),
        # Whom an edit allowed to enter is for organisers.
        "edits": [{"at_ms": edit.at_ms, **edit.before.definition()} for edit in tournament.edits],
    }


def _season(season: Season) -> Line:
    return {
        "ladder": season.ladder,
        "number": season.number,
        "provisional_blocks": season.provisional_blocks,
        "narrow": season.narrow,
        "final_blocks": season.final_blocks,
        "begins_ms": season.begins_ms,
        "ends_ms": season.ends_ms,
        "rank_half": season.rank_half,
        "idle_days": season.idle_days,
        "final_apart_blocks": season.final_apart_blocks,
        "overall_shares": season.overall_shares,
        "panels": [panel.definition() for panel in season.panels],
        # Whose bots share a network is nobody else's business, and nothing that is checked depends on it.
        "absence": None
        if season.absence is None
        else {"grace_seconds": season.absence.grace_seconds, "graces": season.absence.graces},
    }


def _block(state: ScheduledTournament, block: Block, closed: ClosedBlock, place: int) -> Line:
    void = closed.void
    annulled = block.number in state.stored.blocks.annulled
    return {
        "kind": "block",
        "block": block.number,
        "game": block.game,
        "slot": block.slot,
        "attempt": block.attempt,
        "sequence": place,
        "closed_ms": closed.at_ms,
        "cycle": block.cycle,
        "round": block.round,
        "state": "void" if void is not None else "annulled" if annulled else "counted",
        "annulled": annulled_line(state.stored.blocks, block.number),
        "void_cause": "" if void is None else void.cause,
        "void_bots": [] if void is None else list(void.bots),
        "deals": block.deals,
        "seed": _open(state, block_seed(state.stored.master, block.number, block.generation)),
    }


def annulled_line(blocks: ClosedBlocks, number: int) -> Line | None:
    """Returns the line about why a block is annulled. For a block that counts in part, it also names the bots whose
    matches are annulled, and the bots that are struck from its matches.
    """
    reduced = blocks.reduced.get(number)
    annulled = blocks.annulled.get(number) if reduced is None else reduced.latest
    if annulled is None:
        return None
    bots = [] if reduced is None else sorted(reduced.bots)
    struck = {"struck": sorted(reduced.struck)} if reduced is not None and reduced.struck else {}
    return {"reason": annulled.reason, "at_ms": annulled.at_ms, "bots": bots, **struck}


def _matches(state: ScheduledTournament, block: Block, closed: ClosedBlock) -> Iterator[tuple[Line, bytes]]:
    counts = state.stored.blocks.match_counts
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
            "counts": match.match_id in counted and counts(block.number, match.bots),
            "counted": match.match_id in counted,
            "result": ended,
            "seat_uses": []
            if result is None
            else [asdict(seat_use) for seat_use in result.used_under(state.terms(block.slot).limits)],
            "digest": digest.hex(),
        }
        yield line, digest


def _deal_seed(state: ScheduledTournament, block: Block, deal: int) -> bytes:
    return deal_seed(block_seed(state.stored.master, block.number, block.generation), deal)


def _open(state: ScheduledTournament, secret: bytes) -> str | None:
    """Adds the lines that become public when the master is opened."""
    return secret.hex() if state.stored.closed else None
