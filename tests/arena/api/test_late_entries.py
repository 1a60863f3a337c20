"""Entries after a season's deadline, also while the arena has not frozen the versions yet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fudaba.refusals import Refused
from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_arena.api.checks.entry_checks import EntryRequest, entering, leaving, pausing
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.store.tournaments.entries import (
    AWAIT,
    ENTER,
    EXTEND,
    FREEZE,
    LEAVE,
    PAUSE,
    WITHDRAW_EXTENSION,
    Entries,
    EntryChange,
)
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

ENDS_MS = 1_000
SEASON = Season("open", ends_ms=ENDS_MS)
EXTENDED = EntryChange(EXTEND, 1, account="ann", reason="ill", until_ms=2_000)


def entered(
    now_ms: int, *changes: EntryChange, account: str = "ann", season: Season = SEASON, role: str = "author"
) -> EntryChange:
    """Enters a bot at a time. Returns the change."""
    known = Entries()
    known.add(changes)
    bot = bots_pb2.Bot(name="robot", account=account, versions=[bots_pb2.Version(label="1")])
    asked = EntryRequest(TokenOwner(role, account), bot, now_ms)
    tournament = Tournament("open.1", (TournamentGame("naga"),), (), season=season)
    [change] = entering(asked, "", (), tournament, season, known)
    return change


def test_until_the_deadline_everybody_enters_and_nothing_is_late() -> None:
    assert not entered(ENDS_MS - 1).late
    assert not entered(ENDS_MS - 1, EXTENDED).late
    assert not entered(ENDS_MS, season=Season("open")).late


def test_an_organiser_enters_nothing_from_the_deadline_on_either() -> None:
    assert entered(ENDS_MS - 1, role="organiser").version == "1"
    with pytest.raises(Refused) as refused:
        entered(ENDS_MS, role="organiser")
    assert refused.value.reason == errors_pb2.REASON_SEASON_FROZEN


@pytest.mark.parametrize("frozen", [[], [EntryChange(FREEZE, ENDS_MS)]], ids=["not frozen yet", "frozen"])
@pytest.mark.parametrize(
    ("now_ms", "changes", "account"),
    [
        (ENDS_MS, [], "ann"),
        (ENDS_MS, [EXTENDED], "bob"),
        (EXTENDED.until_ms, [EXTENDED], "ann"),
        (ENDS_MS, [EXTENDED, EntryChange(WITHDRAW_EXTENSION, 2, account="ann")], "ann"),
    ],
    ids=["without an extension", "another's extension", "extension ended", "extension withdrawn"],
)
def test_from_the_deadline_on_a_bot_without_an_extension_is_refused(
    frozen: list[EntryChange], now_ms: int, changes: list[EntryChange], account: str
) -> None:
    with pytest.raises(Refused) as refused:
        entered(now_ms, *changes, *frozen, account=account)
    assert refused.value.reason == errors_pb2.REASON_SEASON_FROZEN


@pytest.mark.parametrize("frozen", [[], [EntryChange(FREEZE, ENDS_MS)]], ids=["not frozen yet", "frozen"])
def test_a_bot_with_an_extension_is_entered_late_from_the_deadline_on(frozen: list[EntryChange]) -> None:
    assert entered(ENDS_MS, EXTENDED, *frozen).late
    assert entered(EXTENDED.until_ms - 1, EXTENDED, *frozen).late


def test_the_final_waits_from_the_end_of_the_last_extension_or_from_its_withdrawal() -> None:
    known = Entries()
    assert known.extended_ms == 0
    known.add([EXTENDED, EntryChange(EXTEND, 1, account="bob", reason="away", until_ms=1_500)])
    assert known.extended_ms == EXTENDED.until_ms
    known.add([EntryChange(WITHDRAW_EXTENSION, 1_400, account="ann")])
    assert known.extended_ms == 1_500
    known.add([EntryChange(WITHDRAW_EXTENSION, 1_450, account="bob")])
    assert known.extended_ms == 1_450


@pytest.mark.parametrize(("kind", "again"), [(LEAVE, leaving), (PAUSE, pausing)], ids=["left", "paused"])
def test_a_bot_that_has_left_or_is_paused_withdraws_a_later_request_in_the_same_way(
    kind: str, again: Callable[[EntryRequest, Entries], list[EntryChange]]
) -> None:
    known = Entries()
    known.add([EntryChange(ENTER, 1, "robot", "1", "Ann", "ann"), EntryChange(kind, 2, "robot")])
    bot = bots_pb2.Bot(name="robot", account="ann", versions=[bots_pb2.Version(label="1")])
    asked = EntryRequest(TokenOwner("author", "ann"), bot, 4)
    assert again(asked, known) == []
    known.add([EntryChange(AWAIT, 3, "robot", author="Ann", account="ann", submission="later")])
    [withdrawn] = changes = again(asked, known)
    known.add(changes)
    assert known.awaited == []
    assert (withdrawn.author, withdrawn.account) == ("", "")
