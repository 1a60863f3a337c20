"""The forms of the organiser's page that pause, end, delete, limit and give away: each states in numbers what it does
before it does it, does nothing by a field that is empty or that it does not understand, and has a command to copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from fudaba.client import Client, ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, matches_pb2
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.store import Store
from fudaba_arena.store.workers.known_workers import LATE, STOPPED, KnownWorker, StopReason
from tests.support.arena.api.ladders import OPEN, WAITING, create, get
from tests.support.arena.commands.tournaments import STEADY, bot, head
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import Hosted
from tests.support.web.own_servers import gateway_token, hosted, web

__all__ = ["gateway_token", "hosted", "web"]

AT_ONCE = OPEN.replace("final_blocks = 2", "final_blocks = 0").partition('[[bots]]\nname = "random"')[0]
"""A ladder whose season is over as soon as it is closed, with a bot that has nobody to play with."""


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    """An arena that plays by itself, so that tournaments stall."""
    with standing(Hosted(hosted)) as running:  # type: ignore[arg-type]  # it has what is asked for
        yield running


@pytest.fixture(autouse=True)
def signed_in(context: BrowserContext, hosted: Service) -> None:
    answer = context.request.post("/session", headers={"x-fudaba-page": "1"}, data={"token": hosted.token})
    assert answer.ok, answer.text()
    context.grant_permissions(["clipboard-read", "clipboard-write"])


def copied(form: Locator) -> str:
    """Returns the commands that a form has to copy."""
    form.get_by_text("The same on the command line").click()
    form.get_by_role("button", name="Copy").click()
    expect(form.get_by_text("Copied")).to_be_visible()
    return str(form.page.evaluate("() => navigator.clipboard.readText()"))


def row_of(page: Page, name: str) -> Locator:
    """Returns the entry of a list that begins with a link of this name."""
    return page.get_by_role("listitem").filter(has=page.get_by_role("link", name=name, exact=True))


def answer_question(form: Locator, question: str, *, yes: bool) -> None:
    form.get_by_role("group", name=question, exact=True).get_by_role("button", name="Yes" if yes else "No").click()


def stored(arena: Arena, work: Callable[[Store], Coroutine[Any, Any, None]]) -> None:
    """Changes what the arena has stored."""

    async def change() -> None:
        async with open_to_read(arena.folder / "data", None) as store:
            await work(store)

    with ThreadPoolExecutor(1) as elsewhere:  # the browser's calls have a loop in this thread
        elsewhere.submit(asyncio.run, change()).result()


def test_a_ladder_is_paused_and_resumed_and_the_command_follows(page: Page, arena: Arena) -> None:
    create(arena, WAITING.format(name="paused-there", narrow=25))
    page.goto("/organiser?tab=ladders")
    row = row_of(page, "paused-there")
    row.get_by_role("button", name="Pause paused-there").click()
    resume = row.get_by_role("button", name="Resume paused-there")
    expect(resume).to_be_visible()
    assert get(arena, "paused-there").state == arena_pb2.LADDER_STATE_PAUSED
    assert copied(row).splitlines()[0] == "fudaba ladder resume paused-there"
    resume.click()
    expect(row.get_by_role("button", name="Pause paused-there")).to_be_visible()
    assert get(arena, "paused-there").state != arena_pb2.LADDER_STATE_PAUSED


def test_a_season_is_closed_for_good_and_the_next_one_begun_only_with_a_time_that_is_understood(
    page: Page, arena: Arena
) -> None:
    name = "seasons-there"
    create(arena, AT_ONCE.format(name=name, narrow=25))
    page.goto("/organiser?tab=ladders")
    row = row_of(page, name)
    question = (
        f"Close season 1 of {name}? It has no final: it is over at once, and nothing reopens it. 0 matches count so "
        "far, 1 entry plays."
    )
    assert f"fudaba ladder close {name}" in copied(row).splitlines()
    row.get_by_role("button", name=f"Close the season {name}").click()
    answer_question(row, question, yes=False)
    assert get(arena, name).state != arena_pb2.LADDER_STATE_CLOSED
    row.get_by_role("button", name=f"Close the season {name}").click()
    answer_question(row, question, yes=True)
    wait_until(lambda: get(arena, name).state == arena_pb2.LADDER_STATE_CLOSED, "the season is over")
    page.reload()
    ends, begin = row.get_by_label("End of the next season"), row.get_by_role("button", name="Begin season 2")
    expect(begin).to_be_visible()
    ends.fill("next winter")
    expect(row.get_by_role("alert")).to_contain_text("next winter")
    expect(begin).to_have_count(0)
    ends.fill("2100-12-31 18:00 Europe/Berlin")
    assert copied(row) == f"fudaba ladder begin {name} --season 2 --ends '2100-12-31 18:00 Europe/Berlin'"
    begin.click()
    sure = f"Begin season 2 of {name}? Its 1 entry that has not left takes part, with new deals and no ratings."
    answer_question(row, sure, yes=False)
    assert get(arena, name).season == 1
    begin.click()
    answer_question(row, sure, yes=True)
    expect(row.get_by_text("season 2, 1 entry plays")).to_be_visible()
    assert get(arena, name).season == 2


def test_a_ladder_is_deleted_only_once_the_question_with_its_entries_is_answered(page: Page, arena: Arena) -> None:
    name = "deleted-there"
    create(arena, WAITING.format(name=name, narrow=25))
    page.goto("/organiser?tab=ladders")
    row = row_of(page, name)
    question = (
        f"Delete {name}? No block of it counts. Its 2 entries and 0 matches in play go with it, for good, and its name "
        "is free again."
    )
    assert f"fudaba ladder delete {name}" in copied(row).splitlines()
    row.get_by_role("button", name=f"Delete it {name}").click()
    answer_question(row, question, yes=False)
    assert get(arena, name).name == name
    row.get_by_role("button", name=f"Delete it {name}").click()
    answer_question(row, question, yes=True)
    expect(row).to_have_count(0)
    with pytest.raises(ServiceError, match="LADDER_NOT_FOUND"):
        get(arena, name)


def test_a_match_is_aborted_by_its_id_with_a_reason_and_nothing_without(page: Page, organiser: Client) -> None:
    request = matches_pb2.CreateMatchRequest(game="naga")
    for name in ("abort-left", "abort-right"):
        organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
        request.players.add(bot=name)
    match = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    page.goto("/organiser?tab=matches")
    search, abort = page.get_by_role("button", name="Search"), page.get_by_role("button", name="Abort it")
    search.click()
    expect(page.get_by_text("End a match without a result.")).to_be_visible()
    page.get_by_label("A match's id").fill("no-such-match")
    search.click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(abort).to_have_count(0)
    page.get_by_label("A match's id").fill(match)
    search.click()
    reason = page.get_by_label("Reason, which everybody can read")
    reason.fill("  ")
    expect(abort).to_have_count(0)
    reason.fill("the hall closes")
    assert copied(page.locator("main")) == f"fudaba match abort {match} --message 'the hall closes'"

    def state() -> int:
        return organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match), timeout=PATIENCE).match.state

    for yes in (False, True):
        assert state() == matches_pb2.MATCH_STATE_WAITING
        abort.click()
        group = page.get_by_role("group", name="Abort this match of Naga, 2 players: abort-left")
        expect(group).to_contain_text("It ends without a result, and nothing resumes it.")
        group.get_by_role("button", name="Yes" if yes else "No").click()
    expect(page.get_by_text("It is over.")).to_be_visible()
    assert state() == matches_pb2.MATCH_STATE_ABORTED


def test_the_limits_of_an_account_are_set_by_whole_numbers_only_and_cleared_with_their_names(
    page: Page, organiser: Client
) -> None:
    name = "limited-there"
    organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)

    def limits() -> accounts_pb2.Quotas:
        request = accounts_pb2.GetQuotasRequest(account=name)
        return organiser.accounts.GetQuotas(request, timeout=PATIENCE).set_limits

    page.goto("/organiser?tab=accounts")
    row = row_of(page, name)
    row.get_by_text(f"Name and limits of {name}").click()
    form = row.locator(".form").filter(has=page.get_by_label("Bots that it registers"))
    bots, matches = form.get_by_label("Bots that it registers"), form.get_by_label("Matches that its bots create in")
    set_limits = form.get_by_role("button", name="Set these limits")
    expect(bots).to_be_visible()
    expect(set_limits).to_have_count(0)
    bots.fill("3")
    matches.fill("1e3")
    expect(form.get_by_role("alert")).to_contain_text("“1e3” is no whole number from 1 to 1,000,000")
    expect(set_limits).to_have_count(0)
    matches.fill("1000")
    assert copied(form) == f"fudaba quota set {name} --bots 3 --matches-per-hour 1000"
    set_limits.click()
    expect(form.get_by_text("0 of at most 3", exact=True)).to_be_visible()
    assert limits() == accounts_pb2.Quotas(bots=3, matches_per_hour=1000)
    clear = form.get_by_role("button", name="Clear what was set")
    question = (
        f"Clear what was set for {name}? These go, and the defaults apply: Bots that it registers: 3; Matches that its "
        "bots create in an hour: 1,000"
    )
    for yes in (False, True):
        assert limits().bots == 3
        clear.click()
        answer_question(form, question, yes=yes)
    expect(clear).to_have_count(0)
    assert limits() == accounts_pb2.Quotas()


def test_a_bot_is_given_to_the_account_that_is_named_and_taken_from_it_by_another_button(
    page: Page, organiser: Client
) -> None:
    organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name="heir-there"), timeout=PATIENCE)
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name="given-there"), timeout=PATIENCE)
    organiser.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot="given-there", version="1"), timeout=PATIENCE)

    def owner() -> str:
        return organiser.bots.GetBot(bots_pb2.GetBotRequest(bot="given-there"), timeout=PATIENCE).bot.account

    page.goto("/organiser?tab=bots")
    page.get_by_label("A bot's name").fill("given-there")
    page.get_by_role("button", name="Search").click()
    form = page.locator(".form")
    account, give = form.get_by_label("The account that it is to"), form.get_by_role("button", name="Give it to this")
    account.fill("  ")
    expect(give).to_have_count(0)
    account.fill("nobody-there")
    give.click()
    form.get_by_role("button", name="Yes").click()
    expect(form.get_by_role("alert")).to_contain_text("nobody-there")
    assert owner() == ""
    account.fill("heir-there")
    assert copied(form) == "fudaba bot assign given-there heir-there"
    give.click()
    question = "Give given-there to heir-there, with its 1 version and all its tokens? Only heir-there manages it then."
    answer_question(form, question, yes=True)
    expect(form.get_by_text("It belongs to heir-there, with 1 version.")).to_be_visible()
    assert owner() == "heir-there"
    take = form.get_by_role("button", name="Take it from its account")
    for yes in (False, True):
        assert owner() == "heir-there"
        take.click()
        form.get_by_role("group", name="Take given-there from heir-there, with its 1 version").get_by_role(
            "button", name="Yes" if yes else "No"
        ).click()
    expect(form.get_by_text("It belongs to no account")).to_be_visible()
    assert owner() == ""


def test_a_stopped_worker_says_in_numbers_why_it_plays_nothing(page: Page, arena: Arena) -> None:
    slow = KnownWorker(
        "slow-there", STOPPED, "bots lose time here", 1, 8, 2, 16, 3600.0, stopped_by=StopReason(LATE, 6, 40, 2.5)
    )
    stored(arena, lambda store: store.workers.note(slow))
    page.goto("/organiser?tab=now")
    entry = page.get_by_role("list", name="Workers").get_by_role("listitem").filter(has_text="slow-there")
    expect(entry).to_contain_text("stopped")
    expect(entry).to_contain_text("1 of 8 blocks, 2 of 16 seats")
    expect(entry).to_contain_text("in 6 of 40 seconds a bot was late that answers at once elsewhere, at worst by 2.5 s")


def test_a_stalled_tournament_says_why_and_is_tried_again(page: Page, arena: Arena, organiser: Client) -> None:
    name = "stalled-there"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name="absent-there"), timeout=PATIENCE)
    absent = bot("absent-there", "remote = true")
    arena.create(head(name, connect_seconds=1, attempts=1, no_shows=9) + STEADY + absent)
    arena.wait_for(name, arena_pb2.TOURNAMENT_STATE_STALLED)
    page.goto("/organiser?tab=now")
    sheet = page.locator("section.sheet").filter(has=page.get_by_role("link", name=name, exact=True))
    expect(sheet.get_by_text("1 of 1 block is set aside.")).to_be_visible()
    assert copied(sheet) == f"fudaba tournament resume {name}"
    sheet.get_by_role("button", name="Try them again").click()
    wait_until(lambda: arena.get(name).progress.blocks_void == 2, "the block is tried again")
