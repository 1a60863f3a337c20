"""Finds the faults of a ladder's season from the store, the service's records, and the messages to clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple, TypeVar

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.play.workers.block_queue import HEARTBEAT_SECONDS
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.seeds import block_seed, commitment, deal_seed
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from soak.season.tally import Row, tally

__all__ = ["MAX_UNLEASED_SECONDS", "Count", "Evidence", "Finding", "Told", "check"]

T = TypeVar("T")

MAX_UNLEASED_SECONDS: Final = HEARTBEAT_SECONDS + 5.0
"""The time after which the arena takes back a block that a worker has fetched and not begun, plus five seconds."""
_NUMBERS_PER_ATTEMPT: Final = 2**32
"""The step by which a block's number grows with each attempt at its slot."""
_NOBODY: Final = frozenset({"worker_lost", "worker_slow", "starved", "stopped", "away", "lost", "other_match"})
"""The reasons why blocks may be void here: faults of the machines."""
_FORFEITS: Final = {
    record_pb2.FORFEIT_CAUSE_RESIGNED: "resigned",
    record_pb2.FORFEIT_CAUSE_TIMEOUTS: "timeouts",
    record_pb2.FORFEIT_CAUSE_ILLEGAL: "illegal",
}


class Count(Enum):
    """The kind of a finding."""

    TWICE = "stored twice"
    LOST = "lost"
    CHARGED = "charged"
    STUCK = "stuck"
    WRONG = "wrong"


class Finding(NamedTuple):
    """A fault that was found."""

    counts_as: Count
    fault: str
    block: int = -1
    at_ms: int = 0
    """The time when it happened, in milliseconds since 1970; 0 if it is not known."""


class Told(NamedTuple):
    """A message to a follower that a block was closed."""

    number: int
    counted: bool


@dataclass
class Evidence:
    """Everything known about a season that is over."""

    lines: list[bytes]
    """The sequence of closed blocks, as stored."""
    read: list[bytes]
    """The sequence as it was read while it grew: each line when it first appeared."""
    notices: list[Told]
    """The messages to a follower, in order."""
    planned: Mapping[int, tuple[PlannedMatch, ...]]
    """The matches of each closed block."""
    records: Mapping[str, record_pb2.MatchRecord | str]
    """The record of each match with a result, or the reason why there is none."""
    master: bytes = b""
    committed: bytes = b""
    """The commitment that was made before the first match."""
    standings: list[arena_pb2.Standings] = field(default_factory=list)
    """The standings that the arena reports."""
    recomputed: list[arena_pb2.Standings] = field(default_factory=list)
    """The standings that another process computes from the store."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    open_matches: list[str] = field(default_factory=list)
    """Matches of the season that the service still has in play."""
    leftovers: list[str] = field(default_factory=list)
    """The traces in the store of blocks that seem to be open."""
    hidden: list[str] = field(default_factory=list)
    """Matches of closed blocks whose records were refused to strangers."""
    stands: str = ""
    """The reason why the ladder did not go on after the last fault; empty if it did."""
    unleased: Mapping[int, float] = field(default_factory=dict)
    """The longest time, in seconds, for which blocks had no lease while a worker had room and no fault was active."""


def check(evidence: Evidence) -> list[Finding]:
    """Returns all faults."""
    closed = [ClosedBlock.from_line(line) for line in evidence.lines]
    found = [*_sequence(evidence, closed), *_followed(evidence, closed)]
    for block in closed:
        found += _block(evidence, block)
    for bot, why in evidence.withdrawn.items():
        found.append(Finding(Count.CHARGED, f"{bot} was withdrawn: {why}"))
    found += [Finding(Count.STUCK, f"match {match_id} is still in play") for match_id in evidence.open_matches]
    found += [Finding(Count.STUCK, f"the store still has {leftover}") for leftover in evidence.leftovers]
    found += [Finding(Count.STUCK, f"match {match_id} was not released") for match_id in evidence.hidden]
    for number, seconds in evidence.unleased.items():
        if seconds > MAX_UNLEASED_SECONDS:
            text = f"nobody had a lease for it for {seconds:.1f} s, though a worker had room and nothing was struck"
            found.append(Finding(Count.STUCK, text, number))
    if evidence.stands:
        found.append(Finding(Count.STUCK, evidence.stands))
    if commitment(evidence.master) != evidence.committed:
        found.append(Finding(Count.WRONG, "the master is not the one that was committed to"))
    return [*found, *_standings(evidence, closed)]


def _sequence(evidence: Evidence, closed: list[ClosedBlock]) -> Iterator[Finding]:
    """Checks that the sequence only ever grew, and has each block and each result once. Yields the faults."""
    for place, (before, now) in enumerate(zip(evidence.read, evidence.lines, strict=False)):
        if before != now:
            yield Finding(Count.LOST, f"line {place + 1} of the sequence is another one than it was")
            break
    if len(evidence.read) > len(evidence.lines):
        yield Finding(Count.LOST, f"the sequence had {len(evidence.read)} lines, and has {len(evidence.lines)}")
    for number, times in _repeated(closed_block.block for closed_block in closed):
        yield Finding(Count.TWICE, f"it is in the sequence {times} times", number)
    for match_id, times in _repeated(result.match_id for closed_block in closed for result in closed_block.results):
        yield Finding(Count.TWICE, f"the result of match {match_id} is there {times} times")
    slots: dict[int, list[ClosedBlock]] = {}
    for block in closed:
        slots.setdefault(block.slot, []).append(block)
    if slots and slots.keys() != set(range(max(slots) + 1)):
        yield Finding(Count.LOST, "a slot of the sequence has no block")
    for slot, blocks in slots.items():
        yield from _slot(slot, blocks)


def _slot(slot: int, blocks: list[ClosedBlock]) -> Iterator[Finding]:
    """Checks that a slot is filled once, by the attempt after its void ones. Yields the faults."""
    numbers = sorted({block.block for block in blocks})
    if numbers != [slot + _NUMBERS_PER_ATTEMPT * attempt for attempt in range(len(numbers))]:
        yield Finding(Count.LOST, f"an attempt at slot {slot} is missing: there are blocks {numbers}", slot)
    counted = [block.block for block in blocks if block.void is None]
    if len(set(counted)) > 1:
        yield Finding(Count.TWICE, f"slot {slot} has several blocks that count: {counted}", slot)
    elif counted and counted[0] != numbers[-1]:
        yield Finding(Count.TWICE, f"slot {slot} was played again after block {counted[0]} counted", slot)


def _repeated(entries: Iterable[T]) -> list[tuple[T, int]]:
    """Returns the items that occur more than once, with their counts."""
    return [(entry, times) for entry, times in Counter(entries).items() if times > 1]


def _followed(evidence: Evidence, closed: list[ClosedBlock]) -> Iterator[Finding]:
    """Checks that a follower learned of each block once, and of no other block. Yields the faults."""
    stored = {closed_block.block: closed_block for closed_block in closed}
    for notice in evidence.notices:
        block = stored.get(notice.number)
        if block is None:
            yield Finding(Count.LOST, "a follower was told that it is closed, and it is not stored", notice.number)
        elif notice.counted is not (block.void is None):
            now = "does not" if block.void is not None else "does"
            yield Finding(Count.LOST, f"a follower was told otherwise than that it {now} count", notice.number)
    for number, times in _repeated(notification.number for notification in evidence.notices):
        yield Finding(Count.TWICE, f"a follower was told {times} times that it is closed", number)
    for number in stored.keys() - {notification.number for notification in evidence.notices}:
        yield Finding(Count.LOST, "no follower was told that it is closed", number)


def _block(evidence: Evidence, closed: ClosedBlock) -> Iterator[Finding]:
    planned = {match.match_id: match for match in evidence.planned.get(closed.block, ())}
    if closed.void is not None:
        if closed.void.bots or closed.void.cause not in _NOBODY:
            blamed = ", ".join(closed.void.bots) or "nobody"
            yield Finding(Count.CHARGED, f"it is void by {closed.void.cause} of {blamed}", closed.block, closed.at_ms)
    elif closed.counting != len(planned):
        yield Finding(
            Count.LOST,
            f"{closed.counting} of its {len(planned)} matches have results that count",
            closed.block,
            closed.at_ms,
        )
    for result in closed.results:
        match = planned.get(result.match_id)
        if match is None or match.bots != result.bots or match.deal != result.deal:
            yield Finding(Count.WRONG, f"match {result.match_id} is none of its matches", closed.block, result.ended_ms)
        elif closed.void is None:
            yield from _result(evidence, closed, result)


def _result(evidence: Evidence, closed: ClosedBlock, result: MatchResult) -> Iterator[Finding]:
    """Checks that a counted result agrees with its record and its deal, and that no time ran out in it. Yields the
    faults.
    """

    def wrong(count: Count, text: str, at_ms: int = result.ended_ms) -> Finding:
        return Finding(count, f"match {result.match_id} ({closed.game}): {text}", closed.block, at_ms)

    if result.forfeited:
        yield wrong(Count.CHARGED, f"{result.forfeited} forfeited it by {result.forfeit_cause}")
    record = evidence.records.get(result.match_id, "nobody asked for it")
    if isinstance(record, str):
        yield wrong(Count.LOST, f"there is no record: {record}")
        return
    end = record.end
    bots = tuple(f"{player.bot}@{player.version}" for player in record.header.players)
    forfeited = result.bots[end.forfeited_seat] if end.HasField("forfeited_seat") else ""
    recorded = tuple(end.outcome.scores), forfeited, _FORFEITS.get(end.forfeit_cause, "")
    if recorded != (result.scores, result.forfeited, result.forfeit_cause) or bots != result.bots:
        yield wrong(Count.WRONG, f"its record says {recorded} of {bots}, and {result} is stored")
    if record.seed != deal_seed(block_seed(evidence.master, closed.block), result.deal):
        yield wrong(Count.WRONG, "its deal does not come from the master")
    for entry in record.log:
        if entry.WhichOneof("what") in {"timeout", "illegal"}:
            bot, kind = result.bots[entry.seat], entry.WhichOneof("what")
            spent = entry.spent.bot_us / 1e6
            text = f"{bot} is charged with {kind} at decision {entry.decision_id} after {spent:.1f} s"
            yield wrong(Count.CHARGED, text, entry.at_ms)


def _standings(evidence: Evidence, closed: list[ClosedBlock]) -> Iterator[Finding]:
    if [table.SerializeToString(deterministic=True) for table in evidence.standings] != [
        table.SerializeToString(deterministic=True) for table in evidence.recomputed
    ]:
        yield Finding(Count.WRONG, "the arena tells other standings than those computed anew from what is stored")
    counted = tally(closed)
    for standings in evidence.standings:
        for listed in standings.rows:
            row = counted.get((standings.game, listed.bot), Row())
            there = Row(listed.points, listed.matches, listed.wins, listed.draws, listed.losses, listed.blocks)
            if standings.game != "overall" and there != row:
                text = f"{listed.bot} stands at {there} in {standings.game}, and its results add up to {row}"
                yield Finding(Count.WRONG, text)
