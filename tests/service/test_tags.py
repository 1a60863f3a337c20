"""Tags of matches: for the account that gave them alone, at every replica, as long as the match is kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fudaba.v1 import accounts_pb2, matches_pb2
from fudaba_service.accounts.owner import tags_of_account
from fudaba_service.store import keys
from tests.support.service.authors import author
from tests.support.service.bots import bearer
from tests.support.service.in_progress import started
from tests.support.service.lists import ended, listed
from tests.support.service.organiser import PATIENT, Organiser, StoreView, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.retention import keeping, none_listed


async def tag(organiser: Organiser, match_id: str, token: str, *tags: str) -> list[str]:
    """Gives a match these tags; those that it is said to have then."""
    request = matches_pb2.SetMatchTagsRequest(match_id=match_id, tags=tags)
    done = await organiser.matches.SetMatchTags(request, metadata=bearer(token) if token else ())
    assert done.match.header.match_id == match_id
    return list(done.match.tags)


async def seen(organiser: Organiser, match_id: str, token: str) -> list[str]:
    """Returns the tags that a token is shown, in each of the ways in which a match is asked for."""
    metadata = bearer(token) if token else ()
    got = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), metadata=metadata)).match
    waited = matches_pb2.AwaitMatchRequest(match_id=match_id)
    awaited = (await organiser.matches.AwaitMatch(waited, metadata=metadata)).match
    request = matches_pb2.ListMatchesRequest(since=got.header.create_time)
    page = (await organiser.matches.ListMatches(request, metadata=metadata)).matches
    [in_list] = [match for match in page if match.header.match_id == match_id]
    assert got.tags == awaited.tags == in_list.tags
    return list(got.tags)


async def test_an_account_sees_its_own_tags_of_live_and_archived_matches_and_nobody_else_sees_any(
    organiser: Organiser, store: StoreView
) -> None:
    ann, other = await author(organiser), await author(organiser)
    match_id = await organiser.match(ann.bot, other.bot, clock=PATIENT)
    watching = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    assert await tag(organiser, match_id, ann.token, "wrenlike", "札 two", "wrenlike") == ["wrenlike", "札 two"]
    assert await tag(organiser, match_id, other.bot.token, "ospreyan") == ["ospreyan"]
    arena = (await organiser.token("arena")).token
    seats = [await organiser.match_token(match_id, seat) for seat in (0, 1)]
    stranger = await author(organiser)
    for over in (False, True):
        if over:
            abort = matches_pb2.AbortMatchRequest(match_id=match_id)
            await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
            await store.forgets(match_id)
        for token in (ann.token, ann.bot.token):  # an account's bots see what the account sees
            assert await seen(organiser, match_id, token) == ["wrenlike", "札 two"]
            assert await listed(organiser, bearer(token), tag="wrenlike") == [match_id]
            assert await listed(organiser, bearer(token), tag="ospreyan") == []
        assert await seen(organiser, match_id, other.token) == ["ospreyan"]
        for token in (stranger.token, stranger.bot.token, arena, *(() if over else seats), ""):
            assert await seen(organiser, match_id, token) == []
        assert (await organiser.get(match_id)).tags == []
    public: list[Any] = [await organiser.record(match_id), *[message async for message in watching]]
    assert not any(word in str(message) for word in ("wrenlike", "ospreyan") for message in public)


async def test_tags_take_the_place_of_those_before_and_lists_go_by_them_page_by_page(
    organiser: Organiser, store: StoreView
) -> None:
    ann, other = await author(organiser), await author(organiser)
    made = []
    for number in range(7):
        match_id = await (ended if number % 2 else Organiser.match)(organiser, ann.bot, other.bot)
        await tag(organiser, match_id, ann.token, "all", "even" if number % 2 == 0 else "odd")
        made.append(match_id)
        if number % 2:
            await store.forgets(match_id)
        await asyncio.sleep(0.002)
    mine = bearer(ann.token)
    for size in (1, 2, 100):
        assert await listed(organiser, mine, size, tag="all") == made[::-1]
        assert await listed(organiser, mine, size, tag="odd") == made[5::-2]
        assert await listed(organiser, mine, size, tag="all", state=matches_pb2.MATCH_STATE_ABORTED) == made[5::-2]
        assert await listed(organiser, mine, size, tag="od") == []
    records = matches_pb2.StreamRecordsRequest(tag="all")
    sent = [
        sent_record.record.header.match_id
        async for sent_record in organiser.matches.StreamRecords(records, metadata=mine)
    ]
    assert sent == made[5::-2]
    for repeated in (1, 2):
        assert await tag(organiser, made[0], ann.token, "odd", "late") == ["late", "odd"], repeated
        assert await listed(organiser, mine, tag="odd") == [*made[5::-2], made[0]]
        assert await listed(organiser, mine, tag="even") == made[6:0:-2]
    assert await tag(organiser, made[0], ann.token) == []
    assert await seen(organiser, made[0], ann.token) == []
    assert await listed(organiser, mine, tag="late") == []


async def test_who_may_tag_which_match_and_with_what(organiser: Organiser, store: StoreView) -> None:
    ann, other, stranger = await author(organiser), await author(organiser), await author(organiser)
    match_id = await organiser.match(ann.bot, other.bot, clock=PATIENT)
    with_tags = {key for key in store.everything() if b"{fudaba:tags}" in key}
    for token in (stranger.token, stranger.bot.token):
        await refused(tag(organiser, match_id, token, "x"), "NOT_YOUR_MATCH", "no bot of yours")
    seat = await organiser.match_token(match_id, 0)
    for scope in ("arena", "organiser", "gateway"):
        await refused(tag(organiser, match_id, (await organiser.token(scope)).token, "x"), "WRONG_SCOPE")
    await refused(tag(organiser, match_id, seat, "x"), "WRONG_SCOPE")
    await refused(tag(organiser, match_id, "", "x"), "TOKEN_MISSING")
    await refused(tag(organiser, "nowhere", ann.token, "x"), "MATCH_NOT_FOUND")
    for tags, words in (
        ([f"tag {number}" for number in range(17)], "at most 16"),
        (["x" * 65], "at most 64"),
        ([""], "empty"),
        (["two\nlines"], "cannot be shown"),
        (["zero\u200bwidth"], "cannot be shown"),
        (["e\u0301"], "normal form C"),
    ):
        await refused(tag(organiser, match_id, ann.token, *tags), "MALFORMED", words)
    hidden = await organiser.match(ann.bot, other.bot, clock=PATIENT, hidden=True)
    await refused(tag(organiser, hidden, ann.token, "x"), "MATCH_HIDDEN")
    mine, open_seat = matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())
    create = matches_pb2.CreateMatchRequest(game="naga", seats=[mine, open_seat])
    made = await organiser.matches.CreateMatch(create, metadata=bearer(ann.bot.token))
    await refused(tag(organiser, made.match.header.match_id, ann.token, "x"), "MATCH_OPEN")
    for metadata, reason in (((), "TOKEN_MISSING"), (organiser.metadata, "WRONG_SCOPE"), (bearer(seat), "WRONG_SCOPE")):
        asked = organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(tag="x"), metadata=metadata)
        await refused(asked, reason, "tag")
    assert {key for key in store.everything() if b"{fudaba:tags}" in key} == with_tags
    longest = sorted(f"{number:02}" + "札" * 62 for number in range(16))
    assert await tag(organiser, match_id, ann.token, *longest) == longest


async def test_a_bot_without_an_account_has_tags_of_its_own_and_a_deleted_account_leaves_none(
    organiser: Organiser, store: StoreView
) -> None:
    ann, loner = await author(organiser), await organiser.entrant()
    match_id = await organiser.match(ann.bot, loner)
    assert await tag(organiser, match_id, loner.token, "alone") == ["alone"]
    assert await tag(organiser, match_id, ann.token, "both") == ["both"]
    assert await seen(organiser, match_id, loner.token) == ["alone"]
    delete = accounts_pb2.DeleteAccountRequest(account=ann.name)
    await organiser.accounts.DeleteAccount(delete, metadata=ann.metadata)
    kept = {key: value for key, value in store.everything().items() if b"{fudaba:tags}" in key}
    assert not [key for key in kept if ann.name.encode() in key]
    assert not any(b"both" in str(value).encode() for value in kept.values())
    assert await seen(organiser, match_id, loner.token) == ["alone"]


async def test_an_account_tags_so_many_matches_and_may_tag_another_one_when_it_has_untagged_one(
    organiser: Organiser, store: StoreView
) -> None:
    ann, other = await author(organiser), await author(organiser)
    first, second = [await organiser.match(ann.bot, other.bot) for _ in range(2)]
    await tag(organiser, first, ann.token, "x")
    owner = tags_of_account(ann.name)
    store.client.sadd(keys.tagged(owner), *[f"another-{number}" for number in range(1999)])
    message = await refused(tag(organiser, second, ann.token, "y"), "QUOTA_EXCEEDED", "2000 tagged matches", ann.name)
    assert "take the tags off another match" in message
    assert await tag(organiser, first, ann.token, "z") == ["z"]
    await tag(organiser, first, ann.token)
    assert await tag(organiser, second, ann.token, "y") == ["y"]
    await tag(organiser, second, other.token, "y")


async def test_tags_go_with_the_record_and_come_back_with_no_other_match(folder: Path) -> None:
    async with keeping(folder, "--keep-records", "1") as (service, organiser):
        ann, other = await author(organiser), await author(organiser)
        first = await ended(organiser, ann.bot, other.bot)
        await tag(organiser, first, ann.token, "x")
        second = await ended(organiser, ann.bot, other.bot)
        await tag(organiser, second, ann.token, "x")
        await none_listed(organiser, first)
        store = StoreView(f"unix://{service.data}/store/valkey.sock")
        assert not [
            stored_entry
            for stored_entry in store.everything().items()
            if b"{fudaba:tags}" in stored_entry[0] and first in str(stored_entry)
        ]
        store.client.close()
        await refused(tag(organiser, first, ann.token, "x"), "MATCH_EXPIRED")
        assert await listed(organiser, bearer(ann.token), tag="x") == [second]


async def test_replicas_show_each_others_tags_at_once(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as here, Organiser(two.address, first.token) as there:
            ann, other = await author(here), await author(here)
            live = await here.match(ann.bot, other.bot, clock=PATIENT)
            over = await ended(here, ann.bot, other.bot)
            for number, match_id in enumerate((live, over)):
                assert await tag(here, match_id, ann.token, "one") == ["one"]
                assert await seen(there, match_id, ann.token) == ["one"]
                assert await tag(there, match_id, ann.token, "two") == ["two"]
                assert await seen(here, match_id, ann.token) == ["two"]
                for at in (here, there):
                    assert len(await listed(at, bearer(ann.token), tag="two")) == number + 1
                    assert await listed(at, bearer(ann.token), tag="one") == []


async def test_tags_are_there_when_the_service_was_killed_and_has_begun_again(folder: Path) -> None:
    with Service(folder, "--appendfsync", "always") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            ann, other = await author(organiser), await author(organiser)
            match_id = await ended(organiser, ann.bot, other.bot)
            await tag(organiser, match_id, ann.token, "kept")
        service.kill()
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            assert await seen(organiser, match_id, ann.token) == ["kept"]
