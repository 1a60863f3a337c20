"""Measures how long others kept a program from the cores that it wanted and was entitled to.

For each thread, the kernel counts how long it ran, and how long it was ready to run and waited for a core. A thread's
wait while others of its own group run is the program's own affair, and so is a wait after its group has used up its
limit of cores: a program gains nothing by starting threads that wait for each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, final

__all__ = ["RunQueue", "Spell", "Waits", "kept_from_cores"]

_READ_BYTES: Final = 128
_NS_PER_SECOND: Final = 1e9


class Spell(NamedTuple):
    """A thread's activity over some time, in seconds."""

    ran: float
    waited: float
    """The time that it waited for a core while ready to run."""


def kept_from_cores(seconds: float, cores: float, ran: float, threads: Iterable[Spell]) -> tuple[float, float]:
    """Returns for how many seconds a program wanted to run, and how many seconds of processor time others took from it.

    `seconds` is the time between two looks, `cores` the number that it may use at once, and `ran` the running time of
    all its threads together. The kernel counts a wait when it ends, so a wait may have begun before the earlier look:
    then the span is longer than `seconds`.
    """
    waited, longest = 0.0, 0.0
    for thread in threads:
        longest = max(longest, thread.waited)
        waited = max(waited, thread.waited - (ran - thread.ran))
    span = max(seconds, longest)
    return span, max(0.0, min(cores * span, ran + waited) - ran)


@final
class Waits:
    """The times when the processes of a seat were kept from the cores. Times are seconds of the monotonic clock."""

    def __init__(self) -> None:
        self._noted: list[tuple[float, float, float]] = []

    def note(self, since: float, until: float, lost: float) -> None:
        """Notes the processor time in seconds that others took from it in this interval."""
        if lost > 0:
            self._noted.append((since, until, lost))

    def lost(self, since: float, until: float) -> float:
        """Returns the seconds that others took from it in this interval, never more than the interval."""
        total = 0.0
        for begin, end, lost in self._noted:
            total += max(0.0, min(lost, min(end, until) - max(begin, since)))
        return min(total, max(0.0, until - since))


@final
class RunQueue:
    """Observes the threads of a program at intervals."""

    def __init__(self, waits: Waits, cores: float, now: float) -> None:
        self._waits = waits
        self._cores = cores
        self._looked = now
        self._ran = 0.0
        self._threads: Mapping[int, Spell] = {}

    def look(self, now: float, ran: float, threads: Sequence[int]) -> None:
        """Notes the activity since the last look. `ran` is the group's processor time until now, in seconds; `threads`
        are the ids of its threads.
        """
        found = {thread: spell for thread in threads if (spell := _until_now(thread)) is not None}
        spells = [_since(self._threads.get(thread), spell) for thread, spell in found.items()]
        span, lost = kept_from_cores(now - self._looked, self._cores, max(0.0, ran - self._ran), spells)
        self._waits.note(now - span, now, lost)
        self._looked, self._ran, self._threads = now, ran, found

    def since(self, now: float) -> float:
        """Returns the seconds since the last look."""
        return now - self._looked


def _since(before: Spell | None, spell: Spell) -> Spell:
    if before is None or spell.ran < before.ran or spell.waited < before.waited:
        return spell  # a new thread, be it with the number of one that has ended
    return Spell(spell.ran - before.ran, spell.waited - before.waited)


def _until_now(thread: int) -> Spell | None:
    """Reads a thread's activity since its start; None if it has ended, or the kernel does not count."""
    try:
        file = os.open(f"/proc/{thread}/schedstat", os.O_RDONLY)
    except OSError:
        return None
    try:
        ran, waited, _ = os.read(file, _READ_BYTES).split()
    except (OSError, ValueError):
        return None
    finally:
        os.close(file)
    return Spell(int(ran) / _NS_PER_SECOND, int(waited) / _NS_PER_SECOND)
