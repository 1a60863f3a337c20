"""A person plays in the browser, by pointing at the board."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, Page, expect

from tests.patience import PATIENCE

LONGEST = 8 * PATIENCE
"""Seconds for a whole match, whatever else the machine does."""


def begin(page: Page, game: str) -> None:
    """A guest begins a match against house bots."""
    page.goto(f"/play?game={game}")
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/play?match=*")


def is_over(page: Page) -> Locator:
    return page.get_by_role("button", name="Play again")


def play_by_pointing(page: Page, until: Locator | None = None) -> None:
    """Points at the first piece that leads on, again and again, until the match is over or something is seen."""
    end = is_over(page) if until is None else until
    deadline = time.monotonic() + LONGEST
    ready = page.get_by_role("button", name=re.compile(r"^Play: "))
    open_pieces = page.locator("button[data-piece][aria-pressed=false]")
    while not end.is_visible():
        assert time.monotonic() < deadline, page.locator("main").inner_text()
        if ready.first.is_visible():
            press(ready.first)
        elif open_pieces.first.is_visible():
            press(open_pieces.first)
        else:
            page.wait_for_timeout(50)


def press(button: Locator) -> None:
    """Presses a button, unless the match has gone on and it is there no more."""
    button.evaluate_all("found => found.slice(0, 1).forEach((one) => one.click())")


def test_a_guest_plays_a_match_to_its_end_by_pointing(page: Page) -> None:
    begin(page, "naga")
    play_by_pointing(page)
    expect(page.get_by_role("link", name="Replay")).to_be_visible()


def test_what_is_played_is_what_was_pointed_at(page: Page) -> None:
    begin(page, "naga")
    ready = page.get_by_role("button", name=re.compile(r"^Play: "))
    pieces = page.locator("button[data-piece][aria-pressed=false]")
    while not ready.first.is_visible():
        press(pieces.first)
        page.wait_for_timeout(50)
    said = (ready.first.text_content() or "").removeprefix("Play: ")
    assert said
    press(ready.first)
    expect(page.locator(".match-log, [aria-label='What happened'], aside, ol").first).to_be_visible()
    expect(ready.first).not_to_be_visible()
