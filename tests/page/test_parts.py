"""The page of parts shows what boards are made of, in each look that a reader can choose."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.page.readable import check_readable

COLOURS = """() => Object.fromEntries([0, 1, 2, 3].map((suit) => {
    const sign = document.querySelector(`main .board .french-suit-${suit}`);
    return [suit, getComputedStyle(sign).color];
}))"""
"""The colours of clubs, diamonds, hearts and spades on a board."""


@pytest.fixture
def parts(page: Page) -> Page:
    """Returns a window with the page of parts."""
    page.goto("/parts")
    wait_until_drawn(page)
    return page


def wait_until_drawn(page: Page) -> None:
    """Waits until the parts are there. Header and footer come before them."""
    page.get_by_role("heading", level=1).wait_for()


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_parts_can_be_read_in_each_look(parts: Page, language: str) -> None:
    parts.locator(".footer select").first.select_option(language)
    expect(parts.locator("html")).to_have_attribute("lang", language)
    for theme in ("light", "dark"):
        parts.locator(".footer select").nth(1).select_option(theme)
        parts.set_viewport_size({"width": 360, "height": 800})
        check_readable(parts)


def test_the_parts_are_in_their_states(parts: Page) -> None:
    for token in ("--type-1", "--space-11", "--accent"):
        expect(parts.get_by_text(token, exact=True)).to_be_visible()
    expect(parts.locator(".plate.turn")).to_have_count(1)
    expect(parts.locator(".plate.is-out")).to_have_count(1)
    for piece in ("hand:3", "hand:JC"):  # of the table, and of the decision
        card = parts.locator(f'[data-piece="{piece}"]')
        card.click()
        expect(card).to_have_attribute("aria-pressed", "true")
    button = parts.locator(".chooser-buttons .main")
    expect(button).to_be_enabled()
    parts.locator("main select").select_option("busy")
    expect(button).to_have_count(0)
    parts.locator("main select").select_option("refused")
    expect(parts.get_by_role("alert")).to_contain_text("why it was refused")


def test_each_suit_has_a_colour_of_its_own_where_a_reader_wants_that(parts: Page) -> None:
    usual = parts.evaluate(COLOURS)
    choice = parts.get_by_label("Four-colour deck")
    choice.check()
    changed = parts.evaluate(COLOURS)
    assert {suit for suit in usual if usual[suit] != changed[suit]} == {"0", "1"}
    parts.reload()
    wait_until_drawn(parts)
    expect(choice).to_be_checked()
    assert parts.evaluate(COLOURS) == changed
    choice.uncheck()
    assert parts.evaluate(COLOURS) == usual
