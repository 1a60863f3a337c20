"""Puts the numbers of an arena into words, for the run's lines, its reports and its checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from fudaba_arena.schedule.block_numbers import GROWING
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.schedule.swiss import SwissSchedule
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_games.wording import counted

__all__ = ["block_name", "by_cause", "is_are", "planned", "reasons", "round_begins", "span", "void_cause"]

_VOID: Final = {
    "no_show": "a bot did not connect",
    "organiser": "the organiser aborted a match",
    "lost": "the service lost a match",
    "stopped": "the arena was stopped",
    "away": "the arena was away",
    "worker_lost": "the worker that played it died",
    "worker_slow": "bots lost time on the worker that played it",
    "starved": "a bot did not get its share of a core on the worker that played it",
    "other_match": "the service had another match under the id of one of its matches",
    "no_runtime": "no worker had the runtime that a bot needs",
    "suspended": "the account of a bot was suspended or deleted",
    "host": "the host of the worker that played it could not start a bot, or not reach the service",
    "rules_changed": "the service got another version of the game's rules",
}
_FORFEITS: Final = {
    "resigned": "by resigning",
    "timeouts": "by timeouts",
    "illegal": "by illegal answers",
    "crashed": "by crashes",
    "cpu": "by using up its processor time",
    "limit": "by going over a limit",
    "absent": "by being away",
}


def block_name(block: Block) -> str:
    """Returns the name of a block: its number, or for a later attempt of a ladder's block that of the first attempt."""
    return str(block.number) if block.number < GROWING.step else f"{block.slot} (attempt {block.attempt + 1})"


def is_are(number: int) -> str:
    """Returns the verb for this many."""
    return "is" if number == 1 else "are"


def span(schedule: Schedule, game: str = "") -> str:
    """Says that a game's blocks hold several groups of bots, if they do, since readers would expect more blocks.

    The text begins with a space; it is empty if every block holds one group. Without a game, it covers the only game,
    and is empty for several.
    """
    if not game and len(schedule.games) > 1:
        return ""
    part = schedule.part(game or schedule.games[0])
    groups = counted(part.groups, "pairing" if part.seats == 2 else "group")
    return f" (a block spans up to {part.widest} of the {groups})" if part.widest > 1 else ""


def planned(schedule: Schedule) -> str:
    """Lists what is played: `2 blocks, 4 matches of naga; 6 blocks, 120 matches of napoleon`."""
    parts = {game: schedule.part(game) for game in schedule.games}
    if isinstance(schedule, KnockoutSchedule):
        [(game, part)] = parts.items()
        rounds = counted(schedule.rounds, "round")
        groups = counted(part.groups, "pairing" if part.seats == 2 else "group")
        return f"{rounds} of {schedule.kind}, {groups}, {counted(part.matches, 'match')} of {game}"
    if isinstance(schedule, SwissSchedule):
        rounds = counted(schedule.rounds, "round")
        return "; ".join(
            f"{rounds} of {counted(schedule.groups(game), 'group')}, {counted(part.matches, 'match')} of {game}"
            for game, part in parts.items()
        )
    return "; ".join(
        f"{counted(part.blocks, 'block')}{span(schedule, game)}, {counted(part.matches, 'match')} of {game}"
        for game, part in parts.items()
    )


def round_begins(schedule: Schedule, drawn: DrawnRound, number: int) -> str:
    """Announces the drawn round with this number, from 0, with the number of groups and the byes."""
    groups = len({group for block in drawn.blocks for group in block.groups})
    if isinstance(schedule, KnockoutSchedule):
        if drawn.bracket_round is None:
            return "the bracket is decided"
        number = drawn.bracket_round
        if not drawn.byes:
            plays = "plays" if groups == 1 else "play"
            why = "blocks were annulled, or points are even" if drawn.annulled else "points are even"
            return f"{counted(groups, 'group')} {plays} further blocks in round {number + 1}: {why}"
    rounds = schedule.rounds if isinstance(schedule, SwissSchedule | KnockoutSchedule) else 0
    several = len(drawn.byes) > 1
    byes = [
        f"{' and '.join(bots)} {'have' if len(bots) > 1 else 'has'} a bye{f' in {game}' if several else ''}"
        for game, bots in drawn.byes.items()
        if bots
    ]
    return "; ".join([f"round {number + 1} of {rounds} begins: {counted(groups, 'group')}", *byes])


def void_cause(cause: str, bots: Sequence[str] = ()) -> str:
    """Returns why a block is void, from the fields of `VoidBlock`."""
    if cause == "no_show" and bots:
        return f"{' and '.join(bots)} did not connect"
    return _VOID.get(cause, cause)


def reasons(causes: Sequence[str]) -> str:
    """Returns why the attempts at a parked block failed: `a bot did not connect (2 times), the service lost a
    match`.
    """
    if not causes:
        return "its bots play no more"
    often = Counter(causes)
    return ", ".join(cause if number == 1 else f"{cause} ({number} times)" for cause, number in often.items())


def by_cause(forfeits: Mapping[str, int]) -> str:
    """Returns how a bot's forfeits came about: `2 by timeouts, 1 by resigning`."""
    most_first = sorted(forfeits.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} {_FORFEITS.get(cause, cause)}" for cause, number in most_first)
