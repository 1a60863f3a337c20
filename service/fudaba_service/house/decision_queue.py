"""The queue of house bots' decisions, in the order in which their worker gets them.

The worker thinks about one decision after another. Decisions of live matches have clocks, so they come before those of
trial moves. The worker gets the latter one at a time, when it has nothing else to do: so a live decision waits for at
most one of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from fudaba.v1 import play_pb2

__all__ = ["DecisionKey", "DecisionQueue", "PendingDecision"]

DecisionKey = tuple[str, int, str]
"""Match, seat, decision."""


@final
@dataclass(frozen=True, slots=True)
class PendingDecision:
    """A decision that waits for the worker."""

    take: Callable[[play_pb2.Answer], object]
    """The callback for the answer."""
    give_up: Callable[[], object]
    """The callback for a decision that will never be answered."""
    frame: bytes
    live: bool
    """Whether it belongs to a live match."""


@final
class DecisionQueue:
    """See the module. Times are monotonic, in seconds."""

    def __init__(self) -> None:
        self._pending: dict[DecisionKey, PendingDecision] = {}
        """All decisions without an answer, whether the worker has them or not."""
        self._live: deque[DecisionKey] = deque()
        self._tried: deque[DecisionKey] = deque()
        """The decisions that the worker has not got yet."""
        self._sent: deque[DecisionKey] = deque()
        """The decisions that the worker has not answered yet, in its order, including those that are no longer
        wanted.
        """
        self._begun = 0.0
        """The time when the worker could begin with the first of those."""

    @property
    def ready(self) -> bool:
        """Whether a decision may be sent now."""
        return bool(self._live) or (bool(self._tried) and not self._sent)

    @property
    def waits(self) -> bool:
        """Whether there is work for a worker."""
        return bool(self._live or self._tried)

    def add(self, key: DecisionKey, decision: PendingDecision) -> None:
        """Adds a decision."""
        self._pending[key] = decision
        (self._live if decision.live else self._tried).append(key)

    def drop(self, key: DecisionKey) -> PendingDecision | None:
        """Drops a decision. Returns it if it was not answered."""
        if key in self._tried:
            self._tried.remove(key)
        return self._pending.pop(key, None)

    def drop_seat(self, match_id: str, seat: int) -> None:
        """Drops all decisions of a seat."""
        for key in [key for key in self._pending if key[:2] == (match_id, seat)]:
            self.drop(key)

    def is_unsent(self, key: DecisionKey) -> bool:
        """Returns whether a trial decision has not been sent to the worker."""
        return key in self._tried

    def send(self, now: float) -> list[bytes]:
        """Returns the frames to send to the worker now."""
        frames = []
        while self.ready:
            key = (self._live or self._tried).popleft()
            if (decision := self._pending.get(key)) is not None:
                if not self._sent:
                    self._begun = now
                self._sent.append(key)
                frames.append(decision.frame)
        return frames

    def answered(self, now: float) -> PendingDecision | None:
        """Notes an answer to the worker's first decision. Returns that decision if it is still wanted."""
        self._begun = now
        return self._pending.pop(self._sent.popleft(), None) if self._sent else None

    def stuck(self, now: float, seconds: float) -> DecisionKey | None:
        """Returns the decision that the worker has thought about for longer than this time."""
        return self._sent[0] if self._sent and now - self._begun > seconds else None

    def restart(self) -> None:
        """Requeues for a new worker everything that the last one did not answer."""
        self._sent.clear()
        self._live = deque(key for key, decision in self._pending.items() if decision.live)
        self._tried = deque(key for key, decision in self._pending.items() if not decision.live)
