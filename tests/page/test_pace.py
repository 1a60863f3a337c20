"""An author who enters a bot on the page sees how its pace stands to the ladder's clock."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.nodes import Node
from tests.support.arena.programs.uploads import SLOW, folder
from tests.support.arena.sandbox.sandboxes import need_sandbox
from tests.support.arena.standing import Arena
from tests.support.page.phone import author, check_fits, context, register, sign_in, submit, worker

__all__ = ["author", "context", "need_sandbox", "worker"]

CLOCK = "\n[clock]\nmove_ms = {move_ms}\nbank_ms = 60000\n"


@pytest.mark.exhaustive
def test_a_bot_too_slow_for_a_clock_is_asked_about_and_its_pace_stands_beside_the_clock(
    page: Page, author: str, arena: Arena, worker: Node, tmp_path: Path
) -> None:
    for name, move_ms in {"too-fast": 200, "unhurried": 600_000}.items():
        create(arena, WAITING.format(name=name, narrow=60) + CLOCK.format(move_ms=move_ms))
    page.goto("/enter")
    sign_in(page, author)
    bot = register(page)
    submit(page, tmp_path / "bot.tar.gz", folder({"bot.py": SLOW}))
    expect(page.get_by_text("accepted", exact=True)).to_be_visible()

    def entered(ladder: str) -> list[str]:
        answer = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=ladder), "")
        return [entry.bot for entry in answer.entries]

    row = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="too-fast"))
    row.get_by_role("button", name="Enter it").tap()
    question = row.get_by_role("alert")
    expect(question).to_contain_text("the clock gives 0.2 s for a move")
    expect(question).to_contain_text(f"Enter {bot} in too-fast in spite of that?")
    check_fits(page)
    page.screenshot(path=tmp_path / "question.png", full_page=True)
    question.get_by_role("button", name="No").tap()
    expect(question).to_have_count(0)
    assert bot not in entered("too-fast")
    row.get_by_role("button", name="Enter it").tap()
    question.get_by_role("button", name="Enter it anyway").tap()
    status = row.get_by_role("status")
    expect(status).to_contain_text("The ladder's clock gives 0.20 s for a move, and 60.00 s more in all.")
    expect(status).to_contain_text("more than half of the time for a move")
    assert bot in entered("too-fast")
    other = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="unhurried"))
    other.get_by_role("button", name="Enter it").tap()
    expect(other.get_by_role("status")).to_contain_text("600.00 s for a move")
    expect(other.get_by_role("status")).not_to_contain_text("more than half")
    check_fits(page)
    page.screenshot(path=tmp_path / "entered.png", full_page=True)
