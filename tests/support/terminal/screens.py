"""A match played on a terminal's screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from fudaba.terminal.local import LocalSeat
from fudaba.terminal.screen import PlayScreen
from fudaba.terminal.widgets import History, Moves
from tests.support.patience import PATIENCE


def local(**more: Any) -> PlayScreen:
    """Returns a match of Naga against the first legal move; the other seat names the first place."""
    options: dict[str, object] = {"first_dealer": 1}
    return PlayScreen(LocalSeat("naga", options | more, ["first"], 0, bytes(32), pace=0.0), again=True)


async def until(pilot: Pilot[Any], condition: Callable[[], object], awaited: str = "it") -> None:
    """Waits until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{awaited} never came true\n{text(pilot.app)}"
        await pilot.pause(0.02)


def text(app: Any) -> str:
    """Returns everything that is on the main screen."""
    screen = app.screen_stack[0]
    parts = [str(screen.query_one(name, Static).render()) for name in ("#title", "#clock", "#table", "#prompt")]
    log = screen.query_one(History)
    moves = screen.query_one(Moves)
    parts += [line.text for line in log.lines]
    parts += [str(moves.get_option_at_index(number).prompt) for number in range(moves.option_count)]
    return " ".join(" ".join(parts).split())


def prompt(app: Any) -> str:
    return str(app.screen_stack[0].query_one("#prompt", Static).render())


def keys(app: Any) -> str:
    """Returns what the line at the bottom says of the keys."""
    return str(app.screen_stack[0].query_one("#keys", Static).render())


def asks(app: PlayScreen, words: str) -> Callable[[], bool]:
    return lambda: words in prompt(app)
