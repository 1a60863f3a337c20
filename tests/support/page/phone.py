"""The page on a phone: what fits, and what can be hit with a finger."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.arena.nodes import Node, node
from tests.support.arena.standing import Arena
from tests.support.page.browsing import MOTION
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, Hosted

WIDTH_PIXELS = 360
TARGETS = """() => {
    const found = [];
    const pressed = "main :is(button, .button, input, select, summary), .header button, .footer select";
    for (const one of document.querySelectorAll(pressed)) {
        if (one.matches(".bare, [data-piece], [type=radio], [type=checkbox]") || !one.checkVisibility()) continue;
        const { width, height, left, right } = one.getBoundingClientRect();
        if (height < 43.5 || left < 0 || right > innerWidth)
            found.push(`${one.tagName} ${one.textContent}: ${width}x${height} at ${left}`);
    }
    return found;
}"""
"""The elements that are pressed and are lower than a finger or out of sight, except those within a text or a board."""


@pytest.fixture
def context(built: None, browser: Browser, web: Gateway) -> Iterator[BrowserContext]:
    """Yields a phone, whose owner has never been here."""
    with browser.new_context(
        base_url=web.url,
        locale="en",
        viewport={"width": WIDTH_PIXELS, "height": 740},
        has_touch=True,
        is_mobile=True,
        reduced_motion=MOTION,
    ) as opened:
        opened.set_default_timeout(PATIENCE * 1000)
        yield opened


@pytest.fixture
def author(organiser: Client) -> str:
    """Returns the token of an author."""
    request = accounts_pb2.CreateAccountRequest(name=f"author-{secrets.token_hex(4)}")
    return organiser.accounts.CreateAccount(request, timeout=PATIENCE).token


@pytest.fixture(scope="module")
def worker(hosted: Service, arena: Arena, need_sandbox: None) -> Iterator[Node]:
    """Yields one that runs submissions."""
    kept = str(arena.folder / "data" / "submissions")
    with node(Hosted(hosted), arena, "runs", "--submissions", kept) as started:  # type: ignore[arg-type]  # it has what is asked for
        yield started


def check_fits(page: Page) -> None:
    """Checks that nothing makes the page wider than the phone, and each button can be hit with a finger."""
    assert page.evaluate("document.documentElement.scrollWidth") == WIDTH_PIXELS
    assert page.evaluate(TARGETS) == []


def check_focused(where: Locator) -> None:
    """Checks that whoever cannot see the page is where its next part is, or in it."""
    wait = "one => one === document.activeElement || one.contains(document.activeElement)"
    handle = where.element_handle()
    where.page.wait_for_function(wait, arg=handle)


def sign_in(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").tap()


def register(page: Page) -> str:
    """Returns a new bot of the author, chosen."""
    name = f"bot-{secrets.token_hex(3)}"
    page.get_by_label(re.compile("^A new bot called")).fill(name)
    page.get_by_role("button", name=f"Register {name}").tap()
    check_focused(page.get_by_role("region", name=name))
    return name


def submit(page: Page, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Upload and check").tap()
