"""An account is suspended or deleted while its bot plays in a ladder: what it has played stays, and nobody waits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.tournaments.entries import EntryChange
from tests.support.arena.api.ladders import (
    ABSENT,
    OPEN,
    WAITING,
    author,
    blocks,
    call,
    create,
    number_of,
    playing,
    playing_now,
    register,
    rows,
    state_of,
    the_others_play_on,
    until,
)
from tests.support.arena.commands.tournaments import PATIENT_CLOCK
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

SUSPENDED = arena_pb2.ENTRY_STATE_SUSPENDED


def entered(hosted: Service, arena: Arena, ladder: str, account: str, bot: str) -> str:
    """Returns the token of a new author whose bot is entered in a new ladder, in which no match ends by the clock."""
    rules = f"connect_seconds = 10\nno_shows = 100\nclock = {PATIENT_CLOCK}\n"
    create(arena, rules + OPEN.format(name=ladder, narrow=0))
    token = author(hosted, account)
    register(hosted, token, bot)
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot), token)
    return token


def counted(arena: Arena, ladder: str, bot: str) -> dict[int, list[str]]:
    """By their numbers: who played the blocks that count of a bot."""
    return {block.number: list(block.bots) for block in blocks(arena, ladder) if bot in block.bots}


@pytest.mark.exhaustive
def test_a_suspended_account_s_bot_is_left_out_keeps_its_results_and_plays_on_when_it_is_resumed(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    token = entered(hosted, arena, "held", "gil", "held-bot")
    with hosted.client() as client:
        with playing(hosted, tmp_path, token, "held-bot", "1"):
            until(arena, lambda: number_of(arena, "held", "held-bot@1") >= 1, "it is rated")
            until(arena, lambda: playing_now(arena, "held", "held-bot@1"), "it is in the middle of a block")
            client.accounts.SuspendAccount(accounts_pb2.SuspendAccountRequest(account="gil", message="to look at it"))
            until(arena, lambda: state_of(arena, "held", "held-bot") == SUSPENDED, "it is suspended")
        until(arena, lambda: not playing_now(arena, "held", "held-bot@1"), "what it was in is over")
        before = counted(arena, "held", "held-bot@1")
        the_others_play_on(arena, "held")
        assert counted(arena, "held", "held-bot@1") == before
        assert rows(arena, "held")["held-bot@1"].matches > 0
        client.accounts.ResumeAccount(accounts_pb2.ResumeAccountRequest(account="gil"))
    with playing(hosted, tmp_path, token, "held-bot", "1"):
        until(arena, lambda: len(counted(arena, "held", "held-bot@1")) > len(before), "it plays on")
    assert before.items() <= counted(arena, "held", "held-bot@1").items()
    matches = [match for match in arena.matches("held.1") if "held-bot@1" in match.bots]
    assert not [match for match in matches if match.HasField("forfeited_seat")], "it lost by its suspension"
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="held"))


@pytest.mark.exhaustive
def test_a_renamed_author_s_bots_are_shown_under_the_new_name_in_ladders(hosted: Service, arena: Arena) -> None:
    first, rest = WAITING.format(name="renamed", narrow=0).split("\n", 1)
    create(arena, f"{first}\n{rest}")
    token = author(hosted, "ike")
    register(hosted, token, "ike-bot")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="renamed", bot="ike-bot"), token)
    with Client(hosted.address, token) as client:
        client.accounts.UpdateAccount(accounts_pb2.UpdateAccountRequest(display_name="Ike the Second"))
    until(arena, lambda: author_of(arena, "renamed", "ike-bot") == "Ike the Second", "the new name is shown")
    assert [(change.author, change.account) for change in asyncio.run(stored_changes(arena, "renamed.1"))][-1] == (
        "Ike the Second",
        "ike",
    )


@pytest.mark.exhaustive
def test_a_deleted_account_s_results_stay_under_a_pseudonym_and_the_others_play_on(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    token = entered(hosted, arena, "gone", "hal", "gone-bot")
    with hosted.client() as client, playing(hosted, tmp_path, token, "gone-bot", "1"):
        until(arena, lambda: number_of(arena, "gone", "gone-bot@1") >= 1, "it is rated")
        until(arena, lambda: playing_now(arena, "gone", "gone-bot@1"), "it is in the middle of a block")
        done = client.accounts.DeleteAccount(accounts_pb2.DeleteAccountRequest(account="hal"))
        until(arena, lambda: state_of(arena, "gone", "gone-bot") == ABSENT, "it is absent")
    until(arena, lambda: not playing_now(arena, "gone", "gone-bot@1"), "what it was in is over")
    before = counted(arena, "gone", "gone-bot@1")
    assert before
    the_others_play_on(arena, "gone")
    assert counted(arena, "gone", "gone-bot@1") == before
    until(arena, lambda: author_of(arena, "gone", "gone-bot") == done.pseudonym, "the author's name is gone")
    assert "hal" not in str(rows(arena, "gone"))
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="gone"))
    assert [
        (change.author, change.account)
        for change in asyncio.run(stored_changes(arena, "gone.1"))
        if change.bot == "gone-bot"
    ] == [(done.pseudonym, done.pseudonym)]


async def stored_changes(arena: Arena, season: str) -> list[EntryChange]:
    async with open_to_read(arena.folder / "data", None) as store:
        return await store.progress.entry_changes(season, 0)


def author_of(arena: Arena, ladder: str, bot: str) -> str:
    """Who wrote the bot, as the ladder's page says."""
    entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=ladder), "").entries
    [found] = [str(entry.author) for entry in entries if entry.bot == bot]
    return found
