"""Where the service has no guests the page offers none, and says who may play instead."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, matches_pb2
from tests.support.folders import short_folder
from tests.support.page.browsing import sign_in
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    """Yields a service as `fudaba serve` starts it when nothing else is said."""
    with short_folder() as place, Service(place) as running:
        yield running.start()


@pytest.fixture(scope="module")
def web(hosted: Service) -> Iterator[Gateway]:
    with gateway(hosted.folder, hosted.address) as running:
        yield running


def test_nobody_is_offered_to_play_as_a_guest(page: Page, context: BrowserContext, organiser: Client) -> None:
    guest = page.get_by_role("button", name="Play as a guest")
    page.goto("/account")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.wait_for_load_state("networkidle")  # by now the catalogue has come
    expect(guest).to_have_count(0)
    seats = [matches_pb2.Seat(house_bot="house-random"), matches_pb2.Seat(invitation=matches_pb2.Seat.Invitation())]
    made = organiser.matches.CreateMatch(matches_pb2.CreateMatchRequest(game="naga", seats=seats), timeout=PATIENCE)
    for path in ("/play?game=naga", f"/join/{made.invitation_codes[0].code}"):
        page.goto(path)
        expect(page.get_by_text("This site has no guests")).to_be_visible()
        expect(guest).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("Token")).to_be_visible()

    name = f"author-{secrets.token_hex(4)}"
    token = organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE).token
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text(name).first).to_be_visible()
    page.goto("/play")
    expect(page.get_by_text("make a token for one of yours")).to_be_visible()
    expect(guest).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="Enter a bot").click()
    expect(page.get_by_text(re.compile("^A new bot called"))).to_be_visible()

    sign_in(context, organiser)
    page.goto("/play?game=naga")
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
