"""The fair-play report on the organisers' page."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.arena.api.ladders import WAITING, create
from tests.support.arena.standing import Arena
from tests.support.service.processes import Service


def test_a_ladder_that_has_played_nothing_has_too_little_to_compare(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(create, arena, WAITING.format(name="fair-yet", narrow=25)).result()
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser?tab=ladders")
    page.get_by_role("button", name="Fair play fair-yet").click()
    expect(page.get_by_text("Too little was played to compare anything.")).to_be_visible()
