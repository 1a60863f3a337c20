"""A new arena is no empty room: a table of house bots with a seat to take, and the way to a first ladder."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page.readable import check_readable
from tests.support.service.processes import Service
from tests.support.web.own_servers import arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]


def test_the_start_page_shows_house_bots_game_after_game_and_has_a_seat_at_one_click(page: Page) -> None:
    page.goto("/")
    table = page.get_by_role("region", name="A match of")
    expect(table.get_by_text("house bots", exact=True)).to_be_visible()
    first = table.get_attribute("aria-label")
    table.get_by_role("button", name="Another game").click()
    expect(page.get_by_role("region", name=first or "", exact=True)).to_have_count(0)
    check_readable(page)
    table.get_by_role("button", name="Sit down at a table of").click()
    expect(page).to_have_url(re.compile(r"/play\?match=guest-"))
    expect(page.get_by_text(re.compile("Your turn|You may act|The others are thinking")).first).to_be_visible()


def test_an_organiser_makes_the_first_ladder_with_the_form_on_the_start_page(
    context: BrowserContext, page: Page, hosted: Service
) -> None:
    page.goto("/")
    expect(page.get_by_text("There is no ladder yet")).to_be_visible()
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/")
    steps = page.get_by_role("region", name="Three steps to a first ladder")
    steps.get_by_label("Name, as in its address").fill("first")
    words = '<b>For the course</b> & "friends".\nAsk at the desk.'
    steps.get_by_label("What it is for").fill(words)
    steps.get_by_label("Game").select_option("napoleon")
    expect(steps.get_by_text("Season 1 of “first” begins at once")).to_contain_text("It plays Napoleon; 5 bots")
    steps.get_by_text("The same on the command line").click()
    expect(steps.get_by_text("fudaba ladder create first.toml")).to_be_visible()
    check_readable(page)
    steps.get_by_role("button", name="Make the ladder").click()
    steps.get_by_role("link", name="To the ladder first").click()
    expect(page.get_by_role("heading", name="first")).to_be_visible()
    expect(page.locator(".ladder-description")).to_have_text(words, use_inner_text=True)
