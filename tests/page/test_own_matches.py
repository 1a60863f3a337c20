"""A match on the page of somebody whose bot has a seat in it: tags of one's own, and what the bot printed."""

from __future__ import annotations

import secrets

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2
from tests.support.page.browsing import sign_in
from tests.support.page.readable import check_readable
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

pytestmark = pytest.mark.exhaustive  # tests/web and vitest have the parts


def test_an_own_match_is_tagged_and_found_by_its_tag_and_nobody_else_sees_that(
    context: BrowserContext, page: Page, organiser: Client
) -> None:
    name, tag = f"tagger-{secrets.token_hex(3)}", f"lost {secrets.token_hex(3)}"
    sign_in(context, organiser, name)
    request = matches_pb2.CreateMatchRequest(game="naga")
    request.seats.add().bot.bot = name
    request.seats.add(house_bot="house-sensible")
    match_id = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    page.goto(f"/play?match={match_id}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign").last.click()
    expect(page.locator(".match-ending")).to_contain_text("forfeited")

    page.goto(f"/matches/{match_id}")
    page.get_by_role("button", name="More").click()
    own = page.get_by_role("region", name="For you alone")
    own.get_by_label("My tags").fill(f" {tag}, slow,{tag},")
    own.get_by_role("button", name="Save").click()
    expect(own.get_by_role("status")).to_have_text("Saved.")
    expect(own.get_by_label("My tags")).to_have_value(f"{tag}, slow")
    check_readable(page)

    own.get_by_label("My tags").fill("x" * 65)
    own.get_by_role("button", name="Save").click()
    expect(own.get_by_role("status")).to_contain_text("64")

    page.goto(f"/matches?tag={tag}")
    expect(page.locator("tbody tr")).to_have_count(1)
    context.clear_cookies()
    page.goto(f"/matches/{match_id}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Download the record").wait_for()
    expect(own).to_have_count(0)


def test_an_author_is_told_where_the_output_of_a_bot_is(
    context: BrowserContext, page: Page, organiser: Client, hosted: Service
) -> None:
    name = f"quiet-{secrets.token_hex(3)}"
    made = organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=f"{name}-author"), timeout=PATIENCE)
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": made.token})
    assert answer.ok, answer.text()
    with Client(hosted.address, made.token) as author:
        author.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
    request = matches_pb2.CreateMatchRequest(game="naga")
    request.seats.add().bot.bot = name
    request.seats.add(house_bot="house-sensible")
    match_id = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), timeout=PATIENCE)
    page.goto(f"/matches/{match_id}")
    page.get_by_role("button", name="More").click()
    own = page.get_by_role("region", name="For you alone")
    expect(own).to_contain_text(f"There is no log of {name}@1")
