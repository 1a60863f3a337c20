"""Charges callers for replays of archived matches, and for the first events of a stream."""

from __future__ import annotations

import asyncio
from typing import Final, final

from fudaba_serving.grpc.credit import Credit
from fudaba_serving.grpc.rate_limit import Caller, Callers, replay_cost

__all__ = ["CallPayer", "StreamPayer"]

_EVENTS_PER_CALL: Final = 10
"""The number of events of a match, sent at once, that cost as much as one call or message."""
_MESSAGES_PER_REPLAY: Final = 25.0
"""The cost of a replay for a bot, in messages of its stream."""


@final
class CallPayer:
    """The caller; None has no limits. It is a `Payer`."""

    def __init__(self, callers: Callers, caller: Caller | None) -> None:
        self.turn = asyncio.Lock() if caller is None else caller.turn
        self.trying = asyncio.Lock() if caller is None else caller.trying
        """The lock that this caller's only call that tries moves holds."""
        self._callers = callers
        self._caller = caller

    async def pay(self, size: int) -> None:
        """See `Payer`."""
        if self._caller is not None:
            await self._callers.pay_for_replay(self._caller, size)

    def charge(self, events: int) -> None:
        """See `Payer`. Later calls may have to wait for it."""
        if self._caller is not None:
            self._caller.credit.spend(max(0, events) / _EVENTS_PER_CALL)


@final
class StreamPayer:
    """A bot that names matches when it connects: it waits, and is cut off if that takes long. It is a `Payer`."""

    def __init__(self, callers: Callers, credit: Credit) -> None:
        self.turn = asyncio.Lock()
        self._callers = callers
        self._credit = credit

    async def pay(self, size: int) -> None:
        """See `Payer`."""
        self._credit.spend(_MESSAGES_PER_REPLAY * replay_cost(size))
        await self._callers.slow(self._credit)

    def charge(self, events: int) -> None:
        """See `Payer`."""
        self._credit.spend(max(0, events) / _EVENTS_PER_CALL)
