"""Ladders that uploads enter, and what counts of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import OPEN, blocks, call
from tests.support.arena.standing import Arena

Submit = Callable[..., pb.Submission]
ONE = OPEN.partition('[[bots]]\nname = "random"')[0].replace("concurrency = 2", "concurrency = 1")
"""A ladder with one bot of its own, which plays one match at once: each has a sandbox to start."""


def enter(arena: Arena, token: str, ladder: str, bot: str, version: str = "") -> Any:
    request = arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version=version)
    return call(arena, "EnterLadder", request, token)


def counted(arena: Arena, ladder: str, entrant: str) -> list[arena_pb2.Block]:
    """Returns the blocks that count, in which an entrant played."""
    state = arena_pb2.BLOCK_STATE_COUNTED
    return [block for block in blocks(arena, ladder) if entrant in block.bots and block.state == state]


def voids(arena: Arena, ladder: str, bot: str) -> list[arena_pb2.VoidCause.ValueType]:
    """Returns why blocks of a bot became void."""
    request = arena_pb2.ListBlocksRequest(tournament=ladder, state=arena_pb2.BLOCK_STATE_VOID, page_size=1000)
    return [block.void_cause for block in call(arena, "ListBlocks", request, "").blocks if bot in block.bots]
