"""Pages of blocks and matches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from typing import Final

import numpy as np

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import block_messages
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.store.sealed.derived_values import Ints
from fudaba_serving.grpc.pages import Pages

__all__ = ["block_page", "match_page"]

_BLOCKS: Final = Pages("blocks")
_MATCHES: Final = Pages("matches")

Parked = Collection[int]
"""The numbers of a tournament's parked blocks."""


def block_page(
    arena_tournament: ShownTournament, parked: Parked, request: arena_pb2.ListBlocksRequest
) -> arena_pb2.ListBlocksResponse:
    """Returns a page of the blocks that have begun or are parked. Refuses an invalid page token."""
    state, playing = arena_tournament.state, block_messages.playing(arena_tournament)
    closed = state.stored.blocks
    numbers: dict[arena_pb2.BlockState.ValueType, Collection[int] | Ints] = {
        arena_pb2.BLOCK_STATE_PLAYING: playing,
        arena_pb2.BLOCK_STATE_COUNTED: closed.places.numbers()[closed.counting()],
        arena_pb2.BLOCK_STATE_VOID: closed.void,
        arena_pb2.BLOCK_STATE_ANNULLED: closed.annulled,
        arena_pb2.BLOCK_STATE_PARKED: parked,
    }
    wanted = _sorted(*(some for kind, some in numbers.items() if request.state in {0, kind}))
    begin = 0
    if request.page_token:
        begin = int(np.searchsorted(wanted, int(_BLOCKS.place(request.page_token)), side="right"))
    end = begin + _BLOCKS.size(request.page_size)
    page = wanted[begin:end].tolist()
    following = _BLOCKS.token(str(page[-1])) if page and end < len(wanted) else ""
    blocks = [block_messages.block(state, state.schedule.block(number), playing, parked) for number in page]
    return arena_pb2.ListBlocksResponse(blocks=blocks, next_page_token=following)


def _sorted(*some: Collection[int] | Ints) -> Ints:
    """Sorts numbers and drops duplicates."""
    arrays = [
        collection if isinstance(collection, np.ndarray) else np.fromiter(collection, np.int64, len(collection))
        for collection in some
    ]
    # NumPy's `unique` takes a hundred times as long for numbers that nearly are in order.
    numbers: Ints = np.sort(np.concatenate([np.empty(0, np.int64), *arrays]), kind="stable")
    distinct: Ints = numbers[np.concatenate([numbers[:1] == numbers[:1], numbers[1:] != numbers[:-1]])]
    return distinct


async def match_page(
    arena_tournament: ShownTournament, request: arena_pb2.ListTournamentMatchesRequest, *, organiser: bool
) -> arena_pb2.ListTournamentMatchesResponse:
    """Returns a page of the matches of the blocks that have begun. Refuses an invalid page token."""
    state = arena_tournament.state
    if request.HasField("block"):
        there = request.block in state.stored.blocks.places or request.block in block_messages.playing(arena_tournament)
        numbers = [request.block] if there else []
    else:
        numbers = _sorted(state.stored.blocks.places.numbers(), block_messages.playing(arena_tournament)).tolist()
    first, after = 0, -1
    if request.page_token:
        first, after = map(int, _MATCHES.place(request.page_token).split(":"))
    response = arena_pb2.ListTournamentMatchesResponse()
    size = _MATCHES.size(request.page_size)
    page: list[tuple[Block, PlannedMatch]] = []
    following = False
    for number in numbers[bisect_left(numbers, first) :]:
        block = state.schedule.block(number)
        page += [
            (block, planned_match)
            for place, planned_match in enumerate(block.matches)
            if number != first or place > after
        ]
        if following := len(page) > size:
            break
    closed = await arena_tournament.closed_blocks({block.number for block, _ in page[:size]})
    for block, planned in page[:size]:
        response.matches.append(
            block_messages.match(state, block, closed.get(block.number), planned, organiser=organiser)
        )
    if following:
        block, planned = page[size - 1]
        response.next_page_token = _MATCHES.token(f"{block.number}:{block.matches.index(planned)}")
    return response
