"""Blocks and matches in pages, and the queue."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from datetime import UTC
from itertools import islice
from typing import Final

from fudaba.serving.pages import Pages
from fudaba.serving.refusals import Refused
from fudaba.v1 import arena_pb2
from fudaba_arena.front import messages
from fudaba_arena.play.hosted import HostedTournament
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen import ChosenSchedule
from fudaba_arena.store.annulling import Which

__all__ = ["block_page", "match_page", "queue", "which"]

_BLOCKS: Final = Pages("blocks")
_MATCHES: Final = Pages("matches")
_WIDE: Final = 20
_SOON: Final = 20
_MOST_SOON: Final = 100

Parked = Collection[int]
"""The numbers of a tournament's parked blocks."""


def block_page(
    of: HostedTournament, parked: Parked, request: arena_pb2.ListBlocksRequest
) -> arena_pb2.ListBlocksResponse:
    """A page of the blocks that have begun or are parked. Refuses a token that is none."""
    state, playing = of.state, messages.playing(of)
    closed = state.stored.blocks
    numbers = {
        arena_pb2.BLOCK_STATE_PLAYING: playing,
        arena_pb2.BLOCK_STATE_COUNTED: state.stored.blocks.numbers()
        - state.stored.blocks.void.keys()
        - state.stored.blocks.annulled.keys(),
        arena_pb2.BLOCK_STATE_VOID: closed.void.keys(),
        arena_pb2.BLOCK_STATE_ANNULLED: closed.annulled.keys(),
        arena_pb2.BLOCK_STATE_PARKED: parked,
    }
    wanted = set[int]().union(*(some for kind, some in numbers.items() if request.state in {0, kind}))
    names = [f"{number:0{_WIDE}}" for number in sorted(wanted)]
    page, following = _BLOCKS.page(names, request.page_size, request.page_token)
    blocks = [messages.block(state, state.schedule.block(int(name)), playing, parked) for name in page]
    return arena_pb2.ListBlocksResponse(blocks=blocks, next_page_token=following)


def match_page(
    of: HostedTournament, request: arena_pb2.ListTournamentMatchesRequest, *, organiser: bool
) -> arena_pb2.ListTournamentMatchesResponse:
    """A page of the matches of the blocks that have begun. Refuses a token that is none."""
    state = of.state
    numbers = sorted(state.stored.blocks.numbers() | messages.playing(of))
    if request.HasField("block"):
        numbers = [request.block] if request.block in numbers else []
    first, after = 0, -1
    if request.page_token:
        first, after = map(int, _MATCHES.place(request.page_token).split(":"))
    told = arena_pb2.ListTournamentMatchesResponse()
    size = _MATCHES.size(request.page_size)
    for number in numbers[bisect_left(numbers, first) :]:
        block = state.schedule.block(number)
        for place, planned in enumerate(block.matches):
            if number == first and place <= after:
                continue
            if len(told.matches) == size:
                told.next_page_token = _MATCHES.token(f"{first}:{after}")
                return told
            told.matches.append(messages.match(state, block, planned, organiser=organiser))
            first, after = number, place
    return told


def queue(of: HostedTournament, parked: Parked, size: int) -> arena_pb2.GetQueueResponse:
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
    if not told.blocks:
        told.idle_because = of.idle_because
    return told


def which(request: arena_pb2.AnnulBlocksRequest) -> Which:
    """The blocks that are to be annulled. Refuses what is not a time."""
    try:
        since = request.since.ToDatetime(UTC) if request.HasField("since") else None
        until = request.until.ToDatetime(UTC) if request.HasField("until") else None
    except (ValueError, OverflowError):
        raise Refused.malformed("since or until is not a time between the years 1 and 9999") from None
    return Which(tuple(request.blocks), request.bot, since, until)


def _queued(of: HostedTournament, block: Block, playing: Collection[int]) -> arena_pb2.QueuedBlock:
    begun, schedule = block.number in playing, of.state.schedule
    chosen_for = schedule.chosen[block.slot].chosen_for if isinstance(schedule, ChosenSchedule) else ""
    first = arena_pb2.QUEUE_CAUSE_FEWEST_BLOCKS if chosen_for else arena_pb2.QUEUE_CAUSE_SCHEDULED
    return arena_pb2.QueuedBlock(
        block=messages.block(of.state, block, playing),
        cause=arena_pb2.QUEUE_CAUSE_REPLACEMENT if block.attempt else first,
        chosen_for=chosen_for,
        waits_for=of.plan.waits_for(block) if of.plan is not None and not begun else (),
    )
