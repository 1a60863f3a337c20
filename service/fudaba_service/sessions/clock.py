"""Whose time it was: the server's, the network's or the bot's. Only the bot's is charged.

Times within the process are monotonic seconds; times that replicas share are milliseconds of the store's clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from fudaba.v1 import record_pb2
from fudaba_service.store.silence import Silence

__all__ = ["NETWORK_LIMIT", "Asked", "Pings", "ServerDelay", "Spent", "outage_ms"]

NETWORK_LIMIT: Final = 0.5
"""The largest share of a decision's time, in seconds, that counts as the network's."""
SEND_GRACE: Final = 1.0
"""How long a decision may wait to be sent to a stream that is there, before its clock starts all the same."""
RECONNECT_GRACE_MS: Final = 3_000
"""An outage of the service counts as this much longer: bots have to connect again."""
_JUST_NOW: Final = 0.005
_TICK: Final = 0.02
_RECENT_PINGS: Final = 8


@final
class ServerDelay:
    """How much this process has been behind: the sum of the delays of a task that wakes up regularly.

    What piles up while the event loop is busy, or the process is stopped, is waited for by every bot alike; the growth
    of `seconds` during a decision is the server's share of its time.
    """

    def __init__(self, silence: Silence) -> None:
        self._silence = silence
        self._measured = 0.0
        self._due = float("inf")

    def at(self, now: float) -> float:
        """The sum until `now`, in seconds; a delay that is still going on counts already. Asked at every move."""
        if now > self._due:
            # While this process is behind it cannot hear the store either: that is not counted twice.
            return self._measured + now - self._due + self._silence.at(self._due)
        return self._measured + self._silence.at(now)

    @property
    def silent(self) -> float:
        """The part of the sum that is the store's silence, what this process was too late to hear left out."""
        return max(0.0, self.at(time.monotonic()) - self._own())

    @property
    def behind(self) -> float:
        """The part of the sum that is this process's own, without the store's silence."""
        return self._own()

    def _own(self) -> float:
        return self._measured + max(0.0, time.monotonic() - self._due)

    async def run(self) -> None:
        """Measures for ever."""
        while True:
            self._due = time.monotonic() + _TICK + 0.002
            await asyncio.sleep(_TICK)
            behind = self._own() - self._measured
            self._measured += behind
            self._silence.not_listened(behind)


@final
class Pings:
    """The recent round trips of one stream. The smallest one bounds what can be the network's share."""

    def __init__(self, *, local: bool) -> None:
        self._local = local
        self._recent: deque[float] = deque(maxlen=_RECENT_PINGS)

    def add(self, seconds: float) -> None:
        """Notes a round trip."""
        self._recent.append(seconds)

    @property
    def network(self) -> float:
        """The network's share of one decision, in seconds; nothing on a unix socket or without a pong."""
        if self._local or not self._recent:
            return 0.0
        return min(*self._recent, NETWORK_LIMIT)


class Spent(NamedTuple):
    """How the time of a decision was spent, in seconds."""

    server: float
    network: float
    bot: float

    def to_proto(self, into: record_pb2.Spent) -> int:
        """Fills an empty message; the bot's part in microseconds, as it stands there."""
        server, network, bot = self
        if server:
            into.server_us = int(server * 1e6)
        if network:
            into.network_us = int(network * 1e6)
        bot_us = into.bot_us = int(bot * 1e6)
        return bot_us


@final
class Asked:
    """The clock of one open decision."""

    __slots__ = ("_delay_opened", "_delay_sent", "_opened", "_sent", "arrived_ms", "away", "decision_id", "due")

    def __init__(self, decision_id: str, opened: float, due: float, delay: float) -> None:
        self.decision_id = decision_id
        self.due = due
        """When time runs out at the earliest."""
        self.away = 0.0
        """For how many seconds after the opening an outage kept the seat's bot away."""
        self.arrived_ms: int | None = None
        """When a stream of the seat came, if that was after the opening; the store's time."""
        self._opened = opened
        self._sent: float | None = None
        self._delay_opened = self._delay_sent = delay

    def sent(self, at: float, delay: float) -> None:
        """The decision has been written to its stream. Only the first time counts."""
        if self._sent is None:
            self._sent = at
            self._delay_sent = delay

    def is_new(self, now: float) -> bool:
        """Whether the decision has just been opened and not been sent: nothing is spent of its time."""
        return self._sent is None and now - self._opened < _JUST_NOW

    def opened_earlier(self, opened: float) -> None:
        """The decision was open before this process knew of it."""
        self.due += opened - self._opened
        self._opened = opened

    def spent(self, now: float, delay: float, network: float, *, connected: bool) -> Spent:
        """How the time until `now` was spent; `network` is the share of the stream, if one is `connected`."""
        latest, sent, before = self._opened + self.away + SEND_GRACE, self._sent, self._delay_opened
        if sent is None:
            start = latest if connected else latest - SEND_GRACE
        elif sent <= latest:
            start, before = sent, self._delay_sent
        else:
            # What kept it from being sent in time may have been us.
            start = latest
        elapsed = max(0.0, now - start)
        server = min(elapsed, max(0.0, delay - before))
        network = min(network, elapsed - server)
        return Spent(server, network, elapsed - server - network)


def outage_ms(outages: Sequence[tuple[int, int]], since_ms: int, until_ms: int) -> int:
    """How much of a span of time lay in outages of the service. Outages may overlap."""
    total, covered = 0, since_ms
    for start, end in sorted(outages):
        a, b = max(start, covered), min(end + RECONNECT_GRACE_MS, until_ms)
        if b > a:
            total += b - a
            covered = b
    return total
