"""Verifying records for others: a whole match is replayed for one call, so one at a time, and no endless ones."""

from __future__ import annotations

import asyncio
from typing import Final, final

from fudaba import records
from fudaba.v1 import errors_pb2, record_pb2
from fudaba_service.ending import begin
from fudaba_service.refusals import Refused

__all__ = ["LARGEST", "Verifier"]

LARGEST: Final = 512 * 1024
"""The largest record that is verified, in bytes. One of a long match has tens of kilobytes."""
_MOST: Final = 16
"""How many may wait for their turn, the one in progress included."""


@final
class Verifier:
    """Verifies records, one after another: the thread that does it shares the interpreter with all matches."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._asked = 0

    async def faults(self, record: record_pb2.MatchRecord) -> list[str]:
        """What is wrong with a record. Refuses one that is too large, and one more than may wait."""
        size = record.ByteSize()
        if size > LARGEST:
            raise Refused.malformed(
                f"the record has {size} bytes; at most {LARGEST} are verified here: use `fudaba record verify FILE`"
            )
        if self._asked >= _MOST:
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                f"{_MOST} records wait to be verified, and no more are allowed at once; try again a little later, or "
                "use `fudaba record verify FILE`",
                retry_seconds=1.0,
            )
        self._asked += 1
        # Whoever asked may go; the thread does not stop for that, and the next one waits for it all the same.
        return await asyncio.shield(begin(self._verify(record)))

    async def _verify(self, record: record_pb2.MatchRecord) -> list[str]:
        try:
            async with self._turn:
                return await asyncio.to_thread(records.verify, record)
        finally:
            self._asked -= 1
