"""What an organiser does in a browser."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.arena.standing import Arena
from tests.service.processes import Service


def test_an_organiser_begins_a_ladder_with_the_file_that_stands_there(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser")
    page.get_by_role("tab", name="Ladders").click()
    page.get_by_text("A new ladder").click()
    file = page.get_by_label("The ladder's file, in TOML")
    file.fill(file.input_value().replace('name = "open"', 'name = "from-the-page"'))
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("status").filter(has_text="It has no mistakes.")).to_be_visible()
    page.get_by_role("button", name="Create it").click()
    page.get_by_role("link", name="from-the-page").click()
    expect(page.get_by_role("heading", name="from-the-page")).to_be_visible()
    file_with_a_mistake = 'name = "another"\ngame = "nagga"\n'
    page.goto("/organiser")
    page.get_by_role("tab", name="Ladders").click()
    page.get_by_text("A new ladder").click()
    file.fill(file_with_a_mistake)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("status").filter(has_text="nagga")).to_be_visible()
