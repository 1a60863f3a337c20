"""The reasons why blocks of a tournament are void."""

from __future__ import annotations

from fudaba.v1 import arena_pb2
from tests.support.arena.standing import Arena


def causes(arena: Arena, name: str) -> set[arena_pb2.VoidCause.ValueType]:
    """Returns why blocks of a tournament are void."""
    request = arena_pb2.ListBlocksRequest(tournament=name, state=arena_pb2.BLOCK_STATE_VOID)
    with arena.client("") as client:
        return {block.void_cause for block in client.arena.ListBlocks(request).blocks}
