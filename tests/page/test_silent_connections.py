"""Connections that are open and pass nothing on: the page notices, connects anew, and nothing is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from fudaba.client import Client
from fudaba.v1 import matches_pb2
from tests.support.deaf_relay import DeafRelay
from tests.support.page.browsing import MOTION, Watched, sign_in
from tests.support.page.playing import begin
from tests.support.patience import PATIENCE
from tests.support.web.gateways import Gateway

POINT = """() => {
    window.moves = 0;
    let chance = 1;
    setInterval(() => {
        if (window.resting) return;
        const ready = document.querySelectorAll(".chooser-ready button.main:enabled");
        const open = document.querySelectorAll("button[data-piece][aria-pressed=false]");
        const found = ready.length > 0 ? ready : open;
        chance = (chance * 48271) % 2147483647;
        const chosen = found[chance % Math.max(1, found.length)];
        if (ready.length > 0) { window.moves += 1; window.resting = window.moves % 3 === 0; }
        chosen?.click();
    }, 40);
}"""
"""Points at pieces by chance, and rests after each third move."""


def test_whoever_plays_is_back_at_the_table_when_their_connections_have_gone_deaf(
    built: None, browser: Browser, web: Gateway, organiser: Client
) -> None:
    with (
        DeafRelay(web.url) as relay,
        browser.new_context(base_url=relay.url, locale="en", reduced_motion=MOTION) as context,
    ):
        context.set_default_timeout(PATIENCE * 1000)
        sign_in(context, organiser)
        with Watched(context.new_page()) as page:
            begin(page, "napoleon")
            page.evaluate(POINT)
            page.wait_for_function("() => window.resting")
            assert relay.go_deaf() >= 1
            page.evaluate("window.resting = false")
            # The first of these is sent into a connection that is deaf, and what follows comes on one that is new.
            page.wait_for_function("() => window.moves >= 6")
            match_id = page.url.partition("match=")[2]
    record = organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=PATIENCE)
    assert record.match.state == matches_pb2.MATCH_STATE_PLAYING


@pytest.mark.exhaustive
def test_whoever_watches_sees_the_match_go_on_when_their_connections_have_gone_deaf(
    built: None, browser: Browser, web: Gateway, organiser: Client
) -> None:
    with (
        browser.new_context(base_url=web.url, locale="en", reduced_motion=MOTION) as playing,
        DeafRelay(web.url) as relay,
        browser.new_context(base_url=relay.url, locale="en", reduced_motion=MOTION) as watching,
    ):
        for context in (playing, watching):
            context.set_default_timeout(PATIENCE * 1000)
        sign_in(playing, organiser)
        with Watched(playing.new_page()) as player, Watched(watching.new_page()) as spectator:
            begin(player, "napoleon")
            match_id = player.url.partition("match=")[2]
            spectator.goto(f"/matches/{match_id}")
            log = spectator.locator(".match-log li")
            log.first.wait_for(state="attached")  # it is in the drawer
            assert relay.go_deaf() >= 1
            before = log.count()
            player.evaluate(POINT)
            player.wait_for_function("() => window.resting")
            expect(log.nth(before)).to_be_attached()
