"""Many records come in one stream, from where it was lost; nobody gets one that GetRecord would not give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.api import record_stream
from fudaba_service.api.paying import CallPayer
from fudaba_service.archive import IndexQuery
from fudaba_serving.grpc.rate_limit import Callers
from tests.support.folders import short_folder
from tests.support.service.lists import ANYBODY, ended
from tests.support.service.organiser import Entrant, Organiser, StoreView, refused
from tests.support.service.processes import Service
from tests.support.service.rate_limits import Allowed, Counted

_RECORDS_PER_CALL = 3
"""The number of records that a call sends here."""


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service whose calls send few records each."""
    sizes = f"r._MAX_RECORDS_PER_CALL, r._MATCHES_PER_PAGE = {_RECORDS_PER_CALL}, 2"
    first = f"from fudaba_service.api import record_stream as r; {sizes}"
    with short_folder() as place, Service(place) as running:
        yield running.start(first=first)
        assert running.terminate() == 0, running.log


async def sent(
    organiser: Organiser, metadata: Any = ANYBODY, **fields: Any
) -> list[tuple[record_pb2.MatchRecord, str]]:
    """Returns the records of one call, each with the token behind it."""
    call = organiser.matches.StreamRecords(matches_pb2.StreamRecordsRequest(**fields), metadata=metadata)
    return [(response.record, response.next_page_token) async for response in call]


async def all_sent(organiser: Organiser, metadata: Any = ANYBODY, token: str = "", **fields: Any) -> list[str]:
    """Returns the ids of the records of as many calls as it takes."""
    found: list[str] = []
    while records := await sent(organiser, metadata, page_token=token, **fields):
        found += [record.header.match_id for record, _ in records]
        token = records[-1][1]
        if not token:
            break
    return found


@pytest.mark.exhaustive
async def test_all_records_that_are_wanted_come_in_as_many_calls_as_it_takes(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    made = [await ended(organiser, *pair, label="streamed") for _ in range(2 * _RECORDS_PER_CALL + 1)]
    for match_id in made:
        await store.forgets(match_id)
    live = await organiser.match(*pair, label="streamed")
    newest_first = made[::-1]
    first = await sent(organiser, label="streamed")
    assert [record.header.match_id for record, _ in first] == newest_first[:_RECORDS_PER_CALL]
    assert [record for record, _ in first] == [await organiser.record(m) for m in newest_first[:_RECORDS_PER_CALL]]
    assert await all_sent(organiser, bot=pair[0].name) == newest_first
    for number, (_, token) in enumerate(first, 1):  # as after a connection that was lost there
        assert await all_sent(organiser, label="streamed", token=token) == newest_first[number:]
    since = (await organiser.get(made[3])).header.create_time
    assert await all_sent(organiser, label="streamed", since=since) == made[:2:-1]
    named = [made[4], live, made[0]]
    assert await all_sent(organiser, match_ids=["nobody"]) == []
    assert await all_sent(organiser, match_ids=named) == [made[4], made[0]]


async def test_hidden_records_are_for_the_organiser_alone(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    over = await ended(organiser, *pair, hidden=True)
    shown = await ended(organiser, *pair)
    for match_id in (over, shown):
        await store.forgets(match_id)
    for fields in ({"bot": pair[0].name}, {"match_ids": [shown, over]}):
        assert await all_sent(organiser, **fields) == [shown]
        assert await all_sent(organiser, organiser.metadata, **fields) == [shown, over]


async def test_a_record_that_is_damaged_is_left_out_and_ends_nothing(
    service: Service, organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    made = [await ended(organiser, *pair) for _ in range(3)]
    for match_id in made:
        await store.forgets(match_id)
    [path] = (service.data / "archive").glob(f"*/{made[1]}.fudaba")
    path.write_bytes(b"rubbish")
    assert await all_sent(organiser, bot=pair[0].name) == [made[2], made[0]]
    assert await all_sent(organiser, match_ids=made) == [made[0], made[2]]
    assert f"left out of many: the record of match {made[1]}" in service.log


async def test_what_is_no_request_for_records_is_refused(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    for _ in range(2):
        await organiser.match(*pair)
    for words, fields in (
        ("match_ids has 4 entries", {"match_ids": ["a", "b", "c", "d"]}),
        ("no other field", {"match_ids": ["a"], "bot": "b"}),
        ("page_token", {"page_token": "garbage"}),
        ("see the enum", {"state": 77}),
    ):
        await refused(sent(organiser, **fields), "MALFORMED", words)
    listing = matches_pb2.ListMatchesRequest(page_size=1)
    token = (await organiser.matches.ListMatches(listing)).next_page_token
    await refused(sent(organiser, page_token=token), "MALFORMED", "list of records")
    await refused(sent(organiser, account="theirs"), "TOKEN_MISSING", "account")


async def test_a_call_pays_for_what_it_leaves_out_beyond_what_it_may_send() -> None:
    places = [*[f"place {number}" for number in range(12)], ""]
    callers = Callers(Allowed(), Counted())

    class Listing:
        async def page(self, *_: object) -> tuple[list[matches_pb2.Match], str]:
            return [], places.pop(0)

    host: Any = SimpleNamespace(listing=Listing())
    nobody: Any = None
    with callers.call("", "10.0.0.1") as caller:
        assert caller is not None
        left = caller.credit.left
        stream = record_stream.RecordStream(host, nobody, CallPayer(callers, caller))
        assert [response async for response in stream.wanted(IndexQuery(), "", "~")] == []
        assert caller.credit.left == left - 3 * 20, "ten pages come with the call"


def test_the_contract_says_how_many_records_a_call_sends() -> None:
    contract = (Path(__file__).resolve().parents[2] / "proto/fudaba/v1/matches.proto").read_text(encoding="utf-8")
    assert f"A call sends at most {record_stream._MAX_RECORDS_PER_CALL}:" in " ".join(contract.split())
