"""An unlisted match is on the lists of who has a bot in it and of organisers, and no page tells others its id."""

from __future__ import annotations

import asyncio
import secrets
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, final

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.v1 import bots_pb2, matches_pb2, record_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.api.own_reach import CallersView
from fudaba_service.archive import Archive, ArchiveIndex
from tests.support.folders import short_folder
from tests.support.service.archive_index import record
from tests.support.service.authors import author
from tests.support.service.bots import bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.lists import ANYBODY, listed
from tests.support.service.organiser import PATIENT, Organiser, StoreView
from tests.support.service.processes import Service

MAX_EXAMINED: Final = 5
"""The number of matches that a call examines here."""
OLD_MS: Final = int(datetime(2025, 3, 3, tzinfo=UTC).timestamp() * 1000)
OLD: Final = Timestamp(seconds=OLD_MS // 1000 + 60)
"""All matches that are archived before the service starts were created before this."""
TIMES: Final = (*range(0, -10, -1), *[-10] * 7, *range(-11, -15, -1))
"""The time when the unlisted ones of these were created, in milliseconds: some of them at once."""


def old_records() -> Iterator[record_pb2.MatchRecord]:
    """Yields a run of unlisted matches, and a listed one after it."""
    for number, time_ms in enumerate(TIMES):
        unlisted = record(number, OLD_MS + time_ms, "first", "second")
        unlisted.header.unlisted = True
        yield unlisted
    yield record(len(TIMES), OLD_MS - 1000, "first", "second")


async def indexed(index: ArchiveIndex) -> None:
    """Lists take nothing of an archive but its index."""
    await asyncio.gather(*[index.add(old_record) for old_record in old_records()])


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service that has old matches when it starts, no limit of calls, and calls that examine few matches
    each."""
    sizes = f"l._MAX_MATCHES_EXAMINED, l._MIN_ROWS_AFTER_LEFT_OUT = {MAX_EXAMINED}, 2"
    with short_folder() as place, Service(place, "--calls-per-second", "0") as running:
        asyncio.run(indexed(ArchiveIndex(Archive(running.data / "archive"))))
        yield running.start(first=f"from fudaba_service.sessions import listing as l; {sizes}")
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


async def sent(organiser: Organiser, metadata: Any, **fields: Any) -> list[str]:
    """Returns the ids of the records of one call."""
    call = organiser.matches.StreamRecords(matches_pb2.StreamRecordsRequest(**fields), metadata=metadata)
    return [response.record.header.match_id async for response in call]


@pytest.mark.exhaustive
async def test_lists_filters_and_streams_of_records_have_it_for_its_players_their_authors_and_organisers(
    organiser: Organiser, store: StoreView
) -> None:
    ann, ben, stranger = [await author(organiser) for _ in range(3)]
    arena, label = (await organiser.token("arena")).token, f"quiet {secrets.token_hex(4)}"
    shown = await organiser.match(ann.bot, ben.bot, clock=PATIENT, label=label)
    unlisted = await organiser.match(ann.bot, ben.bot, clock=PATIENT, label=label, unlisted=True)
    insiders = [ann.metadata, ben.metadata, bearer(ann.bot.token), bearer(ben.bot.token)]
    for state in (matches_pb2.MATCH_STATE_WAITING, matches_pb2.MATCH_STATE_ABORTED):
        over = state == matches_pb2.MATCH_STATE_ABORTED
        filters: list[dict[str, Any]] = [
            {"label": label}, {"bot": ann.bot.name}, {"bot": ben.bot.name, "game": "naga"},
            {"label": label, "state": state}, {"label": label, "since": OLD},
        ]  # fmt: skip
        for match_id in (shown, unlisted) if over else ():
            abort = matches_pb2.AbortMatchRequest(match_id=match_id)
            await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
            await store.forgets(match_id)
        for metadata in (*insiders, organiser.metadata, bearer(arena)):
            for asked in filters:
                assert await listed(organiser, metadata, size=1, **asked) == [unlisted, shown]
            assert await sent(organiser, metadata, label=label) == ([unlisted, shown] if over else [])
        for metadata in (ANYBODY, stranger.metadata, bearer(stranger.bot.token)):
            for asked in filters:
                assert await listed(organiser, metadata, size=1, **asked) == [shown]
            assert await sent(organiser, metadata, label=label) == ([shown] if over else [])
        assert await listed(organiser, ann.metadata, account=ann.name) == [unlisted, shown]
    assert await sent(organiser, ANYBODY, match_ids=[unlisted]) == [unlisted], "whoever has its id may see it"


async def test_a_call_leaves_out_so_many_at_most_and_the_next_one_goes_on_without_an_id_of_theirs(
    organiser: Organiser,
) -> None:
    names = [made.header.match_id for made in old_records()]
    pages, token = list[list[str]](), ""
    while not pages or token:
        request = matches_pb2.ListMatchesRequest(before=OLD, page_size=1, page_token=token)
        page = await organiser.matches.ListMatches(request, metadata=ANYBODY)
        pages.append([match.header.match_id for match in page.matches])
        token = page.next_page_token
        decoded = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        assert b"m-" not in decoded
    # Ten at ten times; seven of one time, which no page divides; and four, with which the listed one comes.
    assert pages == [[], [], [], [names[-1]]]
    assert (
        await listed(organiser, organiser.metadata, size=3, before=OLD)
        == sorted(names[:10], key=names.index) + sorted(names[10:17]) + names[17:]
    )


@final
class Counted:
    """Bots that are counted when somebody looks them up."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def found(self, names: list[str]) -> dict[str, bots_pb2.Bot]:
        self.asked += names
        return {name: bots_pb2.Bot(name=name, account="ann") for name in names if name.startswith("ann-")}


def match_of(*bots: str, unlisted: bool = True) -> matches_pb2.Match:
    players = [record_pb2.Player(bot=bot) for bot in bots]
    return matches_pb2.Match(header=record_pb2.MatchHeader(players=players, unlisted=unlisted))


async def test_bots_are_looked_up_for_an_author_who_meets_an_unlisted_match_each_once_and_for_nobody_else() -> None:
    counted: Any = Counted()
    matches = [match_of("ann-1", "ben-1"), match_of("ben-1", "house-first"), match_of("ben-1", unlisted=False)]
    for caller, finds in (
        (None, [False, False, True]),
        (Owner(scope=Scope.ORGANISER), [True, True, True]),
        (Owner(scope=Scope.ARENA), [True, True, True]),
        (Owner(scope=Scope.BOT, account="ben", bot="ben-1"), [True, True, True]),
        (Owner(scope=Scope.GUEST, bot="guest-1"), [False, False, True]),
    ):
        assert await CallersView(counted, caller).finds(matches) == finds
    ann = CallersView(counted, Owner(scope=Scope.AUTHOR, account="ann"))
    assert await ann.finds(matches[2:]) == [True]
    assert counted.asked == []
    assert await ann.finds(matches) == await ann.finds(matches) == [True, False, True]
    assert counted.asked == ["ann-1", "ben-1", "house-first"]
