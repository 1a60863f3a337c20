"""A person plays in the browser: by pointing, with keys, with a friend by invitation, through lost connections."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from fudaba_games.registry import GAMES
from tests.page.conftest import Watched
from tests.patience import PATIENCE
from tests.web.conftest import Gateway

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


SAMPLE = "naga"


@pytest.mark.parametrize(
    "game", [game if game == SAMPLE else pytest.param(game, marks=pytest.mark.exhaustive) for game in GAMES]
)
def test_a_guest_plays_a_match_to_its_end_by_pointing(page: Page, game: str) -> None:
    begin(page, game)
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


@pytest.mark.exhaustive
def test_a_match_is_played_with_keys_alone(page: Page) -> None:
    begin(page, "naga")
    deadline = time.monotonic() + LONGEST
    end = is_over(page)
    while not end.is_visible():
        assert time.monotonic() < deadline
        ready = page.get_by_role("button", name=re.compile(r"^Play: ")).first
        pieces = page.locator("button[data-piece][aria-pressed=false]").first
        target = ready if ready.is_visible() else pieces
        if target.is_visible():
            target.evaluate_all("found => found.slice(0, 1).forEach((one) => one.focus())")
            page.keyboard.press("Enter")
        page.wait_for_timeout(50)


@pytest.mark.exhaustive
def test_a_lost_connection_costs_no_match(page: Page, context: BrowserContext) -> None:
    begin(page, "naga")
    page.locator("button[data-piece]").first.wait_for()
    context.set_offline(True)
    page.wait_for_timeout(1_000)
    context.set_offline(False)
    page.reload()
    play_by_pointing(page)


@pytest.mark.exhaustive
def test_two_people_play_by_invitation_in_two_browsers(page: Page, built: None, web: Gateway) -> None:
    page.goto("/play?game=naga")
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_label("Seat 2").select_option("a friend, by a link")
    page.get_by_role("button", name="Begin").click()
    link = page.get_by_role("textbox", name="Invitation link").input_value()
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(base_url=web.url, locale="en") as other:
        other.set_default_timeout(PATIENCE * 1000)
        with Watched(other.new_page()) as friend:
            friend.goto(link)
            friend.get_by_role("button", name="Play as a guest").click()
            friend.get_by_role("button", name=re.compile("^Take the seat")).click()
            deadline = time.monotonic() + LONGEST
            while not (is_over(page).is_visible() and is_over(friend).is_visible()):
                assert time.monotonic() < deadline
                for one in (page, friend):
                    ready = one.get_by_role("button", name=re.compile(r"^Play: ")).first
                    pieces = one.locator("button[data-piece][aria-pressed=false]").first
                    if ready.is_visible():
                        press(ready)
                    elif pieces.is_visible():
                        press(pieces)
                page.wait_for_timeout(50)
