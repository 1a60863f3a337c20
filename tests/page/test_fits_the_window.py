"""A match in play fits the window: at each decision all that can be chosen, and what plays it, can be seen and hit."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from fudaba_games.registry import GAMES, game
from tests.support.page.browsing import Watched
from tests.support.page.tables import CHOOSE, decisions, show, sit_down, unfit
from tests.support.patience import PATIENCE
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway

SIZES = ((390, 844), (820, 1180), (1280, 720), (1920, 1080)) if exhaustive() else ((390, 844),)
LANGUAGES = ("en", "ja") if exhaustive() else ("en",)
SEED = 7
MOST_SEATS = 5
MAX_AT_THE_GATE = 3
"""So many decisions of each game the gate looks at, from the match's first to nearly its last."""
SHORT = {"nerts": {"target": 0, "max_deals": 1}}
"""Options of a game whose matches have far more decisions than the others' have."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GAMES)
def test_all_that_can_be_chosen_and_the_button_are_in_view_at_each_decision(
    browser: Browser, built: None, web: Gateway, name: str
) -> None:
    seats = min(game(name).max_seats, MOST_SEATS)
    asked = list(decisions(name, SEED, seats, SHORT.get(name, {})))
    if not exhaustive():
        asked = asked[:: -(-len(asked) // MAX_AT_THE_GATE)]
    for language in LANGUAGES:
        with browser.new_context(base_url=web.url, locale=language, reduced_motion="reduce") as context:
            context.set_default_timeout(PATIENCE * 1000)
            with Watched(context.new_page()) as page:
                sit_down(page, name, seats)
                faults: list[tuple[object, ...]] = []
                for place, update in enumerate(asked):
                    show(page, update)
                    for chosen in (False, True):
                        if chosen:
                            page.evaluate(CHOOSE)
                        for width, height in SIZES:
                            page.set_viewport_size({"width": width, "height": height})
                            page.evaluate(DRAWN)
                            faults += [(place, chosen, width, language, fault) for fault in unfit(page)]
                assert faults == []
