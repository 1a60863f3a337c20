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
    answer = arena_pb2.GetQueueResponse(
        blocks=[
            *(_queued(of, state.schedule.block(number), playing) for number in sorted(playing)),
            *(_queued(of, block, playing) for block in soon),
        ]
    )
    left = len(state.schedule) - state.stored.blocks.counted - len(parked) - len(playing) - len(soon)
    if state.schedule.whole:
        answer.more = 0 if state.stored.closed else max(0, left)
    if not state.stored.closed:
        answer.shares.extend(_shares(of, [state.schedule.block(number) for number in sorted(playing)]))
    if not answer.blocks:
        answer.idle_because = of.idle_because
    return answer


def _queued(of: HostedTournament, block: Block, playing: Collection[int]) -> arena_pb2.QueuedBlock:
    begun, schedule = block.number in playing, of.state.schedule
    chosen_for = schedule.chosen.kind(block.slot).chosen_for if isinstance(schedule, ChosenSchedule) else ""
    first = arena_pb2.QUEUE_CAUSE_FEWEST_BLOCKS if chosen_for else arena_pb2.QUEUE_CAUSE_SCHEDULED
    queued = arena_pb2.QueuedBlock(
        block=messages.block(of.state, block, playing),
        cause=arena_pb2.QUEUE_CAUSE_REPLACEMENT if block.attempt else first,
        chosen_for=chosen_for,
        waits_for=of.plan.waits_for(block) if of.plan is not None and not begun else (),
    )
    if begun and (begun_ms := of.begun_ms(block)):
        queued.begin_time.FromMilliseconds(begun_ms)
    return queued


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
            in_play = held.setdefault(name, _Held())
            in_play.blocks += 1
            in_play.since_ms = min(in_play.since_ms or begun_ms, begun_ms or in_play.since_ms)
    matches = matches_in_play(playing, of.state.stored.results)
    shares, wanting = of.shares()
    found = []
    for name in shares.keys() | held.keys():
        share, in_play = shares.get(name, Share()), held.get(name, _Held())
        found.append(
            arena_pb2.EntryShare(
                entry=name,
                blocks=in_play.blocks,
                matches=matches.get(name, 0),
                used_seconds=share.used_ms / 1000,
                share=share.part,
                due_share=1 / len(wanting) if name in wanting else 0.0,
                owed_seconds=share.owed_ms / 1000,
                waits=share.waits,
            )
        )
        if in_play.since_ms:
            found[-1].since.FromMilliseconds(in_play.since_ms)
    return sorted(found, key=lambda entry: (-entry.matches, -entry.used_seconds, entry.entry))
