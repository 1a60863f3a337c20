"""Matches that are played on the page."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page

from tests.support.patience import PATIENCE

LONGEST = 8 * PATIENCE
"""Seconds for a whole match, whatever else the machine does."""
POINT = """(moves) => {
    let chance = 1, wasReady = false;
    window.movesMade = 0;
    const timer = setInterval(() => {
        const ready = document.querySelectorAll(".chooser-ready button.main");
        const open = document.querySelectorAll("button[data-piece][aria-pressed=false]");
        const found = ready.length > 0 ? ready : open;
        chance = (chance * 48271) % 2147483647;
        if (ready.length > 0 && !wasReady) window.movesMade += 1;
        wasReady = ready.length > 0;
        found[chance % Math.max(1, found.length)]?.click();
        if (window.movesMade === moves) clearInterval(timer);
    }, 40);
}"""
"""Points at one of the pieces that lead on, again and again, and plays what that becomes. Always the first would be, in
some games, for ever the same. After that many moves it stops, if any number is given."""


def begin(page: Page, game: str, deals: int = 0) -> None:
    """Begins a match against house bots, of `deals` deals, or as many as is usual."""
    page.goto(f"/play?game={game}")
    if deals:
        page.get_by_text("Options of the game").click()
        page.get_by_label(re.compile("^Deals ")).fill(str(deals))
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/play?match=*")


def begin_as_guest(page: Page, game: str) -> None:
    """Begins a match as a guest."""
    page.goto(f"/play?game={game}")
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/play?match=*")


def is_over(page: Page) -> Locator:
    return page.get_by_role("button", name="Play again")


def play_by_pointing(page: Page, moves: int = 0) -> None:
    """Points until the match is over, or until this many moves are made, if a number is given."""
    page.evaluate(POINT, moves or None)
    if moves:
        wait_for_moves(page, moves)
    else:
        is_over(page).wait_for(timeout=LONGEST * 1000)


def wait_for_moves(page: Page, moves: int) -> None:
    """Waits until whoever points at a page has made this many moves, or the match is over."""
    page.wait_for_function(
        "moves => window.movesMade >= moves || document.querySelector('.match-ending')",
        arg=moves,
        timeout=LONGEST * 1000,
    )
