"""An archive's index with records of certain days."""

from __future__ import annotations

import asyncio

from fudaba.v1 import record_pb2
from fudaba_service.archive import Archive, ArchiveIndex

DAY_MS = 86_400_000


def record(number: int, created_ms: int, *bots: str, label: str = "", scored: bool = True) -> record_pb2.MatchRecord:
    """Returns a record as the index needs it."""
    made = record_pb2.MatchRecord(salt=bytes(16), seed=bytes(32))
    made.header.match_id, made.header.game, made.header.label = f"m-{number}", ("naga", "namto")[number % 2], label
    made.header.create_time.FromMilliseconds(created_ms)
    for bot in bots:
        made.header.players.add(bot=bot, version="1")
    if scored:
        made.end.outcome.scores.extend([1, -1])
    else:
        made.end.abort_cause = record_pb2.ABORT_CAUSE_ORGANISER
    return made


async def kept(archive: Archive, index: ArchiveIndex, *added: record_pb2.MatchRecord) -> None:
    """Archives records as the service does."""
    for kept_record in added:
        assert await archive.write(kept_record)
    await asyncio.gather(*[index.add(match_record) for match_record in added])
