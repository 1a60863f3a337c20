"""Exports of tournaments that nobody played, and what can be wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from copy import deepcopy
from typing import Any, Final

from fudaba_arena.audit.digests import match_digest, results_digest
from fudaba_arena.audit.export import export
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import APART, BotEntry, Tournament
from fudaba_arena.tournament.formats import DRAWN, Format
from fudaba_arena.tournament.games import TournamentGame

MASTER: Final = bytes(range(32))
Lines = list[dict[str, Any]]


def played(
    *,
    closed: bool = True,
    blocks: int = 3,
    left_out: Collection[int] = (),
    form: Format | None = None,
    sittings: str = APART,
    second_name: str = "bob",
) -> ScheduledTournament:
    """Returns a tournament as of `unplayed`, with made-up results; its block 1 became void once.

    The slots `left_out` are still to be played.
    """
    state = unplayed(closed=closed, blocks=blocks, form=form, sittings=sittings, second_name=second_name)
    if form is not None and form.kind in DRAWN:
        play_rounds(state)
        return state
    make_void(state, 1)
    for slot in range(len(state.schedule)):
        if slot not in left_out:
            count(state, slot + (len(state.schedule) if slot == 1 else 0))
    return state


def unplayed(
    *,
    closed: bool = False,
    blocks: int = 3,
    form: Format | None = None,
    sittings: str = APART,
    second_name: str = "bob",
) -> ScheduledTournament:
    """Returns a tournament of four bots, two of which keep nothing, without results.

    `second_name` is what the second bot is called.
    """
    bots = (
        BotEntry("alice", author="a"),
        BotEntry(second_name, author="b", command=("./bob", "--secret"), env={"KEY": "secret"}),
        BotEntry("random", "random", stateless=True),
        BotEntry("first", "first", stateless=True),
    )
    tournament = Tournament(
        "spring", (TournamentGame("naga", blocks=blocks),), bots, form or Format(), sittings=sittings
    )
    stored = StoredTournament(
        definition=tournament.definition(),
        master=MASTER,
        blocks=ClosedBlocks(lines={}),
        results={},
        created=set(),
        unreleased=set(),
        withdrawn={},
        no_shows={},
        attempts=3,
        pardons=0,
        alive_ms=0,
        closed=closed,
    )
    return ScheduledTournament(tournament, stored)


def play_rounds(state: ScheduledTournament) -> None:
    """Plays the rounds that are drawn; the first block became void once, and a knockout's first round is even."""
    closed, state.stored.closed = state.stored.closed, False
    while (drawn := state.next_round()) is not None:
        for block in state.begin_round(drawn):
            if block.slot == 0:
                make_void(state, 0)
            even = bool(state.tournament.format.seeds) and len(state.stored.rounds) == 1
            count(state, state.schedule.turn(block.slot, state.stored.blocks.attempts).number, even=even)
    state.stored.closed = closed


def count(state: ScheduledTournament, number: int, without: str = "", *, even: bool = False) -> None:
    """Gives a block results that count, but for those of a bot. If they are even, all matches are draws."""
    block = state.schedule.block(number)
    results = [
        MatchResult(match.match_id, number, match.deal, match.bots, scores, ended_ms=1_767_225_600_000 + place)
        for place, match in enumerate(block.matches)
        for scores in [tuple(0 if even else seat * (-1) ** place * (1 + place % 2) for seat in (1, -1))]
        if without not in match.bots
    ]
    state.close(ClosedBlock(number, block.slot, block.game, tuple(results), len(results), at_ms=1_767_225_700_000))


def make_void(state: ScheduledTournament, number: int, absent: str = "") -> None:
    """Voids the block, for a bot's absence or else its first bot's; only its first match has a result."""
    block = state.schedule.block(number)
    first_match, *_, last = block.matches
    result = MatchResult(
        first_match.match_id, number, first_match.deal, first_match.bots, (1, -1), ended_ms=1_767_225_600_000
    )
    void = VoidBlock(number, block.slot, "no_show", last.match_id, (absent or block.bots[0],), 1_767_225_700_000)
    state.close(ClosedBlock(number, block.slot, block.game, (result,), void=void, at_ms=void.at_ms))


def lines_of(state: ScheduledTournament) -> Lines:
    return [json.loads(json.dumps(line)) for line in export(state)]


def texts(lines: Lines) -> list[str]:
    return [json.dumps(line) + "\n" for line in lines]


def first(lines: Lines, kind: str, **fields: Any) -> dict[str, Any]:
    return next(line for line in lines if line["kind"] == kind and fields.items() <= line.items())


def another_seed(lines: Lines) -> set[str]:
    line = first(lines, "block")
    line["seed"] = line["seed"][:-1] + ("0" if line["seed"][-1] != "0" else "1")
    return {"BLOCK_SEED"}


def another_deal(lines: Lines) -> set[str]:
    line = first(lines, "deal")
    line["seed"] = line["seed"][::-1]
    return {"DEAL_SEED"}


def another_result(lines: Lines) -> set[str]:
    line = first(lines, "match", counts=True)
    line["result"]["scores"] = [-score or 7 * (-1) ** at for at, score in enumerate(line["result"]["scores"])]
    line["result"]["scores"][0] -= sum(line["result"]["scores"])
    return {"DIGEST"}


def a_block_left_out(lines: Lines) -> set[str]:
    number = first(lines, "block", state="counted")["block"]
    lines[:] = [line for line in lines if line.get("block") != number]
    count_again(lines)
    has_standings = any(line["kind"] == "standings" for line in lines)  # which are of the point after that block
    return {"BLOCK_MISSING", "END", *(("STANDINGS",) if has_standings else ())}


def count_again(lines: Lines) -> dict[str, Any]:
    """Makes the numbers of the end line fit the lines."""
    end = first(lines, "end")
    for kind, name in (("block", "blocks"), ("deal", "deals"), ("match", "matches")):
        end[name] = sum(line["kind"] == kind for line in lines)
    return end


def end_again(lines: Lines) -> None:
    """Makes the end line fit the lines."""
    end = count_again(lines)
    end["results_digest"] = results_digest(bytes.fromhex(line["digest"]) for line in lines if "digest" in line).hex()


def a_planted_match(lines: Lines) -> set[str]:
    line = first(lines, "match", counts=True)
    planted = deepcopy(line) | {"match_id": f"{line['match_id']}zz"}
    seed = bytes.fromhex(first(lines, "deal", block=line["block"], deal=line["deal"])["seed"])
    result = line["result"]
    digest = match_digest(planted["match_id"], seed, line["bots"], result["scores"], ended_ms=result["ended_ms"])
    lines.insert(-1, planted | {"digest": digest.hex()})
    end_again(lines)
    return {"MATCH"}


def a_planted_deal(lines: Lines) -> set[str]:
    line = first(lines, "deal")
    lines.insert(lines.index(line), line | {"deal": -1})
    end_again(lines)
    return {"DEAL_SEED"}


def a_second_tournament(lines: Lines) -> set[str]:
    lines.insert(-1, deepcopy(lines[0]))
    return {"DEFINITION"}


def a_second_end(lines: Lines) -> set[str]:
    lines.append(deepcopy(lines[-1]))
    return {"END"}


def an_end_before_the_end(lines: Lines) -> set[str]:
    lines.insert(-1, lines.pop())
    return {"END"}


def matches_in_another_order(lines: Lines) -> set[str]:
    at = lines.index(first(lines, "match"))
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    end_again(lines)
    return {"ORDER"}


def blocks_in_another_order(lines: Lines) -> set[str]:
    later = [line for line in lines if line.get("block") == 1]
    lines[:] = [*lines[:1], *later, *(line for line in lines[1:] if line not in later)]
    end_again(lines)
    return {"ORDER"}


def a_void_block_put_down_to_a_stranger(lines: Lines) -> set[str]:
    first(lines, "block", state="void")["void_bots"].append("stranger")
    return {"BLOCK"}


def a_void_block_without_a_cause(lines: Lines) -> set[str]:
    first(lines, "block", state="void")["void_cause"] = ""
    return {"BLOCK"}


def a_cause_of_a_block_that_counts(lines: Lines) -> set[str]:
    first(lines, "block", state="counted")["void_cause"] = "lost"
    return {"BLOCK"}


def a_swapped_seat(lines: Lines) -> set[str]:
    bots = first(lines, "match", counts=True)["bots"]
    bots[0], bots[1] = bots[1], bots[0]
    return {"SEATS", "DIGEST"}


Doctor = Callable[[Lines], set[str]]
DOCTORS: Final[tuple[Doctor, ...]] = (
    another_seed,
    another_deal,
    another_result,
    a_block_left_out,
    a_swapped_seat,
    a_planted_match,
    a_planted_deal,
    a_second_tournament,
    a_second_end,
    an_end_before_the_end,
    matches_in_another_order,
    blocks_in_another_order,
    a_cause_of_a_block_that_counts,
)
"""Each changes one thing of any export, and says by which codes that must be found."""
VOID_DOCTORS: Final[tuple[Doctor, ...]] = (a_void_block_put_down_to_a_stranger, a_void_block_without_a_cause)
"""The same, of an export with a void block."""


def doctored(lines: Lines, doctor: Doctor) -> tuple[Lines, set[str]]:
    """Returns a changed copy, and the codes."""
    copy = deepcopy(lines)
    return copy, doctor(copy)
