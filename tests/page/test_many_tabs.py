"""Tabs of one browser share a connection: a browser keeps six to a host, and each tab would take one for its seat."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from playwright.sync_api import BrowserContext, Page

from fudaba.client import Client
from fudaba.v1 import matches_pb2
from tests.support.page.browsing import Watched, sign_in
from tests.support.page.playing import begin, play_by_pointing
from tests.support.patience import PATIENCE

TAB_COUNT = 7
"""One more than a browser keeps connections to a host."""


@pytest.mark.exhaustive
def test_more_tabs_than_connections_play_at_once_each_its_own_match(
    page: Page, context: BrowserContext, organiser: Client
) -> None:
    sign_in(context, organiser)
    begin(page, "naga")
    tabs = [page]
    with ExitStack() as opened:
        for _ in range(TAB_COUNT - 1):
            tabs.append(opened.enter_context(Watched(context.new_page())))
            begin(tabs[-1], "naga")
        for tab in tabs:
            tab.locator("button[data-piece]").first.wait_for()
        for tab in tabs:
            play_by_pointing(tab, moves=1)
        played = [tab.url.partition("match=")[2] for tab in tabs]
    assert len(set(played)) == TAB_COUNT
    for match_id in played:
        found = organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=PATIENCE)
        assert found.match.state in {matches_pb2.MATCH_STATE_PLAYING, matches_pb2.MATCH_STATE_FINISHED}
