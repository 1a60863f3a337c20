"""What is played, what comes next, and who has what of the room."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.front import messages
from fudaba_arena.play.hosted import HostedTournament
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen import ChosenSchedule
from fudaba_arena.schedule.shares import Share, matches_in_play
from fudaba_arena.store.time_use import entry_of

__all__ = ["queue"]

_SOON: Final = 20
_MOST_SOON: Final = 100


def queue(of: HostedTournament, parked: Collection[int], size: int) -> arena_pb2.GetQueueResponse:
    """What is played, and what is played next."""
    state, playing = of.state, messages.playing(of)
    size = min(size or _SOON, _MOST_SOON)
    coming = (block for block in state.unfinished() if block.number not in parked and block.number not in playing)
    soon = list(islice(coming, size)) if not state.stored.closed else []
    told = arena_pb2.GetQueueResponse(
        blocks=[
            *(_queued(of, state.schedule.block(number), playing) for number in sorted(playing)),
            *(_queued(of, block, playing) for block in soon),
        ]
    )
    left = len(state.schedule) - state.stored.blocks.counted - len(parked) - len(playing) - len(soon)
    if state.schedule.whole:
        told.more = 0 if state.stored.closed else max(0, left)
    if not state.stored.closed:
        told.shares.extend(_shares(of, [state.schedule.block(number) for number in sorted(playing)]))
    if not told.blocks:
        told.idle_because = of.idle_because
    return told


def _queued(of: HostedTournament, block: Block, playing: Collection[int]) -> arena_pb2.QueuedBlock:
    begun, schedule = block.number in playing, of.state.schedule
    chosen_for = schedule.chosen.kind(block.slot).chosen_for if isinstance(schedule, ChosenSchedule) else ""
    first = arena_pb2.QUEUE_CAUSE_FEWEST_BLOCKS if chosen_for else arena_pb2.QUEUE_CAUSE_SCHEDULED
    told = arena_pb2.QueuedBlock(
        block=messages.block(of.state, block, playing),
        cause=arena_pb2.QUEUE_CAUSE_REPLACEMENT if block.attempt else first,
        chosen_for=chosen_for,
        waits_for=of.plan.waits_for(block) if of.plan is not None and not begun else (),
    )
    if begun and (begun_ms := of.begun_ms(block)):
        told.begin_time.FromMilliseconds(begun_ms)
    return told


@final
@dataclass(slots=True)
class _Held:
    """What an entry has in play."""

    blocks: int = 0
    since_ms: int = 0


def _shares(of: HostedTournament, playing: Collection[Block]) -> list[arena_pb2.EntryShare]:
    """Who has what, who has most first."""
    held: dict[str, _Held] = {}
    for block in playing:
        begun_ms = of.begun_ms(block)
        for name in {entry_of(bot) for bot in block.bots}:
            one = held.setdefault(name, _Held())
            one.blocks += 1
            one.since_ms = min(one.since_ms or begun_ms, begun_ms or one.since_ms)
    matches = matches_in_play(playing, of.state.stored.results)
    shares, wanting = of.shares()
    told = []
    for name in shares.keys() | held.keys():
        share, one = shares.get(name, Share()), held.get(name, _Held())
        told.append(
            arena_pb2.EntryShare(
                entry=name,
                blocks=one.blocks,
                matches=matches.get(name, 0),
                used_seconds=share.used_ms / 1000,
                share=share.part,
                due_share=1 / len(wanting) if name in wanting else 0.0,
                owed_seconds=share.owed_ms / 1000,
                waits=share.waits,
            )
        )
        if one.since_ms:
            told[-1].since.FromMilliseconds(one.since_ms)
    return sorted(told, key=lambda one: (-one.matches, -one.used_seconds, one.entry))
