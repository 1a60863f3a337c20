"""Turns of the event loop: how much is done in one before whoever else is ready gets theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final

__all__ = ["Turns"]

_MANY: Final = 100
_FEW: Final = 4


@final
class Turns:
    """Long work is done in steps; between two of them others get their turn.

    A call takes some twenty turns, however little it does in each, so that it waits for twenty steps of whatever else
    goes on. While there is one the steps are short. Otherwise they are long: what is told in one step goes out in fewer
    messages.
    """

    def __init__(self) -> None:
        self._calls = 0

    @property
    def step(self) -> int:
        """How many answers may be judged, or told, in one turn."""
        return _FEW if self._calls else _MANY

    @contextmanager
    def called(self) -> Iterator[None]:
        """Counts in a call that is being answered."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
