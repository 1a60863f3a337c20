"""A match whose names are hidden: until it is released, nobody but the organiser learns who sits at the other seats."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.patience import PATIENCE
from tests.support.service.bots import bearer, messages, play_match
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.processes import Service

NAMELESS: dict[str, Any] = {"hidden": True, "names_hidden": True, "seed": bytes(32)}
GIVEN_UP = record_pb2.Clock(move_ms=1, start_ms=1)
"""The clock of a match that is over at once, since nobody connects."""


def names(match: matches_pb2.Match) -> list[str]:
    return [player.bot for player in match.header.players]


def but_for_chance(match_id: str, message: Any) -> str:
    """Returns a message as text, without the times, ids and digests that differ between any two matches."""
    lines = str(message).replace(match_id, "MATCH").splitlines()
    varying = ("commitment", "seconds", "nanos", "time_ms", "bank_ms", "history", "decision_id", "accepted")
    return "\n".join(line for line in lines if not line.strip().startswith(varying))


async def seen_in(organiser: Organiser, own: Entrant, other: Entrant, known: Entrant, match_id: str) -> list[str]:
    """Plays a match. Returns all that its first bot, another bot, and a caller without a token are shown of it."""
    await organiser.match(own, other, match_id=match_id, **NAMELESS)
    calls, seen = organiser.matches, []

    async def look() -> None:
        for metadata in (bearer(own.token), bearer(known.token), ()):
            got = await calls.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), metadata=metadata)
            waited = await calls.AwaitMatch(matches_pb2.AwaitMatchRequest(match_id=match_id), metadata=metadata)
            seen.extend([str(got), str(waited)])
            for bot in ("", own.name, known.name):
                request = matches_pb2.ListMatchesRequest(bot=bot, state=got.match.state)
                listed = await calls.ListMatches(request, metadata=metadata)
                of_match = [match for match in listed.matches if match.header.match_id == match_id]
                seen.append(f"found by {bot!r}: {of_match}")

    await look()
    request = play_pb2.WatchSeatRequest(match_id=match_id)
    watching = organiser.play.WatchSeat(request, metadata=bearer(own.token))
    await play_match(*organiser.by_chance(own, other))
    updates = [response.update async for response in messages(watching)]
    # How they are spread over messages depends on how fast each of them is read.
    seen.extend(str(update.started) for update in updates if update.HasField("started"))
    seen.extend(str(event) for update in updates for event in update.events)
    seen.append(str(updates[-1].over))
    await organiser.ended(match_id)
    await look()
    return [but_for_chance(match_id, text) for text in seen]


async def test_neither_a_bot_nor_an_outsider_is_shown_anything_that_depends_on_who_the_other_bot_is(
    organiser: Organiser,
) -> None:
    own, other, known = [await organiser.entrant() for _ in range(3)]
    with_other = await seen_in(organiser, own, other, known, "m-nameless-1")
    with_known = await seen_in(organiser, own, known, other, "m-nameless-2")
    assert not [text for text in with_other if other.name in text]
    # The bot that plays sees its own seat; so the third one is another in each of them.
    assert [text.replace(other.name, known.name) for text in with_known] == with_other


async def test_names_are_shown_when_the_match_is_released_and_before_that_to_their_own_bots_and_the_organiser(
    organiser: Organiser,
) -> None:
    own, other, third = [await organiser.entrant() for _ in range(3)]
    match_id = await organiser.match(own, other, **NAMELESS)
    asked = matches_pb2.GetMatchRequest(match_id=match_id)

    async def shown_to(entrant: Entrant | None) -> list[str]:
        metadata = bearer(entrant.token) if entrant else ()
        return names((await organiser.matches.GetMatch(asked, metadata=metadata)).match)

    assert [await shown_to(caller) for caller in (own, other, third, None)] == [
        [own.name, ""],
        ["", other.name],
        ["", ""],
        ["", ""],
    ]
    assert names(await organiser.get(match_id)) == [own.name, other.name]
    await play_match(*organiser.by_chance(own, other))
    await organiser.ended(match_id)
    assert await shown_to(None) == ["", ""]
    release = matches_pb2.ReleaseMatchesRequest(match_ids=[match_id])
    await organiser.matches.ReleaseMatches(release, metadata=organiser.metadata)
    assert await shown_to(None) == [own.name, other.name]
    found = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(bot=other.name))
    assert [names(match) for match in found.matches] == [[own.name, other.name]]
    assert [player.bot for player in (await organiser.record(match_id)).header.players] == [own.name, other.name]


async def test_no_page_of_a_list_tells_that_a_bot_plays_a_match_whose_names_are_hidden(folder: Path) -> None:
    """On a service of its own: a page has a next one while any match is live, or not archived yet."""
    with Service(folder) as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser, asyncio.timeout(PATIENCE):
            own, other, third = [await organiser.entrant() for _ in range(3)]
            for fields in (NAMELESS, {}):
                await organiser.ended(await organiser.match(own, other, clock=GIVEN_UP, **fields))
                await organiser.ended(await organiser.match(own, third, clock=GIVEN_UP, **fields))
            assert [await only_page(organiser, bot, size) for bot, size in ((own, 2), (other, 1), (third, 1))] == [
                [[own.name, third.name], [own.name, other.name]],
                [[own.name, other.name]],
                [[own.name, third.name]],
            ]


async def only_page(organiser: Organiser, bot: Entrant, page_size: int) -> list[list[str]]:
    """Returns the bots of each match on the first page of a list, once there is no further page."""
    request = matches_pb2.ListMatchesRequest(bot=bot.name, page_size=page_size)
    page = await organiser.matches.ListMatches(request)
    while page.next_page_token:
        await asyncio.sleep(0.1)
        page = await organiser.matches.ListMatches(request)
    return [names(match) for match in page.matches]


async def test_who_resigns_is_not_told_against_whom(organiser: Organiser) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(own, other, **NAMELESS)
    await play_match(*organiser.by_chance(own, other))
    await organiser.ended(match_id)
    second = await organiser.match(own, other, match_id="m-resigned", **NAMELESS)
    watching = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=second), metadata=bearer(own.token))
    facing = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=second), metadata=bearer(other.token))
    async for response in messages(watching):
        assert [player.bot for player in response.update.started.players] in ([own.name, ""], [])
        if response.update.HasField("decision"):
            break
    request = matches_pb2.ResignMatchRequest(match_id=second)
    answer = await organiser.matches.ResignMatch(request, metadata=bearer(own.token))
    assert names(answer.match) == [own.name, ""]
    facing.cancel()


async def test_a_delayed_view_of_a_match_names_nobody(organiser: Organiser) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(own, other, show_delay_ms=1, **NAMELESS)
    await play_match(*organiser.by_chance(own, other))
    await organiser.ended(match_id)
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    shown = [response.match for response in [r async for r in messages(call)] if response.HasField("match")]
    assert shown
    assert all(names(match) == ["", ""] for match in shown)


@pytest.mark.parametrize("fields", [{"hidden": False}, {"players": (), "open": True}])
async def test_names_are_hidden_only_with_the_match_and_only_of_bots_that_are_known(
    organiser: Organiser, fields: dict[str, Any]
) -> None:
    own, other = await organiser.entrant(), await organiser.entrant()
    request = matches_pb2.CreateMatchRequest(game="naga", hidden=fields.get("hidden", True), names_hidden=True)
    for entrant in (own, other):
        request.seats.add().bot.bot = entrant.name
    if "open" in fields:
        request.seats[1].open.SetInParent()
    await refused(
        organiser.matches.CreateMatch(request, metadata=organiser.metadata), "MALFORMED", "names_hidden is set"
    )
