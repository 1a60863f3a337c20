"""The outbox of a bot's stream. It sends single messages, or batches to a bot that asked for them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final, final

from google.protobuf.message import Message

from fudaba.v1 import play_pb2
from fudaba_service.wire import varint

__all__ = ["MAX_MESSAGE_BYTES", "Outbox", "on_the_wire"]

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The size of a batch of several updates. The decisions in it wait until all of it is sent."""
_BATCH: Final = bytes([play_pb2.PlayResponse.UPDATES_FIELD_NUMBER << 3 | 2])
"""The tag of PlayResponse.updates on the wire, followed by its length and the updates."""
_IN_BATCH: Final = bytes([play_pb2.SeatUpdates.UPDATES_FIELD_NUMBER << 3 | 2])
"""The tag of each update in it, followed by its length and the update, as in PlayResponse.update."""


@final
class Outbox:
    """Messages in the order of sending.

    A batch is a run of updates that are already waiting. It never waits to fill up, and any other message ends it, so
    everything about a match arrives in the order in which it happened.
    """

    def __init__(self) -> None:
        self.batches = False
        """Whether the bot accepts batches."""
        self._waiting: deque[tuple[play_pb2.PlayResponse, str, str]] = deque()
        self._left: tuple[bytes, str, str] | None = None
        """An update that was too large for the last batch, in its form on the wire."""
        self._wake: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting) + (self._left is not None)

    def put(self, message: play_pb2.PlayResponse, match_id: str = "", decision_id: str = "") -> None:
        """Adds a message. An update comes with its match, and with its decision if it has one."""
        self._waiting.append((message, match_id, decision_id))
        if self._wake is not None:
            self.wake()

    def clear(self) -> None:
        """Drops all messages."""
        self._waiting.clear()
        self._left = None

    def wake(self) -> None:
        """Makes `filled` return."""
        wake, self._wake = self._wake, None
        if wake is not None and not wake.done():
            wake.set_result(None)

    async def filled(self) -> None:
        """Waits until there may be a message."""
        # An event would do; it costs several times as much.
        self._wake = asyncio.get_running_loop().create_future()
        await self._wake

    def take(self) -> tuple[play_pb2.PlayResponse | bytes, Sequence[tuple[str, str]]]:
        """Returns the next message, parsed or serialised, with the matches and decisions of its updates."""
        # An element of `waiting` is (message, match id, decision id); only an update has a match id, and only updates
        # go in batches. An update that waits alone is sent as the message that it is: no batch, no copy.
        waiting = self._waiting
        if self._left is not None:
            # It was left out of the last batch, and is serialized already. It comes before all that waits.
            raw, match_id, decision_id = self._left
            self._left = None
        else:
            message, match_id, decision_id = waiting.popleft()
            if not (self.batches and match_id and waiting and waiting[0][1]):
                return message, ((match_id, decision_id),) if decision_id else ()
            raw = message.SerializeToString()
        if not (waiting and waiting[0][1]):
            return raw, ((match_id, decision_id),) if decision_id else ()
        return self._batch(raw, match_id, decision_id)

    def _batch(self, first: bytes, match_id: str, decision_id: str) -> tuple[bytes, Sequence[tuple[str, str]]]:
        """Returns an update with as many following updates as there is room for."""
        waiting, raws, size = self._waiting, [first], len(first)
        puts = [(match_id, decision_id)] if decision_id else []
        while waiting and waiting[0][1]:
            message, match_id, decision_id = waiting.popleft()
            raw = message.SerializeToString()
            size += len(raw)
            if size > MAX_MESSAGE_BYTES:
                # Its length is known only once it is serialized. It is kept so, and begins the next batch.
                self._left = raw, match_id, decision_id
                break
            raws.append(raw)
            if decision_id:
                puts.append((match_id, decision_id))
        return _joined(raws), puts


def on_the_wire(message: Message | bytes) -> bytes:
    """Returns the bytes of a stream's message, which may already be serialised."""
    return message if isinstance(message, bytes) else message.SerializeToString()


def _joined(raws: Sequence[bytes]) -> bytes:
    """Joins several updates into one message. It reads and copies each only once."""
    if len(raws) == 1:
        return raws[0]
    # PlayResponse.update is its tag, its length and the update; so is each of SeatUpdates.updates, but for the tag.
    body = b"".join([part for raw in raws for part in (_IN_BATCH, memoryview(raw)[1:])])
    return _BATCH + varint(len(body)) + body
