"""Where the page names bots of a ladder, it marks those whose names look alike."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from fudaba.client import Client
from tests.support.arena.api.lookalikes import ladder_of_lookalikes, tournament_of_lookalikes
from tests.support.arena.standing import Arena


@pytest.mark.exhaustive
def test_a_ladder_and_a_bots_own_page_mark_names_that_look_alike(page: Page, organiser: Client, arena: Arena) -> None:
    early, late = ladder_of_lookalikes(organiser, arena, "alike")
    page.goto("/ladders/alike")
    for bot, other in ((early, late), (late, early)):
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=bot, exact=True))
        expect(row).to_contain_text(f"looks like {other}")
    expect(page.get_by_text("looks like")).to_have_count(2)
    page.goto(f"/bots/{late}")
    expect(page.get_by_role("main").get_by_text(f"looks like {early}")).to_be_visible()
    page.goto("/bots/dora-alike")
    expect(page.get_by_role("link", name="alike", exact=True)).to_be_visible()
    expect(page.get_by_text("looks like")).to_have_count(0)


@pytest.mark.exhaustive
def test_the_schedule_of_a_tournament_marks_names_that_look_alike(page: Page, arena: Arena) -> None:
    """Nobody plays its blocks yet, so that its schedule stays as it is."""
    definition, marks = tournament_of_lookalikes("planned")
    arena.create(definition, paused=True)
    page.goto("/tournaments/planned?show=schedule")
    blocks = page.get_by_role("table", name="Now and next")
    for bot, other in marks.items():
        expect(blocks.get_by_role("row").last).to_contain_text(f"{bot} looks like {other}")
