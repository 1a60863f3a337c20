"""The page where a browser denies it all storage: in its settings, and in a frame of another site."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, expect

from fudaba.client import Client
from fudaba.v1 import matches_pb2
from tests.support.page.browsing import Watched, launch_options
from tests.support.patience import PATIENCE
from tests.support.web.gateways import Gateway

NO_STORAGE = {"default_content_setting_values": {"cookies": 2}}
NO_STORAGE_IN_FRAMES = {"block_third_party_cookies": True, "cookie_controls_mode": 1}
DENIED = """() => { try { localStorage.length; return false; } catch { return true; } }"""


@contextmanager
def set_up(
    browser: Browser, need_tool: Callable[[str], Path], folder: Path, base_url: str, profile: dict[str, Any]
) -> Iterator[BrowserContext]:
    """Yields a browser with these settings of its profile."""
    (folder / "Default").mkdir(parents=True)
    (folder / "Default" / "Preferences").write_text(json.dumps({"profile": profile}))
    context = browser.browser_type.launch_persistent_context(
        folder, base_url=base_url, locale="en", **launch_options(need_tool, profile=True)
    )
    with context:
        context.set_default_timeout(PATIENCE * 1000)
        yield context


@pytest.fixture
def match_id(organiser: Client) -> str:
    """Returns a match of two house bots."""
    request = matches_pb2.CreateMatchRequest(
        game="naga", seats=[matches_pb2.Seat(house_bot="house-random"), matches_pb2.Seat(house_bot="house-random")]
    )
    made: str = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    return made


@contextmanager
def framing(url: str, sandbox: str) -> Iterator[str]:
    """Yields another site, whose page has a page of the gateway in a frame."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<!doctype html><title>a site</title><iframe {sandbox} width=900 height=700 src="{url}"></iframe>'
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:  # a quiet server
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{server.server_address[1]}/"
        finally:
            server.shutdown()


def test_the_page_is_read_and_chooses_its_colours_and_language_where_storage_is_denied(
    built: None, browser: Browser, web: Gateway, need_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    with set_up(browser, need_tool, tmp_path, web.url, NO_STORAGE) as context, Watched(context.new_page()) as page:
        page.goto("/games")
        assert page.evaluate(DENIED)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.evaluate("() => { document.querySelector('.shell-choices summary, header details summary')?.click(); }")
        page.get_by_label("Language").select_option("ja")
        expect(page.locator("html[lang=ja]")).to_be_attached()


@pytest.mark.exhaustive
def test_a_frame_whose_storage_is_denied_shows_its_match(
    built: None, browser: Browser, web: Gateway, need_tool: Callable[[str], Path], tmp_path: Path, match_id: str
) -> None:
    with (
        set_up(browser, need_tool, tmp_path, web.url, NO_STORAGE_IN_FRAMES) as context,
        framing(f"{web.url}/embed/{match_id}", "") as site,
        Watched(context.new_page()) as page,
    ):
        page.goto(site)
        assert page.frames[1].evaluate(DENIED)
        expect(page.frame_locator("iframe").locator("article.match")).to_be_visible()


@pytest.mark.exhaustive
def test_a_frame_without_an_origin_says_what_it_lacks(
    built: None, browser: Browser, web: Gateway, match_id: str
) -> None:
    with (
        browser.new_context(locale="en") as context,
        framing(f"{web.url}/embed/{match_id}", 'sandbox="allow-scripts"') as site,
    ):
        page = context.new_page()
        page.goto(site)
        frame: FrameLocator = page.frame_locator("iframe")
        expect(frame.get_by_text("allow-same-origin")).to_be_visible()
        expect(frame.get_by_role("link", name="Open the match by itself")).to_be_visible()
