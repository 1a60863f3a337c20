"""What is not there, not yet there, or was refused is told in words, and the words go with their cause."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

LADDERS = "**/fudaba.v1.ArenaService/ListLadders*"


def test_a_link_to_what_is_not_there_says_what_to_do(page: Page) -> None:
    page.goto("/ladders/none")
    expect(page.get_by_role("alert")).to_contain_text("Not found")
    expect(page).to_have_title(re.compile("^Not found · "))
    page.get_by_role("link", name="To the start page").click()
    expect(page).to_have_url(re.compile("/$"))


def test_what_takes_long_says_what_it_waits_for(page: Page) -> None:
    page.route(LADDERS, lambda _: None)  # it is not answered
    page.goto("/ladders")
    loading = page.locator("main .loading")
    expect(loading).to_contain_text("The service has not answered yet")
    page.unroute_all(behavior="ignoreErrors")
    expect(loading).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_what_failed_without_a_network_is_asked_for_when_that_is_back(page: Page, context: BrowserContext) -> None:
    page.route(LADDERS, lambda route: route.abort("internetdisconnected"))
    page.goto("/ladders")
    expect(page.get_by_role("alert")).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")
    context.set_offline(True)
    context.set_offline(False)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_page_whose_files_do_not_come_says_so_and_is_there_when_it_is_asked_for_again(page: Page) -> None:
    page.goto("/ladders")
    page.route("**/assets/**", lambda route: route.abort("internetdisconnected"))
    page.get_by_role("link", name="Games", exact=True).first.click()
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("The site cannot be reached now.")
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1, name="Games")).to_be_visible()


def test_the_refusal_of_a_form_goes_when_the_form_is_mended(page: Page) -> None:
    page.goto("/account")
    token = page.get_by_label("Token", exact=True)
    token.fill("nonsense")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    refusal = page.get_by_role("main").get_by_role("alert")
    expect(refusal).to_have_count(1)
    token.fill("nonsense, corrected")
    expect(refusal).to_have_count(0)
