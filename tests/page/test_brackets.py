"""The bracket of a knockout that processes play, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from fudaba.v1 import arena_pb2
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.running import gated
from tests.support.arena.standing import Arena, standing
from tests.support.page.browsing import MOTION, Watched
from tests.support.page.readable import check_readable
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, Hosted, trusting_gateway
from tests.support.web.own_servers import hosted

__all__ = ["hosted"]

FIRST = bot("first", 'builtin = "first"')
NEWER = bot("newer", 'builtin = "random"')
PAPER_PIXELS = 718
"""The width of a sheet of A4 within its margins."""


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    """Yields an arena that plays itself, without workers."""
    with standing(Hosted(hosted)) as running:  # type: ignore[arg-type]  # it has what is asked for
        yield running


@pytest.fixture(scope="module")
def web(hosted: Service, arena: Arena) -> Iterator[Gateway]:
    with trusting_gateway(hosted, arena) as running:
        yield running


@pytest.fixture(scope="module")
def double(arena: Arena) -> str:
    """Returns the name of a double elimination of four bots that is over."""
    arena.create(head("double", format='"double-elimination"') + STEADY + RANDOM + FIRST + NEWER)
    arena.wait_for("double", arena_pb2.TOURNAMENT_STATE_CLOSED)
    return "double"


def group(page: Page, name: str) -> Locator:
    return page.locator(".bracket-group").filter(has=page.get_by_text(name, exact=True))


def test_a_bracket_is_followed_to_its_winner_and_leads_to_the_matches(page: Page, arena: Arena, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = bot("waits", PLAYER, env=gated(gate))  # the best seed of five, with a bye
    cup = head("cup", format='"single-elimination"', third_place="true", clock=PATIENT_CLOCK)
    arena.create(cup + waits + STEADY + NEWER + RANDOM + FIRST)
    page.goto("/tournaments/cup")
    bracket = page.get_by_role("region", name="Bracket", exact=True)
    semi_final = group(page, "Group 2")
    expect(semi_final.get_by_text("playing")).to_be_visible()
    expect(semi_final.get_by_role("link", name="waits")).to_be_visible()
    expect(bracket.get_by_text("(bye)")).to_have_count(3)
    expect(group(page, "Third place")).to_contain_text("Loser of: Group 2")
    gate.touch()
    expect(page.get_by_role("status").filter(has_text="Winner: ")).to_be_visible()
    request = arena_pb2.GetStandingsRequest(tournament="cup")
    finalists = [place.bot for place in arena.calls().arena.GetStandings(request, timeout=PATIENCE).bracket.places[:2]]
    expect(group(page, "Final").get_by_role("listitem").filter(has_text="wins")).to_contain_text(finalists[0])
    expect(page.get_by_text("playing", exact=True)).to_have_count(0)

    group(page, "Final").get_by_role("button", name="Matches").click()
    listed = page.get_by_role("dialog", name="Matches: ").get_by_role("link")
    expect(listed).to_have_count(sum(set(match.bots) == set(finalists) for match in arena.matches("cup")))
    check_readable(page)
    page.keyboard.press("Escape")
    expect(listed).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "width", "height", "names"),
    [("en", 1280, 720, ("Upper bracket", "Lower bracket")), ("ja", 390, 844, ("勝者側", "敗者側"))],
)
def test_a_double_elimination_is_read_by_everybody(
    built: None,
    browser: Browser,
    web: Gateway,
    double: str,
    language: str,
    width: int,
    height: int,
    names: tuple[str, str],
) -> None:
    with browser.new_context(
        base_url=web.url, locale=language, viewport={"width": width, "height": height}, reduced_motion=MOTION
    ) as reader:
        reader.set_default_timeout(PATIENCE * 1000)
        with Watched(reader.new_page()) as page:
            page.goto(f"/tournaments/{double}")
            for name in names:
                part = page.get_by_role("region", name=name)
                part.wait_for()
                expect(page.get_by_role("heading", name=name)).to_be_visible()
                rounds = part.get_by_role("heading", level=4)
                assert part.locator("ol").count() == rounds.count() >= 2
            check_readable(page)
            upper = page.get_by_role("region", name=names[0])
            if width < 640:
                check_swiped(upper)
            check_printed(page)


def check_swiped(part: Locator) -> None:
    """Checks that a round takes most of the window, and the keys lead on to the next within the drawing."""
    first = part.locator(".bracket-round").first.bounding_box()
    assert first is not None
    assert first["width"] > 290
    part.focus()
    part.press("ArrowRight")
    part.page.wait_for_function("part => part.scrollLeft > 0", arg=part.element_handle())
    assert part.page.evaluate("scrollX") == 0


def check_printed(page: Page) -> None:
    """Checks that the whole drawing is on a sheet of paper, black on white whatever the theme."""
    page.set_viewport_size({"width": PAPER_PIXELS, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER_PIXELS
    for column in page.locator(".bracket-round").all():
        box = column.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PAPER_PIXELS
    seat = page.locator(".bracket-group").first
    assert re.findall(r"\d+", seat.evaluate("one => getComputedStyle(one).backgroundColor"))[:3] == ["255"] * 3
    assert re.findall(r"\d+", seat.evaluate("one => getComputedStyle(one).color"))[:3] == ["0"] * 3
    expect(page.locator(".header")).to_be_hidden()
    expect(page.locator(".bracket thead").get_by_role("button")).to_be_visible()  # it is the head of a column
