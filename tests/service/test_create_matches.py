"""CreateMatches: each of many matches is created, found again or refused by itself, as by a call of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from fudaba.v1 import game_pb2, matches_pb2, record_pb2
from fudaba_service.api import quota
from tests.support.service.bots import Stream, bearer
from tests.support.service.organiser import (
    PATIENT,
    Entrant,
    Organiser,
    StoreView,
    nothing_changes,
    refused,
    request_for,
)

MAX_MATCHES_PER_CALL = 100
SEAT = matches_pb2.Seat


async def create(
    organiser: Organiser, requests: Iterable[matches_pb2.CreateMatchRequest], by: Entrant | None = None
) -> Sequence[Any]:
    """Returns what comes of each request."""
    metadata = organiser.metadata if by is None else bearer(by.token)
    message = matches_pb2.CreateMatchesRequest(requests=requests)
    return (await organiser.matches.CreateMatches(message, metadata=metadata)).results  # type: ignore[no-any-return]


def answers(results: Iterable[matches_pb2.CreateMatchesResult]) -> list[str]:
    """Of each request the match's id, or the reason why there is none."""
    return [result.refusal.reason or result.created.match.header.match_id for result in results]


def ids(pair: tuple[Entrant, Entrant], count: int) -> list[str]:
    return [f"{pair[0].name}.{number}" for number in range(count)]


async def test_every_match_is_there_in_the_order_of_the_requests_and_its_bots_are_told(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    wanted = ids(pair, MAX_MATCHES_PER_CALL)
    async with Stream(organiser.address, pair[1].token) as stream:
        await stream.hello()
        results = await create(organiser, [request_for(*pair, match_id=match_id) for match_id in wanted])
        assert answers(results) == wanted
        seated = {(await stream.update()).match_id for _ in wanted}
        assert seated == set(wanted)
    for result in results[::30]:
        assert result.created.match.header == (await organiser.get(result.created.match.header.match_id)).header


async def test_what_is_told_of_a_new_match_is_what_is_told_of_it_later(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    request, other = request_for(*pair, hidden=True, label="x"), request_for(pair[0])
    del other.players[:]
    other.seats.extend([SEAT(bot=record_pb2.Player(bot=pair[0].name)), SEAT(invitation=SEAT.Invitation())])
    house = matches_pb2.CreateMatchRequest(
        game="naga", seats=[other.seats[0], SEAT(house_bot="house-first")], clock=PATIENT
    )
    results = await create(organiser, [request, other, house])
    for result in results:
        match = result.created.match
        assert await organiser.get(match.header.match_id) == match
    assert [len(result.created.invitation_codes) for result in results] == [0, 1, 0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [0, MAX_MATCHES_PER_CALL + 1])
async def test_no_requests_and_too_many_are_refused_and_none_of_them_counts(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant], count: int
) -> None:
    with nothing_changes(store):
        words = f"requests has {count} entries", f"1 to {MAX_MATCHES_PER_CALL}"
        await refused(create(organiser, [request_for(*pair)] * count), "MALFORMED", *words)


async def test_one_that_is_refused_keeps_none_of_the_others_from_being_created(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    good = ids(pair, 3)
    bad = {
        "BAD_PLAYERS": request_for(pair[0]),
        "BOT_NOT_FOUND": request_for(pair[0], pair[1]._replace(name="nobody")),
        "BAD_OPTION": request_for(*pair, options={"deals": game_pb2.OptionValue(number=-1)}),
        "GAME_NOT_FOUND": request_for(*pair, game="chess"),
        "MALFORMED": request_for(*pair, label="\0"),
    }
    requests = [request_for(*pair, match_id=match_id) for match_id in good]
    results = await create(organiser, [requests[0], *bad.values(), matches_pb2.CreateMatchRequest(), *requests[1:]])
    assert answers(results) == [good[0], *bad, "GAME_NOT_FOUND", *good[1:]]
    for (reason, request), result in zip(bad.items(), results[1:], strict=False):
        call = organiser.matches.CreateMatch(request, metadata=organiser.metadata)
        assert await refused(call, reason) == result.refusal.message
        assert result.refusal.code > 0
    assert not results[0].HasField("refusal")


async def test_a_repeated_call_creates_nothing_twice_and_one_with_other_content_is_refused(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    wanted = ids(pair, 12)
    requests = [request_for(*pair, match_id=match_id) for match_id in wanted]
    first = await create(organiser, requests)
    there = {name.partition(":")[0] for name in store.matches}
    assert list(await create(organiser, requests)) == list(first)
    with nothing_changes(store):
        requests[5].label = "another"
        assert answers(await create(organiser, requests)) == [*wanted[:5], "MATCH_EXISTS", *wanted[6:]]
    assert {name.partition(":")[0] for name in store.matches} == there
    assert answers(await create(organiser, requests[:1] * 2)) == wanted[:1] * 2


async def test_of_two_requests_of_a_call_with_one_id_the_first_creates_the_match(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    [match_id] = ids(pair, 1)
    same, other = request_for(*pair, match_id=match_id), request_for(*pair, match_id=match_id, label="another")
    assert answers(await create(organiser, [same, same, other, same])) == [match_id, match_id, "MATCH_EXISTS", match_id]


async def test_a_bot_gets_as_many_as_its_quota_allows_and_is_told_which(organiser: Organiser) -> None:
    maker = await organiser.entrant()
    seats = [SEAT(caller=SEAT.Caller()), SEAT(open=SEAT.Open())]
    wanted = [f"{maker.name}.{number}" for number in range(quota.MAX_CREATED_MATCHES + 2)]
    requests = [matches_pb2.CreateMatchRequest(game="naga", seats=seats, match_id=match_id) for match_id in wanted]
    strange = matches_pb2.CreateMatchRequest(game="naga", seats=seats, match_id="mine.1")
    results = await create(organiser, [strange, *requests, requests[0]], maker)
    made = wanted[: quota.MAX_CREATED_MATCHES]
    assert answers(results) == ["ORGANISER_ONLY", *made, "TOO_MANY_MATCHES", "TOO_MANY_MATCHES", made[0]]
