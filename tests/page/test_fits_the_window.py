"""A match fits the window: in play all that can be chosen, and what plays it, can be seen and hit at each decision;
in a replay the board and what moves it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from fudaba_games.registry import GAMES, game
from tests.support.page.browsing import Watched
from tests.support.page.tables import CHOOSE, decisions, open_replay, show, sit_down, unfit, unfit_replay
from tests.support.patience import PATIENCE
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway

PHONE = (390, 844)
LARGE = (1920, 1080)
WINDOWS = ((PHONE, (820, 1180), (1280, 720)), (LARGE,)) if exhaustive() else ((PHONE,),)
"""The sizes of a window. In those of one group the drawer stands open from the beginning, or does not."""
LANGUAGES = ("en", "ja") if exhaustive() else ("en",)
SEED = 7
MAX_SEATS = 6
MAX_AT_THE_GATE = 3
"""The number of decisions of each game that the gate looks at, from the match's first to nearly its last."""
SHORT = {"nerts": {"target": 0, "max_deals": 1}}
"""Options of a game whose matches have far more decisions than the others' have."""
MAX_REPLAYED_STEPS = 300
"""The number of moves of a match that are replayed: the longest has thousands."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.exhaustive
@pytest.mark.parametrize("sizes", WINDOWS, ids=lambda sizes: f"from-{sizes[0][0]}")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_all_that_can_be_chosen_and_the_button_are_in_view_at_each_decision(
    browser: Browser, built: None, web: Gateway, name: str, language: str, sizes: tuple[tuple[int, int], ...]
) -> None:
    seats = min(game(name).max_seats, MAX_SEATS)
    asked = list(decisions(name, SEED, seats, SHORT.get(name, {})))
    assert asked
    if not exhaustive():
        asked = asked[:: -(-len(asked) // MAX_AT_THE_GATE)]
    faults: list[tuple[object, ...]] = []
    with browser.new_context(base_url=web.url, locale=language, reduced_motion="reduce") as context:
        context.set_default_timeout(PATIENCE * 1000)
        with Watched(context.new_page()) as page:
            resize(page, sizes[0])
            sit_down(page, name, seats)
            for place, decision in enumerate(asked):
                show(page, decision)
                assert page.locator(".drawer").is_visible() == (LARGE in sizes)
                for chosen in (False, True):
                    if chosen:
                        page.evaluate(CHOOSE)
                        assert page.evaluate("window.isChosen"), (place, "no move was chosen")
                    for size in sizes:
                        resize(page, size)
                        faults += [(place, chosen, size, fault) for fault in unfit(page)]
    assert faults == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GAMES)
def test_the_board_of_a_replay_and_what_moves_it_are_in_view(
    browser: Browser, built: None, web: Gateway, name: str
) -> None:
    seats = min(game(name).max_seats, MAX_SEATS)
    faults: list[tuple[object, ...]] = []
    for language in LANGUAGES:
        with browser.new_context(base_url=web.url, locale=language, reduced_motion="reduce") as context:
            context.set_default_timeout(PATIENCE * 1000)
            with Watched(context.new_page()) as page:
                resize(page, PHONE)
                last = open_replay(page, name, SEED, seats, SHORT.get(name, {}), most=MAX_REPLAYED_STEPS)
                slider = page.locator(".match-slider")
                for at in sorted({1, last // 2, last}):
                    slider.fill(str(at))
                    for size in (size for sizes in WINDOWS for size in sizes):
                        resize(page, size)
                        faults += [(at, size, language, fault) for fault in unfit_replay(page)]
    assert faults == []


def resize(page: Page, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(DRAWN)
