"""Compares matches with the limits: use is counted for each seat, and judged after all of a submission's games.

A match on a ladder has other opponents, and may have more seats and moves than the trial. So a bot that came close to a
limit would lose by it there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from fudaba_arena.limits import MEGABYTE
from fudaba_arena.sandbox.sandbox import Ending
from fudaba_arena.tournament.limits import LIMITS, Limits

__all__ = ["Used", "judged"]

_WARNING_SHARE: Final = 0.5
_REFUSAL_SHARE: Final = 0.9
_REFUSED_BY: Final = frozenset({"cpu", "processes", "output"})
"""The limits that a submission must not come close to. Memory is not among them: the kernel also counts cached file
pages, which it takes back before a program runs short.
"""
_MEASURED: Final = ("cpu", "memory", "processes", "output")


@final
@dataclass(slots=True)
class Used:
    """The sum of what all processes of a seat used in a match."""

    cpu: float = 0.0
    """The processor time in seconds."""
    memory: int = 0
    """Bytes, the most at any time."""
    wall: float = 0.0
    """Seconds in which they ran."""
    starts: int = 0
    processes: int = 0
    """The most at once."""
    output: int = 0
    """The number of bytes of output."""

    def add(self, ending: Ending) -> None:
        """Notes that a process has ended."""
        usage = ending.usage
        self.cpu += usage.cpu or 0.0
        self.wall += usage.wall
        self.memory = max(self.memory, usage.memory or 0)
        self.processes = max(self.processes, usage.processes or 0)
        self.output += usage.output

    def summary(self) -> str:
        """Formats it for people."""
        if not self.memory:
            return "CPU and memory not measured"
        return f"{self.cpu:.2f} s of CPU in {self.wall:.2f} s, {self.memory / MEGABYTE:.0f} MB"


def judged(by_game: Mapping[str, Sequence[Used]], limits: Limits, measured: frozenset[str]) -> tuple[bool, str]:
    """Returns whether the seats' use in each game's match is far enough from the limits, and the explanation.

    `measured` lists the limits that the sandbox measures.
    """
    lines, doubts, passed = [], [], True
    for name in _MEASURED:
        if name not in measured:
            continue
        limit = getattr(limits, name)
        most, game = max((getattr(used, name), game) for game, seats in by_game.items() for used in seats)
        lines.append(f"{name}: {_FORMATS[name](most)} of {_FORMATS[name](limit)} ({game})")
        share = most / limit if limit else 0.0
        if share > _REFUSAL_SHARE and name in _REFUSED_BY:
            passed = False
            doubts.append(
                f"{name} is over {_REFUSAL_SHARE:.0%} of its limit: a longer match would be lost by it;"
                f" {_REMEDIES[name]}"
            )
        elif share > _WARNING_SHARE:
            doubts.append(f"warning: {name} is over {_WARNING_SHARE:.0%} of its limit; {_REMEDIES[name]}")
    if missing := [name for name in _MEASURED if name not in measured]:
        lines.append(f"not measured on this host: {', '.join(missing)}")
    return passed, "\n".join(["the most that a seat took in a match:", *lines, *doubts])


def _megabytes(value: float) -> str:
    return f"{value / MEGABYTE:,.1f} MB"


_FORMATS: Final[Mapping[str, Callable[[float], str]]] = {
    "cpu": lambda value: f"{value:,.2f} s",
    "memory": _megabytes,
    "processes": lambda value: f"{value:,.0f}",
    "output": _megabytes,
}
_REMEDIES: Final = {
    "cpu": "have it compute less for each decision",
    "memory": "have it keep less, or ask for more with ram_mb in bot.toml",
    "processes": "have it start fewer processes and threads",
    "output": "have it print less",
}
assert set(_MEASURED) <= set(LIMITS)  # noqa: S101  # a limit that was renamed
