"""A tournament rebuilt from its export, with enough to rate its bots again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import Entries, EntryChange
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import APART, BotEntry, Tournament
from fudaba_arena.tournament.formats import Format
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.panel import Panel
from fudaba_arena.tournament.season import Season

__all__ = ["LADDER", "annulled_bots", "chosen_of", "closed_blocks", "games_of", "left_bots", "rebuilt"]

LADDER: Final = "ladder"
"""The name of a ladder season's format in an export."""

Line = Mapping[str, Any]


def rebuilt(head: Line, others: Iterable[Line]) -> ScheduledTournament:
    """Returns the state that an export describes, without what is secret. Raises `ValueError` if it is inconsistent."""
    lines: dict[str, list[Line]] = {}
    for line in others:
        lines.setdefault(line["kind"], []).append(line)
    entries = Entries()
    entries.add(map(entry_change_of, lines.get("entry", ())))
    listed = any("annulments" in line for line in lines.get("end", ()))
    annulments = lines.get("annulment", []) if listed else None
    stored = StoredTournament(
        definition={},
        master=bytes(32),
        blocks=closed_blocks(lines.get("block", []), lines.get("match", []), annulments),
        results={},
        created=set(),
        unreleased=set(),
        withdrawn={},
        no_shows={},
        attempts=1,
        pardons=0,
        alive_ms=0,
        closed=head["master"] is not None,
        rounds=[DrawnRound.from_values(dict(line)) for line in lines.get("round", ())],
        chosen=[chosen_of(line) for line in lines.get("chosen", ())],
        entries=entries,
    )
    return ScheduledTournament(_tournament(head), stored)


def chosen_of(line: Line) -> ChosenBlock:
    """Returns the block that a line of a ladder's season describes, with its players."""
    groups = tuple(map(tuple, line["groups"]))
    return ChosenBlock(
        line["game"],
        groups,
        line["shared"],
        line["chosen_for"],
        line["at_ms"],
        line["final"],
        generation=line.get("generation", ""),
        edits=line.get("edits", 0),
    )


def entry_change_of(line: Line) -> EntryChange:
    """Returns the change of entries that a line describes."""
    return EntryChange(
        line["change"],
        line["at_ms"],
        line["bot"],
        line["version"],
        line["author"],
        games=tuple(line["games"]),
        submission=line.get("submission", ""),
        stateless=line.get("stateless", False),
        late=line.get("late", False),
        in_time=line.get("in_time", False),
    )


def _tournament(head: Line) -> Tournament:
    definition = head["definition"]
    ladder = definition["format"] == LADDER
    return Tournament(
        name=head["name"],
        games=games_of(definition),
        bots=tuple(
            BotEntry(
                bot["bot"],
                stateless=bot["stateless"],
                author=bot["author"],
                version=bot["version"],
                games=tuple(bot["games"]),
            )
            for bot in definition["bots"]
        ),
        format=Format() if ladder else Format.from_definition(definition),
        same_author=definition["same_author"],
        season=_season(definition["season"]) if ladder else None,
        sittings=definition.get("sittings", APART),
    )


def games_of(definition: Line) -> tuple[TournamentGame, ...]:
    """Returns the games of a definition."""
    return tuple(
        TournamentGame(
            game["game"], game["seats"], game["options"], game["blocks"], game["deals"], float(game["win_margin"])
        )
        for game in definition["games"]
    )


def _season(line: Line) -> Season:
    return Season(
        ladder=line["ladder"],
        number=line["number"],
        provisional_blocks=line["provisional_blocks"],
        narrow=line["narrow"],
        final_blocks=line["final_blocks"],
        begins_ms=line["begins_ms"],
        ends_ms=line["ends_ms"],
        rank_half=line.get("rank_half", 0.0),
        idle_days=line.get("idle_days", 0),
        final_apart_blocks=line.get("final_apart_blocks", 0),
        overall_shares=line.get("overall_shares", False),
        panels=tuple(map(Panel.from_definition, line.get("panels", ()))),
        absence=AbsenceRule.from_definition(line["absence"]) if line.get("absence") else None,
    )


def closed_blocks(blocks: Collection[Line], matches: Iterable[Line], annulments: Iterable[Line] | None) -> ClosedBlocks:
    """Returns the sequence of closed blocks.

    `annulments` is None for an export of an earlier release, in which only the lines of blocks mention annulments.
    """
    of_block: dict[int, list[Line]] = {}
    for match in matches:
        of_block.setdefault(match["block"], []).append(match)
    found = ClosedBlocks(lines={})
    in_order = sorted(blocks, key=lambda line: line.get("sequence", 0))
    found.add([_closed(line, of_block.get(line["block"], [])).line() for line in in_order])
    if annulments is None:
        found.hold([_annulment(line["block"], line["annulled"]) for line in blocks if line.get("annulled")])
        return found
    found.hold([
        Annulment(
            tuple(line["blocks"]),
            line["reason"],
            line["at_ms"],
            tuple(line["bots"]),
            line["undoes"],
            line.get("disqualifies", ""),
            line["after"],
        )
        for line in annulments
    ])  # fmt: skip
    return found


def _annulment(block: int, line: Line) -> Annulment:
    return Annulment((block,), line["reason"], line["at_ms"], tuple(line.get("bots", ())))


def left_bots(line: Line, bots: Collection[str]) -> frozenset[str]:
    """Returns the bots of a match whose results count under the annulments of its block, which counts; empty if its
    group is annulled, or fewer than two are left.
    """
    annulled = line.get("annulled") or {}
    left = frozenset(bots).difference(annulled.get("struck", ()))
    return left if annulled_bots(line).isdisjoint(bots) and len(left) > 1 else frozenset()


def annulled_bots(line: Line) -> frozenset[str]:
    """Returns the bots whose matches are annulled in a block that counts without some of its groups; empty for any
    other block.
    """
    return frozenset((line.get("annulled") or {}).get("bots", ()))


def _closed(line: Line, matches: Iterable[Line]) -> ClosedBlock:
    number, ended = line["block"], [match for match in matches if match["result"] is not None]
    counted = [match for match in ended if match.get("counted", match["counts"])]
    results = tuple(
        MatchResult(
            match["match_id"],
            number,
            match["deal"],
            tuple(match["bots"]),
            tuple(match["result"]["scores"]),
            match["result"]["forfeited_by"],
            match["result"]["forfeit_cause"],
            match["result"]["ended_ms"],
        )
        for match in [*counted, *(match for match in ended if match not in counted)]
    )
    void = None
    if line["state"] == "void":
        void = VoidBlock(number, line["slot"], line["void_cause"], "", tuple(line["void_bots"]))
    at_ms = line.get("closed_ms", 0)
    return ClosedBlock(number, line["slot"], line["game"], results, len(counted), void, at_ms)
