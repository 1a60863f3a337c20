"""What an organiser does in a browser."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
from fudaba_arena.store.data_folder import open_to_read
from tests.support.arena.api.ladders import WAITING, create
from tests.support.arena.commands.stored_results import store_results
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service


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


def test_an_organiser_edits_a_ladder_and_sees_what_changes_before(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    create(arena, WAITING.format(name="edited-there", narrow=25))
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser?tab=ladders")
    page.get_by_role("button", name="Edit edited-there").click()
    file = page.get_by_label("The file of edited-there, in TOML")
    file.fill(file.input_value().replace("concurrency = 2", "concurrency = 7"))
    page.get_by_role("button", name="Check it").first.click()
    planned = "concurrency: 2 → 7 (at once)"
    expect(page.get_by_role("status").filter(has_text=planned)).to_be_visible()
    page.get_by_role("button", name="Apply it").click()
    expect(page.get_by_text(f"Change edited-there? {planned}")).to_be_visible()
    page.get_by_role("button", name="Yes").click()
    expect(file).to_be_hidden()
    with arena.client() as client:
        found = client.arena.GetLadderFile(arena_pb2.GetLadderFileRequest(ladder="edited-there"), timeout=PATIENCE)
    assert "concurrency = 7" in found.definition


def test_an_organiser_extends_a_deadline_for_an_author_who_sees_until_when_and_why(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    ends = '[season]\nends = "2100-06-01 18:00 Europe/Berlin"'
    create(arena, WAITING.format(name="extended-there", narrow=25).replace("[season]", ends))
    with Client(hosted.address, hosted.token) as client:
        token = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name="ill-there")).token
    with Client(hosted.address, token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="ill-bot"))
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser?tab=ladders")
    page.get_by_role("button", name="Extensions extended-there").click()
    page.get_by_label("Reason").fill("in hospital")
    page.get_by_label("Account", exact=True).fill("ill-there")
    until = page.get_by_label("End of the extension")
    until.fill("2100-03-28 02:30 Europe/Berlin")
    expect(page.get_by_role("alert").filter(has_text="write 2100-03-28 01:59 Europe/Berlin")).to_be_visible()
    until.fill("2100-06-08 18:00 Europe/Berlin")
    page.get_by_role("button", name="Extend the deadline").click()
    expect(page.get_by_role("button", name="Withdraw ill-there")).to_be_visible()
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": token})
    assert answer.ok, answer.text()
    page.goto("/enter")
    expect(page.get_by_text("Your account may enter versions until Jun 8, 2100")).to_contain_text("in hospital")


@pytest.mark.exhaustive
def test_an_organiser_annuls_what_the_form_says_and_nothing_that_it_does_not_understand(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    async def begin() -> None:
        async with open_to_read(arena.folder / "data", None) as store:
            await store_results(store, "annulling")

    def annulled() -> list[int]:
        with arena.client() as client:
            listed = arena_pb2.ListBlocksRequest(tournament="annulling", state=arena_pb2.BLOCK_STATE_ANNULLED)
            return [block.number for block in client.arena.ListBlocks(listed, timeout=PATIENCE).blocks]

    with ThreadPoolExecutor(1) as elsewhere:  # the browser's calls have a loop in this thread
        elsewhere.submit(asyncio.run, begin()).result()
    wait_until(lambda: arena.get("annulling").progress.blocks_counted == 12, "the arena has heard of the results")
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser")
    page.get_by_role("tab", name="Annul results").click()
    page.get_by_label("Tournament or season").fill("annulling")
    page.get_by_label("Reason").fill("it played with another's cards")
    blocks, bot = page.get_by_label("Only blocks of these numbers"), page.get_by_label("Only the groups of this bot")
    look = page.get_by_role("button", name="Show what it does")
    expect(look).to_have_count(0)
    bot.fill("c")
    blocks.fill("1, 4\u20136")
    expect(page.get_by_role("alert")).to_have_text(
        "\u201c4\u20136\u201d at character 4 is neither the number of a block nor a range; write 4-6, 9"
    )
    expect(look).to_have_count(0)
    bot.fill("")
    blocks.fill("4-6")
    look.click()
    expect(page.get_by_role("row", name="In all")).to_have_text("In all12 \u2192 924 \u2192 18")
    page.get_by_role("button", name="Annul results").click()
    question = page.get_by_role("group", name="Annul 3 blocks of 12, 6 matches of 24?")
    question.get_by_role("button", name="No").click()
    assert annulled() == []
    page.get_by_role("button", name="Annul results").click()
    question.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("status").filter(has_text="They are annulled.")).to_be_visible()
    assert annulled() == [4, 5, 6]
    entry = page.get_by_role("list", name="Annulments").get_by_role("listitem")
    expect(entry).to_contain_text("1: 3 blocks")
    entry.get_by_role("button", name="Undo").click()
    entry.get_by_role("button", name="Undo").click()
    page.get_by_role("group", name="Undo annulment 1? 3 blocks and 6 matches count again.").get_by_role(
        "button", name="Yes"
    ).click()
    expect(page.get_by_role("status").filter(has_text="It is undone.")).to_be_visible()
    assert annulled() == []
    expect(entry.first).to_contain_text("undone by 2")


def test_an_organiser_disqualifies_an_entry_once_it_is_seen_what_that_does_and_undoes_it(
    context: BrowserContext, page: Page, hosted: Service, arena: Arena
) -> None:
    ladder = "with-a-cheat"
    with ThreadPoolExecutor(1) as elsewhere:  # the browser's calls have a loop in this thread
        elsewhere.submit(create, arena, WAITING.format(name=ladder, narrow=0)).result()
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser?tab=disqualify")
    page.get_by_label("Ladder", exact=True).fill(ladder)
    page.get_by_label("Bot", exact=True).fill("random")
    page.get_by_role("button", name="Show what disqualifying it does").click()
    expect(page.get_by_role("region", name="Ranks and ratings that change")).to_be_visible()
    expect(page.get_by_text("Give a reason above.")).to_be_visible()
    page.get_by_label("Reason").fill("a copy of first")
    page.get_by_role("button", name="Disqualify", exact=True).click()
    page.get_by_role("group", name=f"Disqualify random in {ladder}?").get_by_role("button", name="Yes").click()
    expect(page.get_by_role("status").filter(has_text=f"random is disqualified in {ladder}.")).to_be_visible()
    page.goto(f"/ladders/{ladder}")
    expect(page.get_by_role("row", name="random").get_by_text("disqualified").first).to_be_visible()
    page.goto("/organiser?tab=disqualify")
    page.get_by_label("Ladder", exact=True).fill(ladder)
    page.get_by_label("Bot", exact=True).fill("random")
    page.get_by_label("Reason").fill("wrongly")
    page.get_by_role("button", name="Show what undoing that does").click()
    page.get_by_role("button", name="Undo the disqualification").click()
    page.get_by_role("group", name=f"Reinstate random in {ladder}?").get_by_role("button", name="Yes").click()
    expect(page.get_by_role("status").filter(has_text=f"random is reinstated in {ladder}.")).to_be_visible()


@pytest.mark.exhaustive
def test_an_organiser_finds_and_suspends_any_account_and_reads_all_that_organisers_did(
    context: BrowserContext, page: Page, hosted: Service, organiser: Client
) -> None:
    names = [f"many-{number:03}" for number in range(55)]
    for name in names:
        organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser")
    page.get_by_role("tab", name="Accounts").click()
    expect(page.get_by_role("link", name="many-054", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="many-000", exact=True)).to_have_count(0)  # it is on another page
    page.get_by_label("Find an account by its name").fill("MANY-000")
    page.get_by_role("button", name="Search").click()
    row = page.get_by_role("listitem").filter(has_text="many-000")
    row.get_by_role("button", name="Suspend").click()
    row.get_by_role("button", name="Yes").click()
    expect(row.get_by_role("button", name="End the suspension")).to_be_visible()
    page.get_by_role("tab", name="What organisers did").click()
    rows = page.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("SuspendAccount")
    expect(rows).to_have_count(51)  # a page, and the heading
    page.get_by_label("Find what was done").fill("many-000")
    page.get_by_role("button", name="Search").click()
    expect(rows).to_have_count(3)  # made, and suspended
    page.get_by_label("Find what was done").fill("")
    page.get_by_role("button", name="Search").click()
    expect(rows).to_have_count(51)
    page.get_by_role("button", name="Next").click()
    expect(rows.nth(1)).not_to_contain_text("SuspendAccount")


@pytest.mark.exhaustive
def test_an_invitation_stays_through_a_reload_until_it_is_kept(
    context: BrowserContext, page: Page, hosted: Service
) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    page.goto("/organiser")
    page.get_by_role("tab", name="Accounts").click()
    page.get_by_role("button", name="Make an invitation").click()
    code = page.get_by_label("Invitation code, shown this once").first
    shown_code = code.inner_text()
    page.reload()
    page.get_by_role("tab", name="Accounts").click()
    expect(code).to_have_text(shown_code)
    page.get_by_label("I have kept it").check()
    page.get_by_role("button", name="Hide it").click()
    expect(code).to_have_count(0)
