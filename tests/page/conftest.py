"""The page in a browser: built once as `scripts/page` does, served by a gateway before a real service and arena."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import fudaba_web
from fudaba.client import Client
from tests.support.page.browsing import MOTION, Watched, launch_options
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway
from tests.support.web.shared_servers import STANDING, arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]

_BUILT = Path(fudaba_web.__file__).parent / "page"


@pytest.fixture(scope="session")
def built(need_tool: Callable[[str], Path]) -> None:
    """The page's files are where a gateway looks for them: `scripts/test` has built them, if there is Node."""
    need_tool("npm")
    assert (_BUILT / "index.html").is_file(), "build the page first: scripts/page"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Ends what the tests share, after the last of them."""
    try:
        return (yield)
    finally:
        STANDING.leave_behind(item, nextitem)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Does so where a run was cut off."""
    STANDING.leave()


@pytest.fixture(scope="module")
def browser(need_tool: Callable[[str], Path]) -> Browser:
    """Yields a browser. Playwright runs an event loop in this thread, which tests of other folders must not meet."""

    @contextmanager
    def launched() -> Iterator[Browser]:
        options = launch_options(need_tool)
        expect.set_options(timeout=PATIENCE * 1000)  # otherwise five seconds, whatever else the machine does
        with sync_playwright() as playwright, playwright.chromium.launch(**options) as browser:
            yield browser

    return STANDING.enter("browser", launched, Browser.is_connected)


@pytest.fixture
def context(built: None, browser: Browser, web: Gateway) -> Iterator[BrowserContext]:
    """Yields a person's browser, who has never been here; paths are the gateway's."""
    with browser.new_context(base_url=web.url, locale="en", reduced_motion=MOTION) as opened:
        opened.set_default_timeout(PATIENCE * 1000)
        yield opened


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Yields a window of it. Whatever a test does, the page's scripts raise nothing and the browser forbids nothing."""
    with Watched(context.new_page()) as watched:
        yield watched


@pytest.fixture
def organiser(hosted: Service) -> Iterator[Client]:
    """Yields the organiser's calls."""
    with Client(hosted.address, hosted.token) as client:
        yield client
