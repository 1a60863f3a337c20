"""What an entry may be, and how often an author may change it: every change is kept for good."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from fudaba.refusals import Refused
from fudaba.v1 import bots_pb2
from fudaba_arena.api.checks.entry_checks import EntryRequest, Submitted, leaving, pausing, resuming
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.tournament.season import KEPT, Season

DAY_MS = 24 * 3_600_000
BOT = bots_pb2.Bot(name="a", account="alice")


def entry_request(now_ms: int, caller: TokenOwner | None = None) -> EntryRequest:
    return EntryRequest(caller or TokenOwner("author", "alice"), BOT, now_ms)


def changed(times: int) -> Entries:
    """Returns an entry that was changed so often, once a second."""
    entries = Entries()
    entries.add([EntryChange(ENTER, 0, "a", "1", account="alice"), EntryChange(ENTER, 0, "b", "1", account="bob")])
    for number in range(1, times):
        now = entry_request(number * 1_000)
        entries.add(pausing(now, entries) or resuming(now, (), entries))
    return entries


def test_an_entry_is_changed_a_hundred_times_a_day_and_then_as_the_day_passes() -> None:
    entries = changed(100)
    with pytest.raises(Refused, match="bot a has its 100 changes of an entry a day") as refused:
        resuming(entry_request(200_000), (), entries)
    assert refused.value.name == "QUOTA_EXCEEDED"
    assert refused.value.retry_seconds == pytest.approx(DAY_MS / 1_000 - 200)
    found = re.search(r"no more are allowed until (.+) UTC: come back later", str(refused.value))
    assert found is not None
    until = datetime.strptime(f"{found[1]} +0000", "%Y-%m-%d %H:%M:%S %z")
    assert 0 < (until - datetime.now(UTC)).total_seconds() <= refused.value.retry_seconds + 1
    assert resuming(entry_request(DAY_MS), (), entries)


def test_the_organiser_has_no_such_limit_and_everybody_may_leave() -> None:
    entries = changed(100)
    assert resuming(entry_request(200_000, TokenOwner("organiser")), (), entries)
    assert leaving(entry_request(200_000), entries)
    assert not pausing(entry_request(200_000), entries)  # it is paused: nothing would change


def test_a_submission_that_remembers_is_refused_where_the_ladder_lets_none_remember() -> None:
    remembers, forgets, remote = Submitted("s-1"), Submitted("s-2", stateless=True), Submitted()
    with pytest.raises(Refused, match="open gives no bot a folder that lives on: submit it with") as refused:
        remembers.check_memory(Season("open"))
    assert refused.value.name == "MEMORY_NOT_ALLOWED"
    for entrant in (forgets, remote):
        entrant.check_memory(Season("open"))
    for entrant in (remembers, forgets, remote):
        entrant.check_memory(Season("open", memory=KEPT))
