"""The offers of an arena's workers: the programs that they can play now, until when, and which workers have room."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import final

from fudaba_arena.store.workers.known_workers import PLAYING, Isolation, KnownWorker, Workers
from fudaba_arena.store.workers.runtimes import KnownRuntime

__all__ = ["Offers"]


@final
class Offers:
    """The latest news of all workers; see `RollCall`, which updates it every second.

    A program's needs have the form of `needs_of`.
    """

    def __init__(self, workers: Workers | None = None) -> None:
        self._workers = workers
        """The store of workers' announcements; None to use the noted ones only."""
        self._alive: Sequence[KnownWorker] = ()
        self._lacking: dict[str, str] = {}
        """The needs that nobody met when the workers were last noted. It is a cache, since a ladder asks about all its
        entries for each block.
        """
        self._handed_on: Counter[str] = Counter()
        """The number of blocks that were handed on to each worker since then."""

    async def refresh(self) -> None:
        """Looks which workers there are now. Raises `StoreUnavailable`."""
        if self._workers is not None:
            self.note(await self._workers.all())

    def note(self, workers: Collection[KnownWorker]) -> None:
        """Notes the present workers."""
        self._alive = [worker for worker in workers if not worker.dead]
        self._lacking.clear()
        self._handed_on.clear()

    def runtimes(self) -> Counter[KnownRuntime]:
        """Returns the runtimes of all living workers, without their contents, and the number of workers that have
        each.
        """
        return Counter(runtime for worker in self._alive for runtime in worker.runtimes)

    def standing(self) -> frozenset[tuple[KnownRuntime, bool]]:
        """Returns the present runtimes, each with whether it has ended. Nothing else decides what can run."""
        today = _today()
        return frozenset((runtime, runtime.ended(today)) for runtime in self.runtimes())

    def isolations(self, needs: Collection[str]) -> Counter[Isolation]:
        """Counts the workers for each isolation that run programs with any of these needs."""
        able = [worker for worker in self._alive if not worker.meets.isdisjoint(needs)]
        return Counter(worker.isolation for worker in able)

    def lacking(self, needs: str) -> str:
        """Returns why no worker can run a program, and what to do; empty if one can, or if workers run no programs."""
        if needs not in self._lacking:
            self._lacking[needs] = self._find_lacking(needs)
        return self._lacking[needs]

    def _find_lacking(self, needs: str) -> str:
        language, _, name = needs.partition("/")
        known, today = [*self.runtimes()], _today()
        if not known or not needs:
            return ""
        fits = [runtime for runtime in known if runtime.language == language and name in {"", runtime.name}]
        if any(not runtime.ended(today) for runtime in fits):
            return ""
        there = ", ".join(sorted({runtime.name for runtime in known if not runtime.ended(today)})) or "none"
        if fits:
            return f"runtime {fits[0].name} was there until {fits[0].until}; submit the bot for another one: {there}"
        other = next((runtime for runtime in known if name and runtime.name == name), None)
        if other is not None:
            return f"runtime {name} is for {other.language}, and the bot is in {language}; there are: {there}"
        return f"no worker has runtime {name or f'for {language}'}; there are: {there}"

    def notice(self, needs: str) -> str:
        """Warns an author whose runtime will end; empty for others."""
        language, _, name = needs.partition("/")
        today = _today()
        fits = [
            runtime
            for runtime in self.runtimes()
            if runtime.language == language and name in {"", runtime.name} and not runtime.ended(today)
        ]
        if not fits or any(not runtime.until for runtime in fits):
            return ""
        last = max(fits, key=lambda candidate: candidate.until)
        return f"runtime {last.name} is there until {last.until}: submit the bot for another one before that"

    # --- who plays a block

    def spare_seats(self, wanted: int) -> int:
        """Counts the seats that workers could still play if one tournament wants `wanted` of them now."""
        playing = [worker for worker in self._alive if worker.state == PLAYING]
        return sum(worker.most_seats for worker in playing) - max(wanted, sum(worker.seats for worker in playing))

    def place(self, needs: Collection[str], *, commands: bool) -> str:
        """Returns the profile of workers that can play a block with such programs; empty if there are none.

        If several can, it is drawn in proportion to their room. Workers with ended runtimes play what was handed out
        before.
        """
        able = self._able(needs, commands=commands)
        room: Counter[str] = Counter()
        for worker in able:
            room[worker.profile] += max(0, worker.most_seats - worker.seats) if worker.state == PLAYING else 0
        if not room.total():
            for worker in able:
                room[worker.profile] += worker.most_seats
        left = secrets.randbelow(room.total()) if room.total() else 0
        for profile, part in sorted(room.items()):
            left -= part
            if left < 0:
                return profile
        return ""

    def stuck(self, to: str, needs: Collection[str], *, commands: bool) -> bool:
        """Returns whether a block that was given to workers of a profile or an address should go to others."""
        able = self._able(needs, commands=commands)
        own = [worker for worker in able if to in {worker.profile, worker.address}]
        full = not any(worker.has_room for worker in own)
        return not own or (full and any(worker.has_room for worker in able))

    # --- other hosts

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of the workers that run submitted bots, as far as these are known."""
        return frozenset(worker.host for worker in self._alive if worker.runtimes and worker.host)

    def on_others(self, host: str, needs: Collection[str], *, commands: bool) -> list[KnownWorker]:
        """Returns the workers on other hosts that play such programs now; none if this host is unknown."""
        able = self._able(needs, commands=commands) if host else []
        return [worker for worker in able if worker.host not in {"", host} and worker.state == PLAYING]

    def elsewhere(self, host: str, needs: Collection[str], *, commands: bool, seats: int, load: float = 0.0) -> str:
        """Returns the address of a worker on another host that should continue a block now; empty if none has room.

        A worker has room if it has as many free `seats` as the block needs at once and no match waits. It also has room
        if it has no more blocks per seat than `load`, the asking worker's own number: if all hosts are full, blocks
        change places. The worker with the fewest is chosen.
        """

        def blocks(candidate: KnownWorker) -> int:
            return candidate.blocks + self._handed_on[candidate.name]

        def free(candidate: KnownWorker) -> bool:
            taken = candidate.seats + seats * (self._handed_on[candidate.name] + 1)
            idle = candidate.has_room and not candidate.waiting and taken <= candidate.most_seats
            return blocks(candidate) < candidate.most_blocks and (
                idle or blocks(candidate) <= load * candidate.most_seats
            )

        others = [worker for worker in self.on_others(host, needs, commands=commands) if free(worker)]
        if not others:
            return ""
        chosen = min(others, key=lambda candidate: (blocks(candidate) / candidate.most_seats, candidate.name))
        self._handed_on[chosen.name] += 1
        return chosen.address

    def _able(self, needs: Collection[str], *, commands: bool) -> list[KnownWorker]:
        return [
            worker
            for worker in self._alive
            if worker.runtimes and worker.commands >= commands and worker.meets.issuperset(needs)
        ]


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
