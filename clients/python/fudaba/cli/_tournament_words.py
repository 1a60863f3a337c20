"""A tournament, its blocks and its changes, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fudaba.cli.clock import NO_NETWORK_CREDIT
from fudaba.cli.output import moment
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = [
    "block_name",
    "bots_of",
    "change_line",
    "cores_per_seat",
    "ponder",
    "progress",
    "sittings",
    "state",
    "tournament_lines",
    "why_void",
]

_NUMBERS_PER_ATTEMPT: Final = 2**32
"""The step of a ladder's block number from one attempt to the next."""


def tournament_lines(found: arena_pb2.Tournament) -> list[str]:
    """Returns the output of `fudaba tournament show`."""
    definition, so_far = found.definition, found.progress
    lines = [
        f"tournament {found.name} ({found.tournament_id}): {state(found)}",
        *([f"stalled because: {line}" for line in found.stalled_because.splitlines()[:1]]),
        *(f"  {line}" for line in found.stalled_because.splitlines()[1:]),
        progress(found),
    ]
    if so_far.blocks_void or so_far.blocks_parked:
        void = counted(so_far.blocks_void, "void block")
        lines.append(f"{void}, {so_far.blocks_parked} parked; see fudaba arena blocks")
    lines += [
        f"game {game.game}: {game.seats} seats"
        + (f", {counted(game.blocks, 'block')} for each pairing" if so_far.HasField("blocks_planned") else "")
        for game in definition.games
    ]
    if definition.HasField("seeded_from"):
        source = definition.seeded_from
        lines.append(f"seeds: the ranks of {source.ladder} in {source.game} at the end of season {source.season}")
    if definition.clock.no_network_credit:
        lines.append(NO_NETWORK_CREDIT)
    lines += sittings(definition)
    lines += cores_per_seat(definition)
    lines += ponder(definition)
    lines += [f"bot {_entrant(entrant)}" for entrant in definition.entrants]
    lines += [f"bot {withdrawal.bot} is withdrawn: {_why(withdrawal)}" for withdrawal in found.withdrawals]
    lines.append(f"commitment to the deals: {found.commitment.hex()}")
    if found.master:
        lines.append(f"the deals are open: master {found.master.hex()}")
    return lines


def sittings(definition: arena_pb2.TournamentDefinition) -> list[str]:
    """Returns a line about how often a deal is played; none if the arena does not tell."""
    from fudaba.v1 import arena_pb2

    descriptions = {
        arena_pb2.SITTINGS_APART: "apart (a deal is played in several seatings, by submitted bots one after the other)",
        arena_pb2.SITTINGS_FRESH: "fresh (no deal is played twice)",
    }
    return [f"sittings: {descriptions[definition.sittings]}"] if definition.sittings in descriptions else []


def cores_per_seat(definition: arena_pb2.TournamentDefinition) -> list[str]:
    """Returns the number of cores for each seat of a submitted bot; empty if seats share cores."""
    given = [limit.value for limit in definition.limits if limit.name == "cores_per_seat" and limit.value]
    return [f"cores: {number:g} of its own for each seat of a submitted bot" for number in given]


def ponder(definition: arena_pb2.TournamentDefinition) -> list[str]:
    """Returns whether submitted bots are frozen while they owe no decision, if they are."""
    frozen = any(limit.name == "ponder" and not limit.value for limit in definition.limits)
    return ["pondering: none (a submitted bot is frozen while it owes no decision)"] if frozen else []


def _entrant(entrant: arena_pb2.Entrant) -> str:
    from fudaba.v1 import arena_pb2

    kind = arena_pb2.EntrantKind.Name(entrant.kind).removeprefix("ENTRANT_KIND_").lower()
    by = f", by {entrant.author}" if entrant.author else ""
    only = f", plays {', '.join(entrant.games)}" if entrant.games else ""
    return f"{entrant.bot} {entrant.version}: {kind}{f' {entrant.builtin}' if entrant.builtin else ''}{by}{only}"


def _why(withdrawal: arena_pb2.Withdrawal) -> str:
    from fudaba.v1 import arena_pb2

    if withdrawal.message:
        return withdrawal.message.splitlines()[0]
    absent = withdrawal.cause == arena_pb2.WITHDRAWAL_CAUSE_NO_SHOW
    return "it did not connect" if absent else "its process cannot be kept running"


def state(found: arena_pb2.Tournament) -> str:
    """Returns the state in words: playing, paused, stalled or closed."""
    from fudaba.v1 import arena_pb2

    return arena_pb2.TournamentState.Name(found.state).removeprefix("TOURNAMENT_STATE_").lower()


def block_name(block: arena_pb2.Block) -> str:
    """Returns the name of a block: its number, or for a later attempt of a ladder's block that of the first attempt."""
    return str(block.number) if block.number < _NUMBERS_PER_ATTEMPT else f"{block.slot} (attempt {block.attempt + 1})"


def progress(found: arena_pb2.Tournament) -> str:
    """Returns the progress in words."""
    so_far = found.progress
    playing = f", {so_far.matches_playing} in play" if so_far.matches_playing else ""
    if not so_far.HasField("blocks_planned"):  # a season of a ladder
        return f"{counted(so_far.matches_counted, 'match')} in {counted(so_far.blocks_counted, 'block')}{playing}"
    return (
        f"{so_far.matches_counted} of {counted(so_far.matches_planned, 'match')},"
        f" {so_far.blocks_counted} of {counted(so_far.blocks_planned, 'block')}{playing}"
    )


def change_line(change: arena_pb2.TournamentChange) -> str:
    """Returns a change with its time."""
    from fudaba.v1 import arena_pb2

    at, kind = moment(change.time), change.WhichOneof("change")
    if kind == "block":
        return f"{at}  {_block(change.block)}"
    if kind == "withdrawal":
        return f"{at}  bot {change.withdrawal.bot} is withdrawn: {_why(change.withdrawal)}"
    if kind == "entry":
        return f"{at}  {_entry(change.entry)}"
    return f"{at}  {arena_pb2.TournamentState.Name(change.state).removeprefix('TOURNAMENT_STATE_').lower()}"


def _entry(entry: arena_pb2.EntryChange) -> str:
    from fudaba.v1 import arena_pb2

    return {
        arena_pb2.ENTRY_CHANGE_KIND_ENTERED: f"bot {entry.bot} is entered with version {entry.version}",
        arena_pb2.ENTRY_CHANGE_KIND_PAUSED: f"bot {entry.bot} is paused",
        arena_pb2.ENTRY_CHANGE_KIND_RESUMED: f"bot {entry.bot} is resumed",
        arena_pb2.ENTRY_CHANGE_KIND_LEFT: f"bot {entry.bot} has left",
        arena_pb2.ENTRY_CHANGE_KIND_DISQUALIFIED: f"bot {entry.bot} is disqualified",
        arena_pb2.ENTRY_CHANGE_KIND_REINSTATED: f"bot {entry.bot} is no longer disqualified",
        arena_pb2.ENTRY_CHANGE_KIND_FROZEN: "all versions are frozen; the final is played",
    }.get(entry.kind, "who is entered has changed in a way that this release does not know")


def _block(block: arena_pb2.Block) -> str:
    from fudaba.v1 import arena_pb2

    summary = f"block {block_name(block)} of {block.game}, {bots_of(block)}"
    if block.state != arena_pb2.BLOCK_STATE_VOID:
        return f"{summary}: counts"
    return f"{summary}: void, {why_void(block)}"


def bots_of(block: arena_pb2.Block) -> str:
    """Returns the bots of a block, unless their names are still hidden."""
    return "names hidden" if block.names_hidden else " ".join(block.bots)


def why_void(block: arena_pb2.Block) -> str:
    """Returns why a block is void, in words."""
    from fudaba.v1 import arena_pb2

    if block.void_cause == arena_pb2.VOID_CAUSE_NO_SHOW and block.absent_bots:
        return f"{' and '.join(block.absent_bots)} did not connect"
    return {
        arena_pb2.VOID_CAUSE_NO_SHOW: "a bot did not connect",
        arena_pb2.VOID_CAUSE_ORGANISER: "the organiser aborted a match",
        arena_pb2.VOID_CAUSE_LOST: "the service lost a match",
        arena_pb2.VOID_CAUSE_STOPPED: "the arena was stopped",
        arena_pb2.VOID_CAUSE_AWAY: "the arena was away",
        arena_pb2.VOID_CAUSE_RULES_CHANGED: "the service got another version of the game's rules",
        arena_pb2.VOID_CAUSE_WORKER_LOST: "the worker that played it died",
        arena_pb2.VOID_CAUSE_WORKER_SLOW: "bots lost time on the worker that played it",
        arena_pb2.VOID_CAUSE_NO_RUNTIME: "no worker had the runtime that a bot needs",
        arena_pb2.VOID_CAUSE_SUSPENDED: "the account of a bot was suspended or deleted",
        arena_pb2.VOID_CAUSE_HOST: "the host of the worker that played it could not start a bot",
        arena_pb2.VOID_CAUSE_STARVED: "a bot did not get its share of a core on the worker that played it",
        arena_pb2.VOID_CAUSE_OTHER_MATCH: "the service had another match under the id of one of its matches",
    }.get(block.void_cause, "for a cause that this release does not know")
