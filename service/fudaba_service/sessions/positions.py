"""Shows a finished match after each entry of its log, for clients that replay it step by step."""

from __future__ import annotations

from typing import Final, final

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2

__all__ = ["Positions"]

_MAX_RESPONSE_BYTES: Final = 64 * 1024
"""The bytes of positions in one response, unless a single one is longer. The contract states it, too."""


@final
class Positions:
    """The positions of one match as seen by one seat, or by a spectator (None)."""

    def __init__(self, seat: int | None) -> None:
        self._seat = seat
        self._seen = 0
        self._responses: list[bytes] = []
        self._next = matches_pb2.StreamPositionsResponse()
        self._bytes = 0

    def add(self, replay: Replay) -> None:
        """Adds the present position of a replay."""
        position = matches_pb2.Position(entries=replay.length)
        if replay.shows:
            match, codec = replay.match, replay.codec
            shown = match.shown(self._seat)
            for event in shown[self._seen :]:
                codec.event_to_proto(event, position.events.add())
            self._seen = len(shown)
            codec.view_to_proto(match.view(self._seat), position.view)
            if not replay.over:
                position.deciding_seats.extend(decision.seat for decision in match.open_decisions())
        position.bank_ms.extend(us // 1000 for us in replay.bank_us)
        size = position.ByteSize()
        if self._bytes and self._bytes + size > _MAX_RESPONSE_BYTES:
            self._finish()
        self._next.positions.append(position)
        self._bytes += size

    def responses(self) -> list[bytes]:
        """Yields all positions as serialised responses of StreamPositions."""
        if self._bytes:
            self._finish()
        return self._responses

    def _finish(self) -> None:
        self._responses.append(self._next.SerializeToString())
        self._next = matches_pb2.StreamPositionsResponse()
        self._bytes = 0
