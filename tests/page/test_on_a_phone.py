"""On a phone, by tapping: an author enters a bot, a person plays; what is entered wrongly is told and loses nothing."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, submissions_pb2
from tests.support.arena.api.ladders import WAITING
from tests.support.arena.nodes import Node
from tests.support.arena.programs.uploads import GOOD, folder
from tests.support.arena.sandbox.sandboxes import need_sandbox
from tests.support.arena.standing import Arena
from tests.support.page.phone import author, check_fits, check_focused, context, register, sign_in, submit, worker
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.sizes import exhaustive
from tests.support.web.own_servers import arena, gateway_token, hosted, web

__all__ = ["arena", "author", "context", "gateway_token", "hosted", "need_sandbox", "web", "worker"]


MIN_TAPS = 8
"""So many make the moves at the gate; the exhaustive run has the match played to its end."""


@pytest.fixture(scope="module")
def ladder(arena: Arena) -> str:
    """Returns the name of a ladder in which nothing is played yet."""
    with arena.client() as client:
        definition = WAITING.format(name="open", narrow=60)
        client.arena.CreateLadder(arena_pb2.CreateLadderRequest(definition=definition), timeout=PATIENCE)
    return "open"


@pytest.mark.exhaustive
def test_an_author_enters_a_bot_follows_its_stages_and_reads_what_it_said(
    page: Page, author: str, ladder: str, worker: Node, tmp_path: Path
) -> None:
    page.goto("/enter")
    page.get_by_label("Token").wait_for()
    check_fits(page)
    sign_in(page, author)
    page.get_by_label(re.compile("^A new bot called")).wait_for()
    check_focused(page.get_by_role("main"))
    name = register(page)
    expect(page.get_by_text("It has no program yet")).to_be_visible()
    expect(page.get_by_role("button", name="Enter it")).to_have_count(0)
    page.get_by_text("What belongs in it").tap()
    check_fits(page)
    page.get_by_label("What is new in it").fill("the first")
    submit(page, tmp_path / "bot.tar.gz", folder({"bot.py": GOOD}))
    page.wait_for_url("**/submissions/*")
    stages = page.locator(".stages li")
    expect(page.get_by_text("A match of Naga against itself")).to_be_visible()
    expect(page.get_by_text("accepted", exact=True)).to_be_visible()
    for said in ("a bot in python for naga", "of CPU in", "memory: "):
        expect(stages.filter(has_text=said).first).to_be_visible()
    check_fits(page)
    page.get_by_role("button", name="Enter it").tap()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    check_focused(page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Pause")))
    check_fits(page)
    page.get_by_role("button", name="Leave").tap()
    check_focused(page.get_by_role("button", name="No"))
    page.get_by_role("button", name="No").tap()
    check_focused(page.get_by_role("button", name="Leave"))

    page.goto("/enter")
    expect(page.get_by_role("radio", name=name)).to_be_checked()  # the only one
    page.get_by_role("link", name="version 2").tap()
    page.wait_for_url("**/submissions/*")
    expect(page.get_by_text("the first")).to_be_visible()
    page.go_back()
    page.get_by_role("tab", name="Run it yourself").tap()
    page.get_by_role("button", name="Make a token").tap()
    expect(page.get_by_text("This is shown once")).to_be_visible()
    check_fits(page)
    page.goto("/account")
    expect(page.get_by_role("button", name=re.compile("^Revoke"))).to_be_visible()
    check_fits(page)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "game", ["naga", pytest.param("makhop", marks=pytest.mark.nightly("the same of Naga; Makhop is played on a desk"))]
)
def test_a_person_plays_a_match(page: Page, game: str) -> None:
    page.goto(f"/play?game={game}")
    page.get_by_role("button", name="Play as a guest").tap()
    page.get_by_role("button", name="Begin").wait_for()
    check_fits(page)
    page.get_by_role("button", name="Begin").tap()
    page.wait_for_url("**/play?match=*")
    ready = page.locator(".chooser-ready button.main")
    pieces = page.locator("button[data-piece][aria-pressed=false]")
    over = page.get_by_role("button", name="Play again")
    taps = 0
    while exhaustive() or taps < MIN_TAPS:
        ready.or_(pieces).or_(over).first.wait_for()
        if over.is_visible():
            break
        check_fits(page)
        tap(ready if ready.first.is_visible() else pieces, taps)
        taps += 1
    assert taps > 0
    check_fits(page)


def tap(buttons: Locator, number: int) -> None:
    """Taps one of them where a finger would, unless the match has gone on and it is there no more."""
    count = buttons.count()
    if count == 0:
        return
    box = None
    button = buttons.nth(number % count)
    found = button.element_handles() if count == 1 else buttons.element_handles()[number % count : number % count + 1]
    for handle in found:
        if handle.evaluate("one => { one.scrollIntoView({ block: 'center' }); return one.isConnected; }"):
            box = handle.bounding_box()
    if box is not None:
        button.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        time.sleep(0.02)


def test_what_is_entered_wrongly_is_told_and_loses_nothing(
    page: Page, author: str, hosted: Service, tmp_path: Path
) -> None:
    refused = page.get_by_role("alert")
    page.goto("/enter")
    sign_in(page, author[:-1])
    expect(refused).to_contain_text("unknown")
    expect(page.get_by_label("Token")).to_have_value(author[:-1])
    check_focused(page.get_by_role("button", name="Sign in"))
    sign_in(page, f" {author}\n")
    register(page)

    message = page.get_by_label("What is new in it")
    message.fill("mended")
    submit(page, tmp_path / "bot.tar.gz", b"")
    expect(refused).to_contain_text("an empty file is no submission")
    submit(page, tmp_path / "big.tar.gz", bytes(64_000_001))
    expect(refused).to_contain_text("at most 64,000,000 are allowed")
    check_fits(page)
    (tmp_path / "big.tar.gz").write_bytes(b"less")
    page.get_by_role("button", name="Upload and check").tap()
    expect(refused).to_contain_text("choose it again")
    expect(message).to_have_value("mended")

    with Client(hosted.address, author) as own:
        request = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TOKEN_SCOPE_AUTHOR)
        another = own.accounts.CreateAccountToken(request, timeout=PATIENCE).token
        own.accounts.RevokeToken(accounts_pb2.RevokeTokenRequest(), timeout=PATIENCE)
    (tmp_path / "notes.txt").write_bytes(b"a text")
    page.get_by_label("File").set_input_files(tmp_path / "notes.txt")
    # The service knows at once; an arena has asked it a moment ago.
    page.get_by_label(re.compile("^A new bot called")).fill("another")
    page.get_by_role("button", name="Register another").tap()
    expect(refused.filter(has_text="Sign in again here")).to_be_visible()
    check_fits(page)
    expect(message).to_have_value("mended")
    sign_in(page, another)
    expect(page.get_by_text("Sign in again here")).to_have_count(0)
    page.get_by_role("button", name="Upload and check").tap()  # the same file, which is still chosen
    page.wait_for_url("**/submissions/*")
    expect(page.locator(".stages li")).to_contain_text("submit a .tar.gz, .tar.zst or .zip with bot.toml in it")
    expect(page.locator(".stages li")).to_contain_text("It cannot be read as an archive")
    expect(page.get_by_text("refused", exact=True)).to_be_visible()
    check_fits(page)


@pytest.mark.exhaustive
def test_an_address_without_tls_takes_a_bot_too(page: Page, author: str, tmp_path: Path) -> None:
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")  # as browsers have it there
    page.goto("/enter")
    sign_in(page, author)
    register(page)
    submit(page, tmp_path / "bot.tar.gz", b"")
    expect(page.get_by_role("alert")).to_contain_text("an empty file is no submission")
    page.get_by_label("What is new in it").fill("ö & co")
    submit(page, tmp_path / "notes?.txt", b"a text")
    page.wait_for_url("**/submissions/*")
    expect(page.get_by_text("ö & co")).to_be_visible()
    expect(page.get_by_text("notes?.txt")).to_be_visible()


@pytest.mark.exhaustive
def test_a_token_that_has_ended_is_told_there_too(
    page: Page, author: str, hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page.goto("/enter")
    sign_in(page, author)
    register(page)
    with Client(hosted.address, author) as own:
        own.accounts.RevokeToken(accounts_pb2.RevokeTokenRequest(), timeout=PATIENCE)
    wait_until(
        lambda: is_refused(arena, author), "the refusal of the arena, which has asked for the token a moment ago"
    )
    submit(page, tmp_path / "bot.tar.gz", b"a bot")
    expect(page.get_by_text("Sign in again here")).to_be_visible()
    check_fits(page)


def is_refused(arena: Arena, token: str) -> bool:
    with arena.client(token) as client:
        try:
            client.arena.ListSubmissions(submissions_pb2.ListSubmissionsRequest(), timeout=PATIENCE)
        except ServiceError as error:
            return error.reason == "TOKEN_UNKNOWN"
    return False
