"""CreateMatch asked again under an id: the same request gives the same match, any other one is refused."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from fudaba.v1 import game_pb2, matches_pb2, record_pb2
from fudaba_service.store import match_keys
from tests.support.patience import until
from tests.support.service.bots import bearer, play_match
from tests.support.service.organiser import QUICK, Entrant, Organiser, StoreView, nothing_changes, refused

SEAT = matches_pb2.Seat
ME = SEAT(caller=SEAT.Caller())
INVITED = SEAT(invitation=SEAT.Invitation())
OPEN = SEAT(open=SEAT.Open())
HOUSE = SEAT(house_bot="house-sensible")
CLOCK = record_pb2.Clock(move_ms=20_001, max_timeouts=3, max_illegal=10)


def asks(match_id: str, *seats: matches_pb2.Seat, **fields: Any) -> matches_pb2.CreateMatchRequest:
    """Asks for a match of Naga."""
    fields = {"clock": QUICK} | fields
    return matches_pb2.CreateMatchRequest(game="naga", match_id=match_id, seats=seats, **fields)


def others(match_id: str, mine: matches_pb2.Seat) -> list[matches_pb2.CreateMatchRequest]:
    """Requests that are not for the open match `asks(match_id, mine, OPEN, label="x")`."""
    return [
        asks(match_id, mine, INVITED, label="x"),
        asks(match_id, mine, HOUSE, label="x"),
        asks(match_id, OPEN, mine, label="x"),
        asks(match_id, mine, OPEN, label="y"),
        asks(match_id, mine, OPEN),
        asks(match_id, mine, OPEN, label="x", join_ms=60_000),
        asks(match_id, mine, OPEN, label="x", clock=CLOCK),
        asks(match_id, mine, OPEN, label="x", clock=None),
        asks(match_id, mine, OPEN, label="x", options={"deals": game_pb2.OptionValue(number=2)}),
    ]


def is_ready(store: StoreView, match_id: str) -> bool:
    """Returns whether a bot of a match has come."""
    return len(store.log(match_id)) > 0


async def check_known(
    organiser: Organiser, store: StoreView, first: matches_pb2.CreateMatchRequest, by: Any
) -> matches_pb2.CreateMatchResponse:
    """The first request gives its match again, whatever has become of it; no other request does."""
    with nothing_changes(store):
        again = await organiser.matches.CreateMatch(first, metadata=by)
        for other in others(first.match_id, first.seats[0]):
            await refused(organiser.matches.CreateMatch(other, metadata=by), "MATCH_EXISTS", "choose another id")
    assert again.match.header.match_id == first.match_id
    return again  # type: ignore[no-any-return]


async def test_only_the_same_request_gives_an_open_match_again_while_it_is_open_begun_over_and_archived(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    by = bearer(pair[0].token)
    first = asks(f"{pair[0].name}.a", ME, OPEN, label="x")
    made = await organiser.matches.CreateMatch(first, metadata=by)
    assert await check_known(organiser, store, first, by) == made
    hour = asks(first.match_id, ME, OPEN, label="x", join_ms=3_600_000)
    assert await organiser.matches.CreateMatch(hour, metadata=by) == made, "no join_ms means an hour"
    request = matches_pb2.JoinMatchRequest(match_id=first.match_id)
    await organiser.matches.JoinMatch(request, metadata=bearer(pair[1].token))
    begun = await check_known(organiser, store, first, by)
    assert begun.match.state == matches_pb2.MATCH_STATE_WAITING
    await play_match(*organiser.by_chance(*pair))
    await organiser.ended(first.match_id)
    await store.forgets(first.match_id)
    archived = await check_known(organiser, store, first, by)
    assert archived.match.state == matches_pb2.MATCH_STATE_FINISHED


async def test_an_open_match_that_was_given_up_stays_the_one_that_was_asked_for(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    by = bearer(pair[0].token)
    first = asks(f"{pair[0].name}.a", ME, OPEN, label="x")
    await organiser.matches.CreateMatch(first, metadata=by)
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=first.match_id), metadata=by)
    given_up = await check_known(organiser, store, first, by)
    assert given_up.match.state == matches_pb2.MATCH_STATE_ABORTED


async def test_the_same_match_in_other_words_is_the_same_request(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    by = bearer(pair[0].token)
    default = {"first_dealer": game_pb2.OptionValue(number=0), "deals": game_pb2.OptionValue(number=1)}
    mine = record_pb2.Player(bot=pair[0].name)
    clock = record_pb2.Clock(move_ms=10_000, bank_ms=60_000, max_timeouts=3, max_illegal=10)
    words: list[dict[str, Any]] = [
        {"seats": [ME, HOUSE], "clock": None},
        {"seats": [ME, HOUSE], "clock": clock},
        {"seats": [ME, HOUSE], "clock": None, "options": default},
        {"seats": [ME, HOUSE], "clock": None, "options": {"deals": default["deals"]}},
        {"seats": [SEAT(bot=mine), HOUSE], "clock": None},
        {"seats": [SEAT(bot=record_pb2.Player(bot=mine.bot, version=pair[0].version)), HOUSE], "clock": None},
        {"seats": [ME, HOUSE], "clock": None, "join_ms": 5_000},  # for which there is no seat
    ]
    for number, first in enumerate(words):
        match_id = f"{pair[0].name}.{number}"
        requests = [
            matches_pb2.CreateMatchRequest(game="naga", match_id=match_id, **fields) for fields in [first, *words]
        ]
        made = await organiser.matches.CreateMatch(requests[0], metadata=by)
        await until(partial(is_ready, store, match_id), "the house bot is ready")
        with nothing_changes(store):
            for request in requests[1:]:
                again = await organiser.matches.CreateMatch(request, metadata=by)
                assert again.match.header == made.match.header
        other = asks(match_id, ME, HOUSE, clock=None, options={"deals": game_pb2.OptionValue(number=2)})
        await refused(organiser.matches.CreateMatch(other, metadata=by), "MATCH_EXISTS")


async def test_an_option_that_is_not_the_default_is_the_same_in_one_form_only(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    by = bearer(pair[0].token)
    first = asks(f"{pair[0].name}.a", ME, OPEN, options={"first_dealer": game_pb2.OptionValue(number=1)})
    await organiser.matches.CreateMatch(first, metadata=by)
    await organiser.matches.CreateMatch(first, metadata=by)
    default = asks(first.match_id, ME, OPEN, options={"first_dealer": game_pb2.OptionValue(number=0)})
    for other in (default, asks(first.match_id, ME, OPEN)):
        await refused(organiser.matches.CreateMatch(other, metadata=by), "MATCH_EXISTS")


@pytest.mark.parametrize("field", [{"hidden": True}, {"seed": b"s" * 32}], ids=str)
async def test_what_no_header_tells_is_compared_too(
    organiser: Organiser, pair: tuple[Entrant, Entrant], field: dict[str, Any]
) -> None:
    seats = [SEAT(bot=record_pb2.Player(bot=entrant.name)) for entrant in pair]
    for number, (given, other) in enumerate([({}, field), (field, {})]):
        match_id = f"cup-{pair[0].name}-{number}"
        await organiser.matches.CreateMatch(asks(match_id, *seats, **given), metadata=organiser.metadata)
        await organiser.matches.CreateMatch(asks(match_id, *seats, **given), metadata=organiser.metadata)
        call = organiser.matches.CreateMatch(asks(match_id, *seats, **other), metadata=organiser.metadata)
        await refused(call, "MATCH_EXISTS", match_id)


async def test_another_caller_does_not_ask_for_the_same(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    mine = SEAT(bot=record_pb2.Player(bot=pair[0].name))
    request = asks(f"{pair[0].name}.a", mine, OPEN)
    await organiser.matches.CreateMatch(request, metadata=bearer(pair[0].token))
    await refused(organiser.matches.CreateMatch(request, metadata=organiser.metadata), "MATCH_EXISTS")


async def test_the_version_that_was_current_then_is_the_one_that_was_asked_for(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    from fudaba.v1 import bots_pb2

    request = asks(f"cup-{pair[0].name}", *[SEAT(bot=record_pb2.Player(bot=e.name)) for e in pair])
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    version = bots_pb2.CreateVersionRequest(bot=pair[0].name, version="2")
    await organiser.bots.CreateVersion(version, metadata=organiser.metadata)
    assert await organiser.matches.CreateMatch(request, metadata=organiser.metadata) == made
    as_players = matches_pb2.CreateMatchRequest(
        game="naga", match_id=request.match_id, clock=QUICK, players=[seat.bot for seat in request.seats]
    )
    assert await organiser.matches.CreateMatch(as_players, metadata=organiser.metadata) == made
    named = [record_pb2.Player(bot=entrant.name, version=entrant.version) for entrant in pair]
    as_named = asks(request.match_id, *[SEAT(bot=player) for player in named])
    assert await organiser.matches.CreateMatch(as_named, metadata=organiser.metadata) == made
    newer = asks(request.match_id, SEAT(bot=record_pb2.Player(bot=named[0].bot, version="2")), SEAT(bot=named[1]))
    await refused(organiser.matches.CreateMatch(newer, metadata=organiser.metadata), "MATCH_EXISTS")


async def test_long_after_its_end_a_match_is_compared_as_far_as_its_record_tells(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    by = bearer(pair[0].token)
    first = asks(f"{pair[0].name}.a", ME, OPEN, label="x")
    await organiser.matches.CreateMatch(first, metadata=by)
    request = matches_pb2.JoinMatchRequest(match_id=first.match_id)
    await organiser.matches.JoinMatch(request, metadata=bearer(pair[1].token))
    await play_match(*organiser.by_chance(*pair))
    await organiser.ended(first.match_id)
    await store.forgets(first.match_id)
    assert store.client.delete(match_keys(first.match_id).gone) == 1  # as it goes after an hour
    again = await organiser.matches.CreateMatch(first, metadata=by)
    assert again.match.state == matches_pb2.MATCH_STATE_FINISHED
    for other in others(first.match_id, ME)[1:]:
        if not other.join_ms:
            await refused(organiser.matches.CreateMatch(other, metadata=by), "MATCH_EXISTS")
    seats = [SEAT(bot=record_pb2.Player(bot=e.name)) for e in pair[::-1]]
    turned = asks(first.match_id, *seats, label="x")
    await refused(organiser.matches.CreateMatch(turned, metadata=organiser.metadata), "MATCH_EXISTS")
