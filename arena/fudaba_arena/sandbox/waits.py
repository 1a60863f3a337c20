"""Measures how long a program was kept from the cores that it wanted and was entitled to: by others, never by itself.

The kernel counts of each thread how long it ran, and how long it was ready to run and waited for a core. What a thread
waits while others of its own group run is the program's own affair, and so is what it waits since its group has used up
what its limit of cores allows: a program gains nothing by starting threads that wait for each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, final

__all__ = ["RunQueue", "Spell", "Waits", "kept_from_cores"]

_READ_BYTES: Final = 128
_NS_PER_SECOND: Final = 1e9


class Spell(NamedTuple):
    """A thread's activity in some time, in seconds."""

    ran: float
    waited: float
    """The time that it waited for a core, ready to run."""


def kept_from_cores(seconds: float, cores: float, ran: float, threads: Iterable[Spell]) -> tuple[float, float]:
    """Over how many seconds a program wanted to run, and how many seconds of processor time others took from it.

    `seconds` is the time between two looks, `cores` how many it may use at once, `ran` what all its threads ran
    together. The kernel counts a wait when it is over, so that one may have begun before the earlier look: then the
    span is longer than `seconds`.
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
        """Notes the seconds of processor time that others took from it in this time."""
        if lost > 0:
            self._noted.append((since, until, lost))

    def lost(self, since: float, until: float) -> float:
        """Computes what others took from it in this time, in seconds, and never more than that time."""
        total = 0.0
        for begin, end, lost in self._noted:
            total += max(0.0, min(lost, min(end, until) - max(begin, since)))
        return min(total, max(0.0, until - since))


@final
class RunQueue:
    """Looks again and again at how the threads of a program do."""

    def __init__(self, waits: Waits, cores: float, now: float) -> None:
        self._waits = waits
        self._cores = cores
        self._looked = now
        self._ran = 0.0
        self._threads: Mapping[int, Spell] = {}

    def look(self, now: float, ran: float, threads: Sequence[int]) -> None:
        """Notes what there was since the last look: `ran` is the group's processor time until now, in seconds;
        `threads` are the ids of its threads.
        """
        found = {thread: spell for thread in threads if (spell := _until_now(thread)) is not None}
        spells = [_since(self._threads.get(thread), spell) for thread, spell in found.items()]
        span, lost = kept_from_cores(now - self._looked, self._cores, max(0.0, ran - self._ran), spells)
        self._waits.note(now - span, now, lost)
        self._looked, self._ran, self._threads = now, ran, found

    def since(self, now: float) -> float:
        """Returns how long ago the last look was, in seconds."""
        return now - self._looked


def _since(before: Spell | None, spell: Spell) -> Spell:
    if before is None or spell.ran < before.ran or spell.waited < before.waited:
        return spell  # a new thread, be it with the number of one that has ended
    return Spell(spell.ran - before.ran, spell.waited - before.waited)


def _until_now(thread: int) -> Spell | None:
    """Reads what a thread has done since it was started; None where it has ended, or the kernel does not count."""
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
