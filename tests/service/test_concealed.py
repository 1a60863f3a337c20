"""A concealed match: until it is released, nobody but the organiser and its players finds it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.patience import PATIENCE
from tests.support.service.bots import bearer, messages, play_match, reason_of
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.processes import Service

CONCEALED: dict[str, Any] = {"hidden": True, "concealed": True}
GIVEN_UP = record_pb2.Clock(move_ms=1, start_ms=1)
"""The clock of a match that is over at once, since nobody connects."""


def calls_about(organiser: Organiser, match_id: str, token: str) -> dict[str, Callable[[], Awaitable[object]]]:
    """Returns the calls by which who has this token may ask about a match, by their methods."""
    metadata = bearer(token) if token else ()
    asked: dict[str, Any] = {
        "GetMatch": matches_pb2.GetMatchRequest(match_id=match_id),
        "AwaitMatch": matches_pb2.AwaitMatchRequest(match_id=match_id),
        "GetRecord": matches_pb2.GetRecordRequest(match_id=match_id),
        "TryMoves": matches_pb2.TryMovesRequest(match_id=match_id),
    }
    if token:
        asked["JoinMatch"] = matches_pb2.JoinMatchRequest(match_id=match_id)
        asked["ResignMatch"] = matches_pb2.ResignMatchRequest(match_id=match_id)
        asked["GetNotes"] = matches_pb2.GetNotesRequest(match_id=match_id)
        asked["SetMatchTags"] = matches_pb2.SetMatchTagsRequest(match_id=match_id, tags=["mine"])

    def calling(method: str, request: Any) -> Callable[[], Awaitable[object]]:
        return lambda: getattr(organiser.matches, method)(request, metadata=metadata)

    calls = {method: calling(method, request) for method, request in asked.items()}
    for method, stream in {
        "WatchMatch": matches_pb2.WatchMatchRequest(match_id=match_id),
        "StreamPositions": matches_pb2.StreamPositionsRequest(match_id=match_id),
    }.items():
        calls[method] = lambda method=method, stream=stream: anext(  # type: ignore[misc]  # bound for this turn
            aiter(getattr(organiser.matches, method)(stream, metadata=metadata))
        )
    if token:
        seat = play_pb2.WatchSeatRequest(match_id=match_id)
        calls["WatchSeat"] = lambda: anext(messages(organiser.play.WatchSeat(seat, metadata=metadata)))
    return calls


async def answers_about(organiser: Organiser, match_id: str, token: str) -> dict[str, str]:
    """Returns how each of these calls is answered, without the match's id."""
    answers = {}
    for method, call in calls_about(organiser, match_id, token).items():
        try:
            answers[method] = str(await call())
        except aio.AioRpcError as error:
            answers[method] = f"{reason_of(error)}: {(error.details() or '').replace(match_id, 'ID')}"
    return answers


async def listed(organiser: Organiser, token: str, **fields: Any) -> tuple[list[str], str]:
    """Returns the ids of a list's first page, and the token of the next."""
    metadata = bearer(token) if token else ()
    page = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(**fields), metadata=metadata)
    return [match.header.match_id for match in page.matches], page.next_page_token


async def test_others_are_told_of_a_concealed_match_what_they_are_told_of_none(organiser: Organiser) -> None:
    own, other, third = [await organiser.entrant() for _ in range(3)]
    match_id = await organiser.match(own, other, **CONCEALED)
    for over in (False, True):
        if over:
            await play_match(*organiser.by_chance(own, other))
            await organiser.ended(match_id)
        for token in (third.token, ""):
            assert await answers_about(organiser, match_id, token) == await answers_about(
                organiser, "m-of-nobody", token
            )
            for bot in ("", own.name):
                assert match_id not in (await listed(organiser, token, bot=bot))[0]


async def test_a_concealed_match_is_found_by_its_players_and_once_it_is_released_by_everybody(
    organiser: Organiser,
) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(own, other, **CONCEALED)

    async def found(caller: Entrant | None) -> list[str]:
        return (await listed(organiser, caller.token if caller else "", bot=own.name))[0]

    assert [await found(caller) for caller in (own, other, None)] == [[match_id], [match_id], []]
    await play_match(*organiser.by_chance(own, other))
    await organiser.ended(match_id)
    assert [await found(caller) for caller in (own, other, None)] == [[match_id], [match_id], []]
    asked = matches_pb2.GetMatchRequest(match_id=match_id)
    seen = (await organiser.matches.GetMatch(asked, metadata=bearer(own.token))).match
    assert (seen.hidden, seen.header.unlisted, seen.HasField("end")) == (True, True, False)
    release = matches_pb2.ReleaseMatchesRequest(match_ids=[match_id])
    await organiser.matches.ReleaseMatches(release, metadata=organiser.metadata)
    assert [await found(caller) for caller in (own, other, None)] == [[match_id]] * 3
    shown = (await organiser.matches.GetMatch(asked)).match
    assert (shown.hidden, shown.header.unlisted, shown.HasField("end")) == (False, False, True)


async def test_no_page_of_a_list_tells_that_a_bot_has_played_a_concealed_match(folder: Path) -> None:
    """On a service of its own: a page has a next one while any match is live, or not archived yet."""
    with Service(folder) as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser, asyncio.timeout(PATIENCE):
            own, other = await organiser.entrant(), await organiser.entrant()
            for fields in (CONCEALED, {}, CONCEALED):
                await organiser.ended(await organiser.match(own, other, clock=GIVEN_UP, **fields))
            ids, following = await listed(organiser, "", bot=own.name, page_size=1)
            while following:
                await asyncio.sleep(0.1)
                ids, following = await listed(organiser, "", bot=own.name, page_size=1)
            assert len(ids) == 1


async def test_a_request_that_is_repeated_finds_its_match_whether_or_not_it_is_to_be_concealed(
    organiser: Organiser,
) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    await organiser.match(own, other, match_id="m-told-twice", hidden=True)
    assert await organiser.match(own, other, match_id="m-told-twice", **CONCEALED) == "m-told-twice"
    asked = matches_pb2.GetMatchRequest(match_id="m-told-twice")
    assert (await organiser.matches.GetMatch(asked)).match.hidden


@pytest.mark.parametrize("fields", [{}, {"hidden": True, "show_delay_ms": 1000}])
async def test_a_match_that_others_see_cannot_be_concealed(organiser: Organiser, fields: dict[str, Any]) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    await refused(organiser.match(own, other, concealed=True, **fields), "MALFORMED", "concealed is set")
