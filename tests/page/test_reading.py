"""What a person reads and does without an account: every page, as a screen reader, a phone and a dark room have it."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, Route, ViewportSize, expect

from fudaba.v1 import matches_pb2
from fudaba_web.page import FIRST_PARTS
from tests.support.arena.commands.tournaments import RANDOM, SENSIBLE, head
from tests.support.arena.standing import Arena
from tests.support.page.browsing import MOTION, Watched
from tests.support.page.playing import begin_as_guest, play_by_pointing
from tests.support.page.readable import AXE, ROOT
from tests.support.patience import PATIENCE
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway

PAGES = ("/", "/ladders", "/matches", "/games", "/games/naga", "/play", "/enter", "/account", "/organiser", "/programs")
TABS = ("standings", "history", "opponents", "matches", "schedule")


@pytest.fixture(scope="module")
def tournament(arena: Arena) -> str:
    """Returns the name of a tournament that has begun; nobody plays its blocks yet, so that its schedule stays as it
    is."""
    name = "read"
    arena.create(head(name, blocks=3) + SENSIBLE + RANDOM)
    return name


@pytest.fixture(scope="module")
def played() -> list[str]:
    """Returns the match that was played here, once it was."""
    return []


def replay(page: Page, played: list[str]) -> None:
    """Opens the replay of a match that was played before, or plays one."""
    if not played:
        begin_as_guest(page, "naga")
        play_by_pointing(page)
        played.append(page.url.partition("match=")[2])
    page.goto(f"/matches/{played[0]}")
    page.get_by_role("group", name="Replay").wait_for()


def test_the_gateway_serves_every_path_that_the_page_knows() -> None:
    paths = re.findall(r'"/([a-z]+)', (ROOT / "web/page/src/routes.ts").read_text(encoding="utf-8"))
    assert set(paths) == set(FIRST_PARTS)


AT_NIGHT = pytest.mark.nightly("each page dark on a phone or light on a desk")
WINDOWS = [
    (360, "dark"),
    (1280, "light"),
    *(pytest.param(*window, marks=AT_NIGHT) for window in ((360, "light"), (1280, "dark"))),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "theme"), WINDOWS)
def test_every_page_can_be_read_by_everybody(
    built: None, context: BrowserContext, web: Gateway, tournament: str, width: int, theme: Literal["light", "dark"]
) -> None:
    browser = context.browser
    assert browser is not None
    axe = AXE.read_text(encoding="utf-8")
    size: ViewportSize = {"width": width, "height": 800}
    paths = [*PAGES, *(f"/tournaments/{tournament}?show={tab}" for tab in TABS)]
    if not exhaustive():  # each page in one of the two windows
        paths = paths[width == 360 :: 2]
    with browser.new_context(
        base_url=web.url, locale="en", viewport=size, color_scheme=theme, reduced_motion=MOTION
    ) as reader:
        reader.set_default_timeout(PATIENCE * 1000)
        for path in paths:
            with Watched(reader.new_page()) as page:
                page.goto(path)
                page.locator("h1, main p").first.wait_for()
                # A tournament is followed by a stream, which never ends: what is loaded is what is waited for.
                expect(page.locator("main .loading")).to_have_count(0)
                page.evaluate(axe)
                found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
                listed = [
                    (violation["id"], [node["html"][:120] for node in violation["nodes"]])
                    for violation in found["violations"]
                ]
                assert listed == [], (path, listed)
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, (path, wide)


def test_a_live_match_is_followed(page: Page, context: BrowserContext, played: list[str]) -> None:
    begin_as_guest(page, "naga")
    page.locator("button[data-piece]").first.wait_for()
    match_id = page.url.partition("match=")[2]
    with Watched(context.new_page()) as spectator:
        spectator.goto(f"/matches/{match_id}")
        spectator.locator("[data-piece]").first.wait_for()
        play_by_pointing(page)
        expect(spectator.get_by_text(re.compile("won\\.|A draw\\.")).first).to_be_visible()
    played.append(match_id)


@pytest.mark.exhaustive
def test_a_finished_match_is_stepped_through(page: Page, played: list[str]) -> None:
    replay(page, played)
    count = page.locator("output")
    first = count.inner_text()
    assert first.startswith("0 of ")
    page.get_by_role("button", name="One step on").click()
    expect(count).not_to_have_text(first)
    page.get_by_role("button", name="To the end").click()
    last = first.removeprefix("0 of ")
    expect(count).to_have_text(f"{last} of {last}")


@pytest.mark.exhaustive
def test_a_replay_that_could_not_be_read_is_there_when_it_is_asked_for_again(page: Page, played: list[str]) -> None:
    page.route("**/fudaba.v1.MatchService/StreamPositions", lambda route: route.abort())
    replay(page, played)
    page.get_by_role("main").get_by_role("alert").wait_for()
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".match-empty")).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("alert")).to_have_count(0)


@pytest.mark.exhaustive
def test_a_record_is_verified_in_the_browser(page: Page, played: list[str]) -> None:
    replay(page, played)
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Verify in this browser").click()
    checks = page.locator(".match-check-list li")
    expect(page.locator(".match-checks > p[role=status]")).not_to_be_empty()
    assert checks.count() > 1
    assert page.locator(".match-check-list li.fails").count() == 0


@pytest.mark.exhaustive
def test_a_record_that_was_changed_on_its_way_is_found_out(page: Page, played: list[str]) -> None:
    replay(page, played)

    def forge(route: Route) -> None:
        answer = route.fetch()
        record = matches_pb2.GetRecordResponse.FromString(answer.body())
        record.record.seed = bytes(32)
        route.fulfill(response=answer, body=record.SerializeToString())

    page.route("**/fudaba.v1.MatchService/GetRecord", forge)
    page.reload()
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Verify in this browser").click()
    page.locator(".match-check-list li.fails").first.wait_for()


@pytest.mark.exhaustive
def test_what_the_page_loads_comes_from_its_own_address(page: Page, web: Gateway) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    page.locator("h1").first.wait_for()
    expect(page.locator("main .loading")).to_have_count(0)  # a live match of others is followed by a stream
    assert asked
    assert [url for url in asked if not url.startswith((web.url, "data:"))] == []


@pytest.mark.exhaustive
def test_the_language_is_chosen_and_kept(page: Page) -> None:
    page.goto("/ladders")
    page.get_by_label("Language").select_option("ja")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.reload()
    expect(page.get_by_role("link", name="ラダー").first).to_be_visible()
