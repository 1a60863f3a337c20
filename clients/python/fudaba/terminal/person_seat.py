"""A person's seat in a match, wherever it is played: its news and its actions."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

from fudaba.bot import MatchInfo, Result
from fudaba.errors import FudabaError
from fudaba.safe_text import safe_line

__all__ = ["AnswerRefused", "PersonSeat", "PutDecision", "SeatNews", "seat_names"]

MAX_NAME_CHARS: Final = 10
"""The number of shown characters of a bot's name."""


@final
class AnswerRefused(FudabaError):
    """An answer was refused. `str()` says why; the next news shows what is open now."""


@final
@dataclass(frozen=True, slots=True)
class PutDecision:
    """A decision that waits for the person's answer."""

    id: str
    legal: Sequence[Any]
    """The legal moves as the rules' values, the default first."""
    required: bool = True
    time_ms: int = 0
    """The time for it from `received`, bank included; 0 if no clock runs."""
    bank_ms: int = 0
    received: float = field(default_factory=time.monotonic)

    def left_ms(self) -> tuple[int, int]:
        """Returns the remaining milliseconds: of the time for this move, and of the bank."""
        left = max(0, self.time_ms - int((time.monotonic() - self.received) * 1000))
        bank = min(left, self.bank_ms)
        return left - bank, bank


@final
@dataclass(slots=True)
class SeatNews:
    """The news for the seat."""

    events: list[Any] = field(default_factory=list)
    """The events, as the rules' values, in order."""
    kept: int | None = None
    """Set when the match was put back: only this many of the earlier events are still valid."""
    view: Any = None
    """The seat's current view; None if it has not changed."""
    asked: PutDecision | None = None
    """The newly put decision; None if there is none."""
    closed: frozenset[str] = frozenset()
    """The decisions that no longer need an answer."""
    timed_out: int = 0
    """The number of decisions that were closed with the default move after a timeout."""
    result: Result | None = None
    """Set when the match is over."""
    trouble: str = ""
    """The reason why there is no news at present. The client tries again."""


class PersonSeat(ABC):
    """A seat of one match."""

    info: MatchInfo
    """Available from the first news on."""

    @abstractmethod
    def news(self) -> AsyncIterator[SeatNews]:
        """Yields news until the match is over. Raises `FudabaError` if it cannot continue."""

    @abstractmethod
    async def answer(self, decision_id: str, move: Any) -> None:
        """Answers a decision. Raises `AnswerRefused`."""

    @abstractmethod
    async def resign(self) -> None:
        """Resigns the match. Raises `AnswerRefused`."""

    async def close(self) -> None:  # noqa: B027 - a hook: most have nothing to close
        """Releases the match."""


def seat_names(info: MatchInfo) -> tuple[str, ...]:
    """Returns each seat's name on the screen: `you`, and the others' bots, distinguished if they share a name."""
    bots = [_short(safe_line(player.bot.removeprefix("house-"))) for player in info.players]
    shared = {bot for bot in bots if bots.count(bot) > 1}
    names = [f"{bot} {seat}" if bot in shared else bot for seat, bot in enumerate(bots)]
    names[info.seat] = "you"
    return tuple(names)


def ending(result: Result, seat: int, names: tuple[str, ...]) -> str:
    """Returns how a match ended for a seat, in one or two sentences."""
    if result.scores is None:
        return f"The match was ended without a result ({result.abort_cause.lower().replace('_', ' ')})."
    why = ""
    if result.forfeited_seat is not None:
        cause = {"RESIGNED": "resigned", "TIMEOUTS": "let time run out", "ILLEGAL": "answered illegally too often"}
        forfeiter = "You" if result.forfeited_seat == seat else names[result.forfeited_seat]
        why = f"{forfeiter} {cause.get(result.forfeit_cause, 'forfeited')}. "
    place = (result.placements or (0,) * len(names))[seat]
    alone = (result.placements or ()).count(place) == 1
    if place == 1:
        won = "You won." if alone else "You share the first place." if any(result.scores) else "A draw."
    else:
        won = "You lost." if len(names) == 2 else f"You came in {place} of {len(names)}."
    scores = ", ".join(f"{name} {score:+d}" for name, score in zip(names, result.scores, strict=True))
    return f"{why}{won} {scores}."


def _short(name: str) -> str:
    """Returns a name short enough to leave room for others."""
    return name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…"
