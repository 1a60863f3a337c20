"""Verifies records for others. Each call replays a whole match, so only one runs at a time, and none runs for ever.

The longest record takes a third of a second. Its thread shares the interpreter with all matches, and would delay them
by 5 ms several times a move, so it rests often, which yields the interpreter.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, final

from fudaba import records
from fudaba.v1 import errors_pb2, record_pb2
from fudaba_service.refusals import Refused
from fudaba_serving.process.tasks import spawn

__all__ = ["MAX_RECORD_BYTES", "Rests", "Verifier"]

MAX_RECORD_BYTES: Final = 512 * 1024
"""The largest record that the service verifies. The record of a long match has tens of kilobytes."""
_MAX_WAITING: Final = 16
"""The number of verifications that may wait, including the one in progress."""
_WORK_SECONDS: Final = 0.0005
_YIELD_SECONDS: Final = 0.0001
"""The times for which a verification works and rests, in seconds. After a rest of 0, the waiting event loop would wake
up too late.
"""


@final
class Verifier:
    """Verifies records, one after another."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._asked = 0

    async def faults(self, record: record_pb2.MatchRecord) -> list[str]:
        """Verifies a record. Refuses a record that is too large, and a call when too many wait."""
        size = record.ByteSize()
        if size > MAX_RECORD_BYTES:
            raise Refused.malformed(
                f"the record has {size} bytes; at most {MAX_RECORD_BYTES} are verified here: "
                "use `fudaba record verify FILE`"
            )
        if self._asked >= _MAX_WAITING:
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                f"{_MAX_WAITING} records wait to be verified, and no more are allowed at once; try again a little "
                "later, or use `fudaba record verify FILE`",
                retry_seconds=1.0,
            )
        self._asked += 1
        # Whoever asked may go; the thread does not stop for that, and the next one waits for it anyway.
        return await asyncio.shield(spawn(self._verify(record)))

    async def _verify(self, record: record_pb2.MatchRecord) -> list[str]:
        try:
            async with self._turn:
                return await asyncio.to_thread(records.verify, record, Rests())
        finally:
            self._asked -= 1


@final
class Rests:
    """A function to call repeatedly during work. It rests when the work has gone on for a while."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._since = clock()

    def __call__(self) -> None:
        """Rests if it is due."""
        if self._clock() - self._since > _WORK_SECONDS:
            self._sleep(_YIELD_SECONDS)
            self._since = self._clock()
