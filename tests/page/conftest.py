"""The page in a browser: built once as `scripts/page` does, served by a gateway before a real service and arena."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

import fudaba_web
from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.patience import PATIENCE
from tests.service.processes import Service
from tests.web.conftest import Gateway, arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]

_BUILT = Path(fudaba_web.__file__).parent / "page"


@pytest.fixture(scope="session")
def built(need_tool: Callable[[str], Path]) -> None:
    """The page's files are where a gateway looks for them: `scripts/test` has built them, if there is Node."""
    need_tool("npm")
    assert (_BUILT / "index.html").is_file(), "build the page first: scripts/page"


@pytest.fixture(scope="module")
def browser(need_tool: Callable[[str], Path]) -> Iterator[Browser]:
    """Debian's Chromium. Playwright runs an event loop in this thread, which tests of other modules must not meet."""
    expect.set_options(timeout=PATIENCE * 1000)
    chromium = need_tool("chromium")
    expect.set_options(timeout=PATIENCE * 1000)  # otherwise five seconds, whatever else the machine does
    with sync_playwright() as playwright:
        # As root, as in containers, it runs without a sandbox only.
        words = ["--no-sandbox"] if os.geteuid() == 0 else []
        with playwright.chromium.launch(executable_path=chromium, args=words) as one:
            yield one


@pytest.fixture
def context(built: None, browser: Browser, web: Gateway) -> Iterator[BrowserContext]:
    """A person's browser, who has never been here; paths are the gateway's."""
    with browser.new_context(base_url=web.url, locale="en") as one:
        one.set_default_timeout(PATIENCE * 1000)
        yield one


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A window of it. Whatever a test does, the page's scripts raise nothing and the browser forbids nothing."""
    with Watched(context.new_page()) as one:
        yield one


class Watched:
    """A window whose errors fail the test: `with Watched(context.new_page()) as page`."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._errors: list[str] = []
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._said)

    def _said(self, message: ConsoleMessage) -> None:
        # A refusal that a test asks for has a status of 400 or more, and the browser writes that down.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._errors.append(message.text)

    def __enter__(self) -> Page:
        return self._page

    def __exit__(self, kind: object, *_: object) -> None:
        self._page.close()
        assert kind is not None or not self._errors, self._errors


def sign_in(context: BrowserContext, organiser: Client, name: str = "") -> None:
    """The browser's session is that of a new bot, which a person plays."""
    name = name or f"person-{secrets.token_hex(4)}"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
    made = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE)
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": made.token})
    assert answer.ok, answer.text()


@pytest.fixture
def organiser(hosted: Service) -> Iterator[Client]:
    """The organiser's calls."""
    with Client(hosted.address, hosted.token) as one:
        yield one
