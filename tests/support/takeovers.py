"""What is in play while one `fudaba up` takes over from another: a ladder, and a match whose bots pause."""

from __future__ import annotations

import asyncio

from fudaba.client import Client
from fudaba.v1 import arena_pb2, play_pb2, record_pb2
from tests.support.patience import PATIENCE
from tests.support.service.bots import Bot, Choose, by_chance
from tests.support.service.journal import Journal

__all__ = ["LADDER", "UNHURRIED", "blocks", "check_played_on", "pausing"]

LADDER = """\
name = "open"
game = "naga"
options = { deals = 1 }
provisional_blocks = 1
[[bots]]
name = "sensible"
builtin = "sensible"
[[bots]]
name = "random"
builtin = "random"
"""
UNHURRIED = record_pb2.Clock(move_ms=600_000)
FIRST_DECISIONS_COUNT = 12


def blocks(arena: str) -> dict[int, arena_pb2.Block]:
    """Returns the blocks of the ladder's season that are over, by their number."""
    over = {arena_pb2.BLOCK_STATE_COUNTED, arena_pb2.BLOCK_STATE_VOID}
    request = arena_pb2.ListBlocksRequest(tournament="open", page_size=1000)
    found: dict[int, arena_pb2.Block] = {}
    with Client(arena) as client:
        while True:
            page = client.arena.ListBlocks(request, timeout=PATIENCE)
            found |= {block.number: block for block in page.blocks if block.state in over}
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token


def pausing(go_on: asyncio.Event) -> Choose:
    """Returns a way to choose that decides a few times and then thinks until `go_on` is set."""

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        if len(journal.decisions) > FIRST_DECISIONS_COUNT:
            await go_on.wait()
        await by_chance(bot, journal, decision)

    return choose


def check_played_on(before: dict[int, arena_pb2.Block], after: dict[int, arena_pb2.Block]) -> None:
    """Checks that blocks which were over stayed as they were, and that none since was lost or counts twice."""
    assert {number: after[number] for number in before} == before
    assert not [block for block in after.values() if block.void_cause == arena_pb2.VOID_CAUSE_LOST]
    slots = [block.slot for block in after.values() if block.state == arena_pb2.BLOCK_STATE_COUNTED]
    assert len(slots) == len(set(slots))
