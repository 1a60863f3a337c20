"""Counts the workers, and reports to the organiser when one stops, plays again, or dies."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Final, final

from fudaba_arena.errors import Say
from fudaba_arena.metrics import WORKER_STATES, Metrics
from fudaba_arena.play.workers.block_queue import BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.arenas.clocks import MAX_AHEAD_SECONDS, clock_text
from fudaba_arena.store.store import Store, StoreUnavailable
from fudaba_arena.store.workers.known_workers import STOPPED, KnownWorker

__all__ = ["RollCall"]

_MAX_SILENCE_SECONDS: Final = 3600.0
"""The silence after which a worker is no longer listed."""


@final
class RollCall:
    """Counts the workers at every call, which comes about once a second."""

    def __init__(
        self, store: Store, offers: Offers, metrics: Metrics, say: Say, queue: BlockQueue | None = None
    ) -> None:
        """`queue` is the queue of an arena whose blocks workers play."""
        self._store = store
        self._queue = queue
        self._addressees: frozenset[str] | None = None
        """The profiles and addresses of workers when the queues of others were removed last."""
        self._offers = offers
        self._metrics = metrics
        self._say = say
        self._words: dict[str, str] = {}
        """The state of each worker at the last look."""
        self._wrong_clocks: set[str] = set()
        """The workers whose clocks were too far from the store's at the last look."""

    async def call(self) -> None:
        """Looks which workers there are. While the store is away, the last news stays."""
        try:
            found = await self._store.workers.all()
            forgotten = [
                known_worker.name for known_worker in found if known_worker.silent_seconds > _MAX_SILENCE_SECONDS
            ]
            await self._store.workers.forget(forgotten)
            await self._store.clocks.forget(forgotten)
            clocks = await self._store.clocks.of_workers()
            ahead = await self._store.clocks.ahead()
            oldest_ms = await self._store.checks.oldest_ms()
            await self._forget_queues([worker for worker in found if worker.name not in forgotten])
        except StoreUnavailable:
            return  # who plays says so
        self._metrics.check_wait.set(0 if oldest_ms is None else max(0.0, time.time() - oldest_ms / 1000))
        self._metrics.clock_ahead.set(ahead)
        self._tell_clocks({"this arena": ahead} | {f"worker {name}": seconds for name, seconds in clocks.items()})
        self._offers.note(found)
        for found_worker in found:
            self._tell(found_worker)
        self._words = {known_worker.name: known_worker.state_name for known_worker in found}
        words = [*self._words.values()]
        for word in WORKER_STATES:
            self._metrics.workers.labels(word).set(words.count(word))
        alive = [known_worker for known_worker in found if not known_worker.dead]
        self._metrics.slots.labels("blocks").set(sum(known_worker.most_blocks for known_worker in alive))
        self._metrics.slots.labels("seats").set(sum(known_worker.most_seats for known_worker in alive))
        self._metrics.slots_used.labels("blocks").set(sum(known_worker.blocks for known_worker in alive))
        self._metrics.slots_used.labels("seats").set(sum(known_worker.seats for known_worker in alive))

    async def _forget_queues(self, known: Collection[KnownWorker]) -> None:
        """Removes the queues of workers that are no longer listed, since nobody would fetch from them."""
        addressees = frozenset(to for worker in known for to in (worker.profile, worker.address) if to)
        if self._queue is not None and addressees != self._addressees:
            await self._queue.forget_gone(addressees)
            self._addressees = addressees

    def _tell_clocks(self, clocks: Mapping[str, float]) -> None:
        """Reports once each clock that has drifted too far from the store's clock since it was started."""
        wrong = {whose for whose, ahead in clocks.items() if abs(ahead) > MAX_AHEAD_SECONDS}
        for whose in sorted(wrong - self._wrong_clocks):
            self._say(clock_text(whose, clocks[whose]))
        for whose in sorted(self._wrong_clocks - wrong):
            self._say(f"the clock of {whose} is right again, or it has fallen silent")
        self._wrong_clocks = wrong

    def _tell(self, worker: KnownWorker) -> None:
        before = self._words.get(worker.name, "")
        if worker.state_name == before:
            return
        if worker.dead:
            self._say(f"worker {worker.name} has fallen silent; others play its blocks")
        elif worker.state == STOPPED:
            self._say(f"worker {worker.name} is stopped: {worker.why}; others play its blocks again")
        else:
            self._say(f"worker {worker.name} {'plays again' if before else 'plays'}")
