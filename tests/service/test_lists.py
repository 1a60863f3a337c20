"""Lists of matches go over all that is kept, by bot, account, label and time; nobody finds what is kept from them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.in_progress import started
from tests.support.service.lists import ANYBODY, ended, listed, record_of
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, refused
from tests.support.service.processes import RedisServer


async def test_matches_are_found_by_label_and_time_live_or_archived(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    label = f"season {secrets.token_hex(4)}"
    made = []
    for number in range(6):
        match_id = await (ended if number % 2 else Organiser.match)(organiser, *pair, label=label)
        made.append(match_id)
        if number % 2:
            await store.forgets(match_id)
        await asyncio.sleep(0.002)
    await organiser.match(*pair, label="another")
    newest_first = made[::-1]
    times: list[Timestamp] = [(await organiser.get(match_id)).header.create_time for match_id in made]
    just_after = Timestamp(seconds=times[4].seconds, nanos=times[4].nanos + 1)
    for size in (1, 2, 100):
        assert await listed(organiser, size=size, label=label) == newest_first
        assert await listed(organiser, size=size, label=label, since=times[1], before=times[4]) == made[3:0:-1]
        assert await listed(organiser, size=size, bot=pair[0].name, before=just_after) == made[4::-1]
        assert await listed(organiser, size=size, label=label, since=just_after) == [made[5]]
    aborted = matches_pb2.MATCH_STATE_ABORTED
    assert await listed(organiser, label=label, state=aborted, game="naga") == made[5::-2]
    assert await listed(organiser, label=label, game="namto") == []
    for name in ("since", "before"):
        wrong: Any = {name: Timestamp(seconds=10**17)}
        await refused(organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(**wrong)), "MALFORMED", name)


async def test_an_account_lists_the_matches_of_its_bots_and_nobody_those_of_another_one(organiser: Organiser) -> None:
    tokens, entrants = {}, []
    for name in (f"list-{secrets.token_hex(4)}" for _ in range(2)):
        request = accounts_pb2.CreateAccountRequest(name=name)
        author = bearer((await organiser.accounts.CreateAccount(request, metadata=organiser.metadata)).token)
        tokens[name] = author
        await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-bot"), metadata=author)
        made = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=f"{name}-bot"), metadata=author)
        entrants.append(Entrant(f"{name}-bot", made.token))
    owner, other = tokens
    outsider = await organiser.entrant()
    first = await ended(organiser, entrants[0], outsider)
    second = await organiser.match(*entrants)
    for metadata in (tokens[owner], organiser.metadata, bearer(entrants[0].token)):
        assert await listed(organiser, metadata, account=owner) == [second, first]
    assert await listed(organiser, tokens[other], account=other) == [second]
    assert await listed(organiser, tokens[owner], account=owner, bot=outsider.name) == []
    wanted = matches_pb2.ListMatchesRequest(account=owner)
    for theirs in (tokens[other], bearer(outsider.token), bearer(entrants[1].token)):
        await refused(organiser.matches.ListMatches(wanted, metadata=theirs), "NOT_YOURS", "list by `bot`")
    await refused(organiser.matches.ListMatches(wanted), "TOKEN_MISSING", "account")


async def test_the_label_of_a_hidden_match_finds_it_for_the_organiser_alone(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    label = f"block {secrets.token_hex(4)}"
    over = await ended(organiser, *pair, label=label, hidden=True)
    await store.forgets(over)
    live = await organiser.match(*pair, label=label, hidden=True)
    assert await listed(organiser, organiser.metadata, label=label) == [live, over]
    for metadata in (ANYBODY, bearer(pair[0].token)):
        page = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(label=label), metadata=metadata)
        assert page == matches_pb2.ListMatchesResponse()
        assert await listed(organiser, metadata, bot=pair[0].name) == [live, over]
    shown = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(bot=pair[0].name))
    assert all(match.hidden and not match.header.label and not match.HasField("end") for match in shown.matches)
    release = matches_pb2.ReleaseMatchesRequest(match_ids=[live, over])
    await organiser.matches.ReleaseMatches(release, metadata=organiser.metadata)
    assert await listed(organiser, label=label) == [live, over]


async def test_who_dies_between_a_record_and_its_entry_in_the_index_leaves_it_to_be_made(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            first = await ended(organiser, *pair)
            store = StoreView(f"unix://{service.data}/store/valkey.sock")
            await store.forgets(first)
            [month] = (service.data / "archive" / "index").glob("*.sqlite")
            with contextlib.closing(sqlite3.connect(month, isolation_level=None)) as held:
                held.execute("BEGIN EXCLUSIVE")  # nobody else can write an entry
                second = await ended(organiser, *pair)
                await until(lambda: record_of(service, second), "the record")
                service.kill()
            store.client.close()
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            store = StoreView(f"unix://{service.data}/store/valkey.sock")
            assert await listed(organiser) == [second, first]
            assert (await organiser.get(second)).state == matches_pb2.MATCH_STATE_ABORTED
            await store.forgets(second)
            store.client.close()
            assert await listed(organiser) == [second, first]


@pytest.mark.exhaustive
async def test_replicas_list_each_others_matches_and_an_index_that_is_gone_is_made_anew(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as organiser, Organiser(two.address, first.token) as there:
            pair = await organiser.entrant(), await organiser.entrant()
            made = await asyncio.gather(
                *[ended(at, *pair, clock=PATIENT) for at in (organiser, there) for _ in range(10)]
            )
            await until(lambda: all(record_of(first, match_id) for match_id in made), "all records")
            for at in (organiser, there):
                assert set(await listed(at, size=3)) == set(made)
        two.signal(signal.SIGTERM)
        assert two.wait() == 0
        assert first.terminate() == 0
        for path in (first.data / "archive" / "index").iterdir():
            path.unlink()
        first.start()
        async with Organiser(first.address, first.token) as organiser:
            await until((first.data / "archive" / "index" / "whole").exists, "a whole index")
            assert set(await listed(organiser, size=7)) == set(made)
