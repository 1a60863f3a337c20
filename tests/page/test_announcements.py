"""What an organiser announces, on the page of a ladder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import BrowserContext, Page, expect

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.standing import Arena
from tests.support.patience import wait_until

TEXT = "The <b>deadline</b> is\na day later."


def test_a_ladder_s_page_shows_its_announcements_and_leads_to_their_feed(
    context: BrowserContext, page: Page, arena: Arena
) -> None:
    request = arena_pb2.CreateAnnouncementRequest(announcement_id="seen", ladder="announced", text=TEXT)
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(create, arena, WAITING.format(name="announced", narrow=25)).result()
        elsewhere.submit(call, arena, "CreateAnnouncement", request).result()
    page.goto("/ladders/announced")
    section = page.get_by_role("region", name="Announcements")
    expect(section.get_by_text(TEXT)).to_be_visible()
    feed = section.get_by_role("link", name="All announcements as a feed").get_attribute("href")
    assert feed is not None
    written = "The &lt;b&gt;deadline&lt;/b&gt; is\na day later."
    wait_until(lambda: written in context.request.get(feed).text(), "the feed has it")
