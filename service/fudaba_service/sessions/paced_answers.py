"""Answers that wait until their seat's hand is free. In some games a move takes time, see `Game.pause_ms`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

from fudaba_games.match import DecisionClosed
from fudaba_service.refusals import refusal_of
from fudaba_service.sessions.changes import Propose, Reply, Request

if TYPE_CHECKING:
    import asyncio

__all__ = ["PacedAnswers"]

CallLater = Callable[[float, Callable[[], None]], "asyncio.TimerHandle"]


@final
class PacedAnswers:
    """The answers that wait for each seat's hand. A newer answer of a seat replaces an older one."""

    __slots__ = ("_call_later", "_held", "_submit")

    def __init__(self, call_later: CallLater, submit: Callable[[Propose, Reply], None]) -> None:
        self._call_later = call_later
        self._submit = submit
        self._held: dict[int, tuple[Propose, Reply, asyncio.TimerHandle]] = {}

    @property
    def holding(self) -> bool:
        """Whether any answer waits."""
        return bool(self._held)

    def hold(self, request: Request, seat: int, seconds: float) -> None:
        """Keeps an answer, which is judged again after this time."""
        self.drop(seat)
        propose, reply, _ = request
        self._held[seat] = propose, reply, self._call_later(seconds, lambda: self._release(seat))

    def drop(self, seat: int) -> None:
        """Refuses the waiting answer, because the seat has sent a newer one."""
        if self._held:
            held = self._held.pop(seat, None)
            if held is not None:
                held[2].cancel()
                held[1](refusal_of(DecisionClosed("a newer answer of yours took the place of this one")))

    def _release(self, seat: int) -> None:
        propose, reply, _ = self._held.pop(seat)
        self._submit(propose, reply)
