"""The queue as messages: the blocks in play, the blocks that come next, and each entry's share of the room."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import islice
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import block_messages
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.idle_reasons import IdleReason
from fudaba_arena.schedule.shares import Share, matches_in_play
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["queue"]

_DEFAULT_BLOCKS_LISTED: Final = 20
_MAX_BLOCKS: Final = 100
_DEFAULT_SHARES_LISTED: Final = 100
_MAX_SHARES: Final = 1_000


def queue(
    arena_tournament: ArenaTournament, parked: Collection[int], request: arena_pb2.GetQueueRequest
) -> arena_pb2.GetQueueResponse:
    """Returns the message about the blocks in play, and those that come next."""
    state, playing = arena_tournament.state, block_messages.playing(arena_tournament)
    size = min(request.size or _DEFAULT_BLOCKS_LISTED, _MAX_BLOCKS)
    coming = (block for block in state.unfinished() if block.number not in parked and block.number not in playing)
    soon = list(islice(coming, size)) if not state.stored.closed else []
    answer = arena_pb2.GetQueueResponse(
        blocks=[
            *(_queued(arena_tournament, state.schedule.block(number), playing) for number in sorted(playing)),
            *(_queued(arena_tournament, block, playing) for block in soon),
        ]
    )
    left = len(state.schedule) - state.stored.blocks.counted - len(parked) - len(playing) - len(soon)
    if state.schedule.whole:
        answer.more = 0 if state.stored.closed else max(0, left)
    if not state.stored.closed:
        shares = _shares(arena_tournament, [state.schedule.block(number) for number in sorted(playing)])
        most = nsmallest(min(request.shares_size or _DEFAULT_SHARES_LISTED, _MAX_SHARES), shares)
        answer.shares.extend(_share(standing) for standing in most)
        answer.more_shares = len(shares) - len(most)
    reason = arena_tournament.held_back if answer.blocks else arena_tournament.idle_reason
    if reason is not None:
        answer.idle_because = str(reason)
        answer.idle_reason.CopyFrom(_idle_reason(reason))
    return answer


def _idle_reason(reason: IdleReason) -> arena_pb2.IdleReason:
    message = arena_pb2.IdleReason(
        cause=arena_pb2.IdleCause.Value(f"IDLE_CAUSE_{reason.cause.name}"),
        game=reason.game,
        bot=reason.bot,
        bots_needed=reason.bots_needed,
        bots_found=reason.bots_found,
        different_authors=reason.different_authors,
        some_absent=reason.some_absent,
        withdrawn=reason.withdrawn,
        blocks=reason.blocks,
        narrow=reason.narrow,
    )
    if reason.begins_ms:
        message.begin_time.FromMilliseconds(reason.begins_ms)
    if reason.ends_ms:
        message.end_time.FromMilliseconds(reason.ends_ms)
    return message


def _queued(arena_tournament: ArenaTournament, block: Block, playing: Collection[int]) -> arena_pb2.QueuedBlock:
    begun, schedule = block.number in playing, arena_tournament.state.schedule
    chosen_for = schedule.chosen.kind(block.slot).chosen_for if isinstance(schedule, ChosenSchedule) else ""
    first = arena_pb2.QUEUE_CAUSE_FEWEST_BLOCKS if chosen_for else arena_pb2.QUEUE_CAUSE_SCHEDULED
    queued = arena_pb2.QueuedBlock(
        block=block_messages.block(arena_tournament.state, block, playing),
        cause=arena_pb2.QUEUE_CAUSE_REPLACEMENT if block.attempt else first,
        chosen_for=chosen_for,
        waits_for=arena_tournament.plan.waits_for(block) if arena_tournament.plan is not None and not begun else (),
    )
    if begun and (begun_ms := arena_tournament.begun_ms(block)):
        queued.begin_time.FromMilliseconds(begun_ms)
    return queued


@final
@dataclass(slots=True)
class _Held:
    """The blocks that an entry has in play."""

    blocks: int = 0
    matches: int = 0
    since_ms: int = 0


_NOTHING: Final = _Held()
_NO_SHARE: Final = Share()


@final
@dataclass(frozen=True, slots=True, order=True)
class _Standing:
    """An entry's place in the queue. The entry that has most comes first."""

    order: tuple[int, float, str]
    share: Share = field(compare=False)
    held: _Held = field(compare=False)
    due: float = field(compare=False)


def _shares(arena_tournament: ArenaTournament, playing: Collection[Block]) -> list[_Standing]:
    """Returns each entry's share."""
    held: dict[str, _Held] = {}
    for block in playing:
        begun_ms = arena_tournament.begun_ms(block)
        for name in {entry_of(bot) for bot in block.bots}:
            in_play = held.setdefault(name, _Held())
            in_play.blocks += 1
            in_play.since_ms = min(in_play.since_ms or begun_ms, begun_ms or in_play.since_ms)
    for name, matches in matches_in_play(playing, arena_tournament.state.stored.results).items():
        held.setdefault(name, _Held()).matches = matches
    shares, wanting = arena_tournament.shares()
    found = []
    for name in shares.keys() | held.keys():
        share, in_play = shares.get(name, _NO_SHARE), held.get(name, _NOTHING)
        due = 1 / len(wanting) if name in wanting else 0.0
        found.append(_Standing((-in_play.matches, -share.used_ms, name), share, in_play, due))
    return found


def _share(standing: _Standing) -> arena_pb2.EntryShare:
    share = standing.share
    entry_share = arena_pb2.EntryShare(
        entry=standing.order[2],
        blocks=standing.held.blocks,
        matches=standing.held.matches,
        used_seconds=share.used_ms / 1000,
        share=share.part,
        due_share=standing.due,
        owed_seconds=share.owed_ms / 1000,
        waits=share.waits,
    )
    if standing.held.since_ms:
        entry_share.since.FromMilliseconds(standing.held.since_ms)
    return entry_share
