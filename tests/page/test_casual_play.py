"""A seat against somebody's bot: its author opens it on its page, a guest sits down, and the author closes it again."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, expect

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2
from tests.support.page.browsing import MOTION
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway


@contextmanager
def playing(organiser: Client, hosted: Service, bot: str) -> Iterator[None]:
    """While a bot plays what it is offered, from when the service sees it on."""
    token = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot), timeout=PATIENCE).token
    words = [sys.executable, "-m", "fudaba", "bot", "run", "first", "--server", hosted.address, "--token", token]
    request = bots_pb2.ListCasualBotsRequest(bot=bot)
    with subprocess.Popen(words) as process:
        try:
            wait_until(lambda: organiser.bots.ListCasualBots(request).bots[0].present, "the bot is there")
            yield
        finally:
            process.kill()


@contextmanager
def guest_page(browser: Browser, web: Gateway) -> Iterator[Page]:
    """Yields a page of somebody who is not signed in."""
    with browser.new_context(base_url=web.url, locale="en", reduced_motion=MOTION) as opened:
        opened.set_default_timeout(PATIENCE * 1000)
        yield opened.new_page()


def test_an_author_opens_a_bot_a_guest_sits_down_and_the_author_closes_it(
    page: Page, context: BrowserContext, browser: Browser, web: Gateway, organiser: Client, hosted: Service
) -> None:
    name, bot = f"ann-{secrets.token_hex(4)}", f"robot-{secrets.token_hex(4)}"
    account = organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot, account=name), timeout=PATIENCE)
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": account.token})
    assert answer.ok, answer.text()

    page.goto(f"/bots/{bot}")
    expect(page.get_by_text("does not let players sit down")).to_be_visible()
    page.get_by_label("Naga", exact=True).check()
    page.get_by_label("Matches at once").fill("2")
    page.get_by_role("button", name="Allow these").click()
    expect(page.get_by_role("status").filter(has_text=f"sit down against {bot}")).to_be_visible()

    with guest_page(browser, web) as guest:
        guest.goto(f"/bots/{bot}")
        expect(guest.get_by_text("process is not connected now")).to_be_visible()
        expect(guest.get_by_label("Matches at once")).to_have_count(0)
        with playing(organiser, hosted, bot):
            guest.get_by_role("button", name="Look again").click()
            seat = guest.get_by_role("button", name="Play Naga against it")
            seat.click()
            guest.wait_for_url("**/play?match=guest-*")
            [match] = organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(bot=bot), timeout=PATIENCE).matches
            assert [player.bot.split("-")[0] for player in match.header.players] == ["guest", "robot"]
            wanted = matches_pb2.GetMatchRequest(match_id=match.header.match_id)
            wait_until(
                lambda: organiser.matches.GetMatch(wanted).match.state == matches_pb2.MATCH_STATE_PLAYING,
                "both have their seats",
            )

            guest.goto(f"/bots/{bot}")
            expect(seat).to_be_visible()
            page.get_by_role("button", name="Allow none").click()
            expect(page.get_by_role("status").filter(has_text="Nobody can sit down")).to_be_visible()
            seat.click()
            expect(guest.get_by_role("alert")).to_contain_text("allows no casual match of naga")
            guest.reload()
            expect(guest.get_by_text("does not let players sit down")).to_be_visible()
            assert not organiser.matches.GetMatch(wanted, timeout=PATIENCE).match.HasField("end")
