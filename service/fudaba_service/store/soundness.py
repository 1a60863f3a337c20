"""Finds faults of a replica whose heartbeats reach the store: it hears nothing, or its appends get no answer.

Heartbeats, news and appends have separate connections, and any of them may stall alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, final

from fudaba_service.store.shared_time import SharedTime

__all__ = ["DEAD_AFTER_MS", "ReplicaCondition", "Soundness"]

DEAD_AFTER_MS: Final = 1_000
"""The gap between heartbeats above which there was an outage."""
_MAX_PUBLISHED: Final = 100
_DEAF: Final = "deaf"
_STALLED: Final = "stalled"


class ReplicaCondition(NamedTuple):
    """The condition of a replica."""

    sound_ms: int
    """The time until which it is known to hear news and to get answers; 0 before it listens."""
    over: list[int]
    """The start times of faults that are over now."""


@final
class Soundness:
    """A replica's knowledge of its own condition. Times are shared ones."""

    def __init__(self, shared: SharedTime, unanswered_since: Callable[[], float | None]) -> None:
        """`unanswered_since` returns since when the store owes an answer to an append, in seconds of the monotonic
        clock.

        It returns None if the store owes none.
        """
        self._shared = shared
        self._unanswered_since = unanswered_since
        self._heard_ms = 0
        self._published: dict[int, float] = {}
        self._since: dict[str, int] = {}
        """The outages that it suffers from, and their beginnings."""
        self._over: list[str] = []
        self.lag_ms = 0
        """The lag with which it hears news."""

    def listening(self, last_ms: int) -> None:
        """Notes that it now hears news, since its last heartbeat."""
        self._heard_ms = self._heard_ms or last_ms
        self._published.clear()

    def heard(self, at_ms: int) -> None:
        """Notes that it has heard its own heartbeat of a time."""
        self._heard_ms = max(self._heard_ms, at_ms)
        published = self._published.pop(at_ms, None)
        if published is not None:
            self.lag_ms = int(self._shared.clock_ms() - published)
            self._published = {at: when for at, when in self._published.items() if at > at_ms}

    @property
    def suffers_since(self) -> list[int]:
        """The start times of faults that go on, or are not yet noted as outages."""
        return list(self._since.values())

    def examine(self, now: int) -> ReplicaCondition:
        """Returns the replica's condition with the heartbeat published `now`."""
        deaf_since = self._since.get(_DEAF)
        self._over = [_DEAF] if deaf_since is not None and deaf_since < self._heard_ms else []
        self._note_deafness(now)
        owed_ms, unanswered_since = now, self._unanswered_since()
        if unanswered_since is not None:
            owed_ms -= int(self._shared.clock_ms() - unanswered_since * 1000)
        if now - owed_ms > DEAD_AFTER_MS:
            self._since.setdefault(_STALLED, owed_ms)
        elif _STALLED in self._since:
            self._over.append(_STALLED)
        going_on = [since for outage, since in self._since.items() if outage not in self._over]
        sound_ms = min(owed_ms, *going_on) if going_on else owed_ms if self._heard_ms else 0
        return ReplicaCondition(sound_ms, [self._since[outage] for outage in self._over])

    def noted(self) -> None:
        """Notes that the faults found to be over are now stored as outages."""
        for outage in self._over:
            del self._since[outage]
        self._over = []

    def _note_deafness(self, now: int) -> None:
        """Notes whether it fails to hear its own heartbeats; one more is published `now`."""
        clock_ms = self._shared.clock_ms()
        if self._heard_ms and self._published and clock_ms - min(self._published.values()) > DEAD_AFTER_MS:
            self._since.setdefault(_DEAF, self._heard_ms)
        # Those that are lost for ever, with the connection on which they would have come, tell nothing after that.
        self._published = dict([*self._published.items(), (now, clock_ms)][-_MAX_PUBLISHED:])
