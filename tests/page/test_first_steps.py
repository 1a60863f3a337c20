"""What somebody does who is here for the first time: makes an account, loses the way, comes back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.folders import short_folder
from tests.support.page.browsing import MOTION, Watched
from tests.support.page.playing import begin_as_guest
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    """Yields a service with guests, on which invitation codes make accounts: that is so where nothing else is said."""
    with short_folder() as place, Service(place, "--guests", "--registrations-per-hour", "100") as running:
        yield running.start()


@pytest.fixture(scope="module")
def web(hosted: Service) -> Iterator[Gateway]:
    with gateway(hosted.folder, hosted.address) as running:
        yield running


@pytest.fixture
def code(organiser: Client) -> str:
    return organiser.accounts.CreateInvitation(accounts_pb2.CreateInvitationRequest(), timeout=PATIENCE).code


def sign_in_as_new_account(page: Page, name: str) -> str:
    """Makes the account; its token, which is shown once."""
    page.get_by_label("Name of your account").fill(name)
    page.get_by_label("Name of your account").press("Enter")
    token = page.get_by_label("Token", exact=True).last.inner_text()
    keep_and_sign_in(page)
    expect(page.get_by_text(re.compile("^A new bot called"))).to_be_visible()
    return token


def keep_and_sign_in(page: Page) -> None:
    page.get_by_label("I have kept it").check()
    page.get_by_role("button", name="Sign in with it").click()


def test_the_token_of_a_new_account_stays_through_a_reload_until_it_is_kept(page: Page, code: str) -> None:
    asked = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.goto(f"/enter?invitation={code}")
    expect(page.get_by_text("which is shown once, when the account is made")).to_be_visible()
    page.get_by_label("Name of your account").fill(f"ida-{secrets.token_hex(4)}")
    page.get_by_label("Name of your account").press("Enter")
    shown = page.get_by_role("status").filter(has_text="This is shown once").locator("pre").first
    token = shown.inner_text()
    assert token.startswith("fudaba-")
    expect(page.get_by_role("button", name="Sign in with it")).to_have_count(0)
    page.reload()
    assert asked == ["beforeunload"]
    expect(shown).to_have_text(token)
    keep_and_sign_in(page)
    expect(page.get_by_text(re.compile("^A new bot called"))).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile("^A new bot called"))).to_be_visible()
    assert asked == ["beforeunload"]
    assert page.get_by_text(token).count() == 0


@pytest.mark.exhaustive
def test_the_secret_of_a_bot_and_of_an_account_stay_through_a_reload_until_they_are_kept(page: Page, code: str) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/enter?invitation={code}")
    sign_in_as_new_account(page, f"ulf-{secrets.token_hex(4)}")
    name = f"bot-{secrets.token_hex(4)}"
    page.get_by_label(re.compile("^A new bot called")).fill(name)
    page.get_by_label(re.compile("^A new bot called")).press("Enter")
    page.get_by_role("tab", name="Run it yourself").wait_for()  # to leave the page ends a call that has no answer yet
    for path, make in (("/enter", "Make a token"), ("/account", "New token of this account")):
        page.goto(path)
        remote = page.get_by_role("tab", name="Run it yourself")
        if path == "/enter":
            remote.click()
        page.get_by_role("button", name=make).click()
        shown = page.get_by_role("status").filter(has_text="This is shown once").locator("pre")
        secret = shown.inner_text()
        page.reload()
        if path == "/enter":
            remote.click()
        expect(shown).to_have_text(secret)
        page.get_by_label("I have kept it").check()
        page.get_by_role("button", name="Hide it").click()
        expect(shown).to_have_count(0)
        page.reload()
        if path == "/enter":
            remote.click()
        expect(page.get_by_role("button", name=make)).to_be_visible()
        expect(shown).to_have_count(0)


def test_an_invitation_code_makes_an_account_that_can_enter_bots_and_come_back(page: Page, code: str) -> None:
    page.goto("/enter")
    page.get_by_text("Make an account with your invitation code").click()
    page.get_by_label("Invitation code").fill("AAAA-BBBB-CCCC")
    page.get_by_label("Name of your account").fill("ann")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("alert")).to_contain_text("invitation code")
    page.get_by_label("Invitation code").fill(code.lower())
    token = sign_in_as_new_account(page, f"ann-{secrets.token_hex(4)}")

    page.goto("/account")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token", exact=True).fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Enter a bot").last).to_be_visible()


@pytest.mark.exhaustive
def test_whoever_has_lost_the_token_comes_back_with_the_recovery_code_and_a_second_device_signs_in_by_a_code(
    page: Page, code: str, web: Gateway
) -> None:
    page.goto(f"/enter?invitation={code}")
    name = f"kai-{secrets.token_hex(4)}"
    page.get_by_label("Name of your account").fill(name)
    page.get_by_label("Name of your account").press("Enter")
    recovery = page.get_by_label("Recovery code").inner_text()
    keep_and_sign_in(page)
    page.get_by_text(re.compile("^A new bot called")).wait_for()
    page.goto("/account")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("Sign in with a code").click()
    page.get_by_label("Code", exact=True).fill(recovery)
    page.get_by_label("Code", exact=True).press("Enter")
    expect(page.get_by_text("Signed in as")).to_contain_text(name)
    expect(page.get_by_text(f"The recovery code of {name} was made on")).to_be_visible()
    assert page.get_by_label("Recovery code").inner_text() != recovery, "the next one takes its place at once"
    page.get_by_label("I have kept it").check()
    page.get_by_role("button", name="Hide it").click()

    page.get_by_role("button", name="Sign in on another device").click()
    device = page.get_by_label("Code", exact=True).inner_text()
    browser = page.context.browser
    assert browser is not None
    with (
        browser.new_context(base_url=web.url, locale="en", reduced_motion=MOTION) as other,
        Watched(other.new_page()) as second,
    ):
        second.goto(f"/account#code={device}")
        second.get_by_label("Code", exact=True).press("Enter")
        expect(second.get_by_text("Signed in as")).to_contain_text(name)
        assert "#" not in second.url
        second.evaluate("location.hash = 'code=0000-0000-0000'")  # a second link, in the same tab
        expect(second.get_by_label("Code", exact=True)).to_have_value("0000-0000-0000")
        expect(second.get_by_text(f"You are signed in as {name}. Who signs in")).to_be_visible()
    page.reload()
    ended = page.get_by_role("row", name=re.compile("device"))
    ended.get_by_role("button", name=re.compile("^Revoke")).click()
    ended.get_by_role("button", name="Yes").click()
    expect(ended).to_have_count(0)


@pytest.mark.exhaustive
def test_a_link_has_the_code_in_it(page: Page, code: str) -> None:
    page.goto(f"/enter?invitation={code}")
    expect(page.get_by_label("Invitation code")).to_have_value(code)
    sign_in_as_new_account(page, f"bob-{secrets.token_hex(4)}")


@pytest.mark.exhaustive
def test_who_takes_the_code_for_one_of_a_match_is_led_to_where_it_makes_an_account(page: Page, code: str) -> None:
    page.goto(f"/join/{code}")
    page.get_by_role("link", name="to open an account").click()
    expect(page.get_by_label("Invitation code")).to_have_value(code)


@pytest.mark.exhaustive
def test_who_has_left_a_match_finds_the_way_back_to_the_seat(page: Page) -> None:
    begin_as_guest(page, "naga")
    address = page.url
    page.goto("/play")
    page.get_by_role("region", name="Matches of yours that go on").get_by_role("link", name="Naga").click()
    page.wait_for_url(address)
    page.goto(f"/matches/{address.partition('match=')[2]}")
    page.get_by_role("link", name="To your seat").click()
    page.wait_for_url(address)


@pytest.mark.exhaustive
def test_a_token_that_is_refused_leaves_a_guest_signed_in(page: Page) -> None:
    begin_as_guest(page, "naga")
    page.goto("/enter")
    page.get_by_label("Token", exact=True).fill("fudaba-nobody-has-this")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("unknown or was revoked")
    page.goto("/account")
    expect(page.get_by_text("(guest)")).to_be_visible()


def test_where_nothing_is_the_page_says_so_and_leads_on(page: Page) -> None:
    for path in ("/nothing", "/nothing/at/all", "/ladder"):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 404
        expect(page.get_by_role("heading", name="No such page")).to_be_visible()
        page.get_by_role("link", name="To the start page").click()
        page.wait_for_url("**/")


@pytest.mark.exhaustive
def test_a_match_that_there_is_not_offers_no_second_try(page: Page) -> None:
    page.goto("/matches/nonsense")
    expect(page.get_by_role("alert")).to_contain_text("there is no match")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    expect(page.get_by_role("link", name="To the start page")).to_be_visible()


@pytest.mark.exhaustive
def test_refusals_are_in_japanese_on_the_japanese_page(built: None, browser: Browser, web: Gateway) -> None:
    with browser.new_context(base_url=web.url, locale="ja-JP", reduced_motion=MOTION) as context:
        context.set_default_timeout(PATIENCE * 1000)
        with Watched(context.new_page()) as page:
            page.goto("/matches/nonsense")
            page.wait_for_load_state("networkidle")
            expect(page.get_by_role("alert")).to_contain_text("その対戦はありません。(there is no match 'nonsense'")
            page.goto("/account")
            page.get_by_label("トークン", exact=True).fill("fudaba-nobody-has-this")
            page.get_by_role("button", name="サインイン").click()
            expect(page.get_by_role("alert")).to_contain_text("そのトークンは見つからないか")


@pytest.mark.exhaustive
def test_the_contract_is_a_page(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="For programs").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("navigation", name="Contents")).to_be_visible()
    expect(page.get_by_role("heading", level=2).nth(6)).to_be_attached()  # it is drawn piece by piece


@pytest.mark.exhaustive
def test_a_guest_is_asked_before_signing_out(page: Page, context: BrowserContext) -> None:
    begin_as_guest(page, "naga")
    page.goto("/account")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="No").click()
    expect(page.get_by_text("(guest)")).to_be_visible()


@pytest.mark.exhaustive
def test_the_secret_of_a_token_that_was_revoked_is_not_shown_as_one_to_be_kept(page: Page, code: str) -> None:
    page.goto(f"/enter?invitation={code}")
    sign_in_as_new_account(page, f"eve-{secrets.token_hex(4)}")
    page.goto("/account")
    page.get_by_role("button", name="New token of this account").click()
    shown = page.get_by_role("status").filter(has_text="This is shown once")
    expect(shown).to_contain_text("It is the secret of token")
    page.get_by_role("button", name=re.compile("^Revoke [0-9a-f]+$")).click()
    page.get_by_role("button", name="Yes").click()
    expect(shown).to_have_count(0)


@pytest.mark.exhaustive
def test_a_bot_without_a_program_is_not_offered_a_ladder_before_it_has_a_token(
    page: Page, code: str, hosted: Service
) -> None:
    page.goto(f"/enter?invitation={code}")
    sign_in_as_new_account(page, f"kim-{secrets.token_hex(4)}")
    name = f"bot-{secrets.token_hex(4)}"
    page.get_by_label(re.compile("^A new bot called")).fill(name)
    page.get_by_label(re.compile("^A new bot called")).press("Enter")
    page.get_by_role("tab", name="Run it yourself").click()
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("export FUDABA_TOKEN=")).to_contain_text(f"export FUDABA_SERVER={hosted.address}\n")
    expect(page.get_by_text("The address is a guess")).to_be_visible()
