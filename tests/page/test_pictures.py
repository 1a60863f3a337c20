"""The main pages look as they did: each beside a small picture of it, in light and dark, on a phone and on a desk.

The pictures in `pictures/` are of coarse cells, a mean colour each, so that other fonts and the noise of drawing do not
count: what is missing, has moved far, or has another colour does. NEW_PICTURES=true writes them anew; look at them.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from fudaba.client import Client
from fudaba.v1 import matches_pb2
from tests.support.page.browsing import Watched
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway
from tests.support.web.own_servers import arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]

PICTURES = Path(__file__).with_name("pictures")
CELL_PIXELS = 20
"""Pixels of a window, each way, that are one of a picture."""
MAX_COLOUR_DISTANCE = 20
"""How far a cell's colour is from another's, of 255, so that it counts as another."""
MAX_OTHER_SHARE = 0.3
"""The share of the cells with something in them that may be others: with a serif font instead of the usual one up to
0.15 are, and from page to page 0.44 or more."""
MATCH = "pictured-1"
PAGES = {
    "home": "/",
    "ladders": "/ladders",
    "matches": "/matches",
    "match": f"/matches/{MATCH}?at=11&seat=0",
    "games": "/games",
    "rules": "/games/naga",
    "play": "/play",
    "enter": "/enter",
}
LAST_PARTS = {
    "home": (".live-board .stage", ".nothing", ".enter-lines pre"),
    "ladders": (".nothing",),
    "matches": ("tbody tr",),
    "match": (".board-near svg", ".match-log ol li", ".match-bars", ".match-seats li"),
    "games": ("li:last-child .cover svg", "li:last-child .sentence"),
    "rules": (".learn-steps > li:last-child svg", "#reference", "article .intro"),
    "play": (".play-entrance button",),
    "enter": ("form.sheet", "details.sheet"),
}
"""The parts of each page that are loaded on their own and move others when they come: a page on which the network is
idle may still have to draw them.
"""
WIDTHS = {"phone": 360, "desk": 1280}
HEIGHT_PIXELS = 800
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
DRAWN_SMALL = """async ([picture, width, height]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return [Array.from(context.getImageData(0, 0, width, height).data), btoa(String.fromCharCode(...bytes))];
}"""
"""A picture at a size: its colours, four numbers a pixel, and itself."""


@pytest.fixture(scope="module")
def shown(built: None, web: Gateway, hosted: Service) -> Gateway:
    """Returns the gateway of a service with one match, always the same: the deal is fixed and its bots draw no lots."""
    with Client(hosted.address, hosted.token) as client:
        request = matches_pb2.CreateMatchRequest(game="naga", match_id=MATCH, seed=b"\x1d" * 32)
        for _ in range(2):
            request.seats.add(house_bot="house-sensible")
        client.matches.CreateMatch(request, timeout=PATIENCE)

        def is_over() -> bool:
            found = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=MATCH), timeout=PATIENCE)
            return found.match.state == matches_pb2.MATCH_STATE_FINISHED

        wait_until(is_over, "the match is over")
    return web


@pytest.fixture
def small(browser: Browser) -> Iterator[Page]:
    """Yields a window in which pictures are made small."""
    with browser.new_context() as context:
        yield context.new_page()


def picture(browser: Browser, gateway: Gateway, name: str, width: int, theme: Theme) -> bytes:
    """Returns what a reader sees of a page before anything is scrolled."""
    size: ViewportSize = {"width": width, "height": HEIGHT_PIXELS}
    with browser.new_context(
        base_url=gateway.url, locale="en", viewport=size, color_scheme=theme, reduced_motion="reduce"
    ) as context:
        context.set_default_timeout(PATIENCE * 1000)
        with Watched(context.new_page()) as page:
            page.goto(PAGES[name])
            for part in ("h1", *LAST_PARTS[name]):
                page.locator(f"main {part}").first.wait_for(state="attached")
            page.wait_for_load_state("networkidle")
            expect(page.locator("main .loading")).to_have_count(0)
            return page.screenshot(timeout=PATIENCE * 1000)


def drawn_small(small: Page, picture: bytes, width: int) -> tuple[list[int], bytes]:
    """Returns its colours, cell by cell, and itself as a file."""
    drawn: Any = small.evaluate(
        DRAWN_SMALL, [b64encode(picture).decode(), width // CELL_PIXELS, HEIGHT_PIXELS // CELL_PIXELS]
    )
    return drawn[0], b64decode(drawn[1])


def others(first: list[int], other: list[int]) -> float:
    """Returns the share of cells that have another colour, of those that have something in either: most of a page is
    empty.
    """
    ones, others = (list(zip(cells[::4], cells[1::4], cells[2::4], strict=True)) for cells in (first, other))
    assert len(ones) == len(others)
    empty = Counter(ones).most_common(1)[0][0]
    drawn = [(this, that) for this, that in zip(ones, others, strict=True) if far(this, empty) or far(that, empty)]
    return sum(far(this, that) for this, that in drawn) / len(drawn)


def far(colour: Sequence[int], other: Sequence[int]) -> bool:
    return max(abs(this - that) for this, that in zip(colour, other, strict=True)) > MAX_COLOUR_DISTANCE


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_as_it_did(browser: Browser, shown: Gateway, small: Page, name: str) -> None:
    windows = list(product(WIDTHS.items(), THEMES))
    if not exhaustive():  # each page in one of the four windows, and each window twice
        windows = windows[list(PAGES).index(name) % 4 :][:1]
    for (place, width), theme in windows:
        colours, file = drawn_small(small, picture(browser, shown, name, width, theme), width)
        kept = PICTURES / f"{name}-{place}-{theme}.png"
        if os.environ.get("NEW_PICTURES") == "true":
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(file)
        before, _ = drawn_small(small, kept.read_bytes(), width)
        found = others(colours, before)
        assert found <= MAX_OTHER_SHARE, f"{kept.name}: {found:.0%} of the page looks otherwise"


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", WIDTHS)
def test_pages_do_not_look_alike(browser: Browser, built: None, small: Page, place: str) -> None:
    """What is compared tells one page from another, and light from dark: else it would find nothing."""
    kept = {
        (name, theme): drawn_small(small, (PICTURES / f"{name}-{place}-{theme}.png").read_bytes(), WIDTHS[place])[0]
        for name, theme in product(("home", "match", "rules", "play"), THEMES)
    }
    for (page_name, its), (other, their) in product(kept.items(), kept.items()):
        assert (others(its, their) > MAX_OTHER_SHARE) == (page_name != other), (page_name, other)
