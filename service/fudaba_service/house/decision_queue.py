"""The decisions that house bots are asked, in the order in which their worker gets them.

The worker thinks about one decision after another. Those of live matches have clocks, so they go before those of moves
that somebody tries. Of these the worker gets one at a time, while it has nothing else to do: a live decision waits for
one of them at most.
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
    """Takes the answer."""
    give_up: Callable[[], object]
    """The callback for when there will never be an answer."""
    frame: bytes
    live: bool
    """Whether it is of a live match."""


@final
class DecisionQueue:
    """See the module. Times are monotonic, in seconds."""

    def __init__(self) -> None:
        self._pending: dict[DecisionKey, PendingDecision] = {}
        """All that nobody has answered, with the worker or not."""
        self._live: deque[DecisionKey] = deque()
        self._tried: deque[DecisionKey] = deque()
        """The decisions that the worker has not got yet."""
        self._sent: deque[DecisionKey] = deque()
        """The decisions that the worker has not answered yet, in its order, also those that are no longer of
        interest."""
        self._begun = 0.0
        """The time when the worker could begin with the first of those."""

    @property
    def ready(self) -> bool:
        """Whether something may be sent now."""
        return bool(self._live) or (bool(self._tried) and not self._sent)

    @property
    def waits(self) -> bool:
        """Whether there is anything for a worker to do."""
        return bool(self._live or self._tried)

    def add(self, key: DecisionKey, decision: PendingDecision) -> None:
        """Adds a decision."""
        self._pending[key] = decision
        (self._live if decision.live else self._tried).append(key)

    def drop(self, key: DecisionKey) -> PendingDecision | None:
        """Forgets a decision; returns it, if nobody has answered it."""
        if key in self._tried:
            self._tried.remove(key)
        return self._pending.pop(key, None)

    def drop_seat(self, match_id: str, seat: int) -> None:
        """Forgets all decisions of a seat."""
        for key in [key for key in self._pending if key[:2] == (match_id, seat)]:
            self.drop(key)

    def is_unsent(self, key: DecisionKey) -> bool:
        """Returns whether tried moves' decision has not got to the worker."""
        return key in self._tried

    def send(self, now: float) -> list[bytes]:
        """Returns the frames that go to the worker now."""
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
        """Notes an answer, which is to the first decision that the worker has; returns that, if it is of interest."""
        self._begun = now
        return self._pending.pop(self._sent.popleft(), None) if self._sent else None

    def stuck(self, now: float, seconds: float) -> DecisionKey | None:
        """Returns the decision that the worker has thought about for longer than this."""
        return self._sent[0] if self._sent and now - self._begun > seconds else None

    def restart(self) -> None:
        """Gives a new worker all that the last one has not answered."""
        self._sent.clear()
        self._live = deque(key for key, decision in self._pending.items() if decision.live)
        self._tried = deque(key for key, decision in self._pending.items() if not decision.live)
