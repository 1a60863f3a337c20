"""`fudaba arena annul`: closed blocks that do not count any more."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Final

from fudaba.cli.output import say
from fudaba.client import AsyncClient
from fudaba.v1 import arena_pb2
from fudaba_arena.commands.reading import Reading
from fudaba_arena.commands.stored import chosen_tournament
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.actions import Action, listed
from fudaba_arena.store.annulling import Which, annulment
from fudaba_arena.store.closed_blocks import ClosedBlock
from fudaba_arena.store.folder import open_to_read
from fudaba_games.wording import counted

__all__ = ["annul_anywhere"]

_TIMEOUT: Final = 60.0


async def annul_anywhere(reading: Reading, which: Which, reason: str) -> int:
    """Annuls blocks that count, in a folder or in a standing arena.

    Raises `ArenaError` or `ServiceError` when none that fits does, or one that is named does not.
    """
    if reading.connection is None:
        return await _in_folder(reading, which, reason)
    connection = reading.connection
    request = arena_pb2.AnnulBlocksRequest(blocks=which.blocks, bot=which.bot, reason=reason, worker=which.worker)
    if which.since is not None:
        request.since.FromDatetime(which.since)
    if which.until is not None:
        request.until.FromDatetime(which.until)
    async with AsyncClient(
        connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert
    ) as client:
        request.tournament = await reading.chosen()
        done = await client.arena.AnnulBlocks(request, timeout=_TIMEOUT)
    _tell(request.tournament, len(done.blocks), done.tournament.progress.blocks_counted)
    return 0


async def _in_folder(reading: Reading, which: Which, reason: str) -> int:
    async with open_to_read(reading.data, reading.redis) as store:
        chosen = await chosen_tournament(store, reading.file, reading.name)
        stored = await store.load(chosen, entries=bool(which.worker))
        if stored is None:
            raise ArenaError(f"there is no tournament {chosen} in this store")
        blocks = stored.blocks

        async def entries(numbers: Collection[int]) -> dict[int, ClosedBlock]:
            return {number: entry for number in numbers if (entry := blocks.entry(number)) is not None}

        found = await annulment(blocks, entries, which, reason, int(time.time() * 1000))
        await store.annul(chosen, found)
        about = {"tournament": chosen, "blocks": listed(found.blocks), "reason": found.reason}
        await store.actions.add(Action(found.at_ms, "ArenaService.AnnulBlocks", subject=about))
        _tell(chosen, len(found.blocks), blocks.counted - len(blocks.annulled) - len(found.blocks))
    return 0


def _tell(name: str, blocks: int, left: int) -> None:
    say(f"annulled: {counted(blocks, 'block')} of {name}; {left} are rated", err=True)
