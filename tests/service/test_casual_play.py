"""Casual matches: begun by a player against a bot whose author allows it, as often as the author allows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from fudaba.v1 import bots_pb2, matches_pb2, record_pb2
from fudaba_service.api.casual_play import MAX_CASUAL_MATCHES_OF_CALLER
from tests.support.patience import PATIENCE
from tests.support.service.bots import Bot, Stream, bearer, by_chance, play_match
from tests.support.service.joining import ME, OPEN, bot, create
from tests.support.service.organiser import Entrant, Organiser, StoreView, nothing_changes, refused

CLOCK: Final = record_pb2.Clock(move_ms=60_000, bank_ms=600_000, max_timeouts=3)


async def allow(organiser: Organiser, entrant: Entrant, *games: str, most: int = 1) -> bots_pb2.Bot:
    """Lets players begin casual matches, by the bot's own token; none without a game."""
    allowed = bots_pb2.CasualPlay(games=games, max_matches=most) if games else None
    request = bots_pb2.SetCasualPlayRequest(casual_play=allowed)
    answer = await organiser.bots.SetCasualPlay(request, metadata=bearer(entrant.token))
    return answer.bot  # type: ignore[no-any-return]


async def begin(organiser: Organiser, player: Entrant, against: Entrant, **fields: Any) -> str:
    """Begins a casual match. Returns its id."""
    made = await create(organiser, ME, bot(against), by=player, **{"clock": CLOCK} | fields)
    return made.match.header.match_id


async def listed(organiser: Organiser, entrant: Entrant, game: str = "") -> list[bots_pb2.CasualBot]:
    """Returns what everybody sees of a bot."""
    request = bots_pb2.ListCasualBotsRequest(bot=entrant.name, game=game)
    return list((await organiser.bots.ListCasualBots(request)).bots)


@asynccontextmanager
async def connected(organiser: Organiser, entrant: Entrant, **hello: Any) -> AsyncIterator[Stream]:
    """Yields a bot's stream, once the service knows that the bot is there."""
    request = bots_pb2.ListPresenceRequest(bots=[entrant.name])
    async with Stream(organiser.address, entrant.token) as stream, asyncio.timeout(PATIENCE):
        await stream.hello(**hello)
        while True:
            found = await organiser.bots.ListPresence(request, metadata=organiser.metadata)
            if found.presences[0].connected:
                break
            await asyncio.sleep(0.02)
        yield stream


async def test_a_player_and_a_bot_that_is_open_to_it_play_a_match_to_its_end(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    player, other = pair
    await allow(organiser, other, "naga")
    async with connected(organiser, other):
        match_id = await begin(organiser, player, other)
    await play_match(*[Bot(organiser.address, entrant.token, by_chance) for entrant in pair])
    assert (await organiser.ended(match_id)).state == matches_pb2.MATCH_STATE_FINISHED


async def test_everybody_sees_what_an_author_allows_and_whether_the_bot_is_there(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    assert await listed(organiser, entrant) == []
    await allow(organiser, entrant, "nerts", "naga", "naga", most=3)
    [absent] = await listed(organiser, entrant)
    assert (list(absent.casual_play.games), absent.casual_play.max_matches) == (["naga", "nerts"], 3)
    assert not absent.present
    async with connected(organiser, entrant):
        [there] = await listed(organiser, entrant, "naga")
        assert there.present
    assert await listed(organiser, entrant, "tashot") == []
    await allow(organiser, entrant)
    assert await listed(organiser, entrant) == []


async def test_a_bot_that_is_absent_or_paused_begins_no_match(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    player, other = pair
    await allow(organiser, other, "naga")
    await refused(begin(organiser, player, other), "BOT_ABSENT", "not connected")
    async with connected(organiser, other):
        await organiser.bots.PauseBot(bots_pb2.PauseBotRequest(), metadata=bearer(other.token))
        await refused(begin(organiser, player, other), "BOT_ABSENT", "paused")
        await organiser.bots.ResumeBot(bots_pb2.ResumeBotRequest(), metadata=bearer(other.token))
        await begin(organiser, player, other)


async def test_a_bot_has_as_many_casual_matches_as_its_author_allows(organiser: Organiser) -> None:
    other, *players = [await organiser.entrant() for _ in range(3)]
    await allow(organiser, other, "naga")
    async with connected(organiser, other):
        match_id = await begin(organiser, players[0], other)
        await refused(begin(organiser, players[1], other), "BOT_BUSY", "allows at once, 1")
        request = matches_pb2.AbortMatchRequest(match_id=match_id)
        await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
        await begin(organiser, players[1], other)


async def test_a_bot_without_room_begins_no_casual_match(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    player, other = pair
    await allow(organiser, other, "naga", most=5)
    async with connected(organiser, other, capacity=1) as stream, connected(organiser, player):
        await begin(organiser, player, other)
        await stream.update()  # by now the match has the bot's only place
        await refused(begin(organiser, player, other), "BOT_BUSY", "takes at once, 1")


async def test_a_player_has_only_so_many_casual_matches(organiser: Organiser) -> None:
    player = await organiser.entrant()
    for number in range(MAX_CASUAL_MATCHES_OF_CALLER + 1):
        other = await organiser.entrant()
        await allow(organiser, other, "naga")
        async with connected(organiser, other):
            if number < MAX_CASUAL_MATCHES_OF_CALLER:
                await begin(organiser, player, other)
            else:
                await refused(begin(organiser, player, other), "TOO_MANY_MATCHES", "casual matches of yours")
                await begin(organiser, await organiser.entrant(), other)  # the bot's place was given back


async def test_an_author_who_withdraws_the_permission_ends_no_match(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    player, other = pair
    await allow(organiser, other, "naga", most=2)
    async with connected(organiser, other):
        match_id = await begin(organiser, player, other, match_id=f"{player.name}.first")
        await allow(organiser, other)
        await refused(begin(organiser, player, other), "CASUAL_PLAY_CLOSED", other.name, "allowed: none")
        assert await begin(organiser, player, other, match_id=match_id) == match_id  # the same request again
    assert not (await organiser.get(match_id)).HasField("end")


async def test_only_the_current_version_meets_players(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    player, other = pair
    await allow(organiser, other, "naga")
    request = bots_pb2.CreateVersionRequest(bot=other.name, version="2")
    await organiser.bots.CreateVersion(request, metadata=organiser.metadata)
    seat = matches_pb2.Seat(bot=record_pb2.Player(bot=other.name, version="1"))
    unknown = matches_pb2.Seat(bot=record_pb2.Player(bot=other.name, version="3"))
    for former_or_unknown in (seat, unknown):  # nobody learns the versions of another author's bot
        creating = create(organiser, ME, former_or_unknown, by=player, clock=CLOCK)
        await refused(creating, "CASUAL_PLAY_CLOSED", "current version of bot", "leave the version out")


@pytest.mark.parametrize(
    "wrong",
    [{"move_ms": 60_001}, {"increment_ms": 60_001}, {"bank_ms": 600_001}, {"max_timeouts": 0}, {"max_timeouts": 11}],
    ids=str,
)
async def test_a_player_who_leaves_does_not_keep_a_bot_for_long(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView, wrong: dict[str, int]
) -> None:
    player, other = pair
    await allow(organiser, other, "naga")
    clock = record_pb2.Clock(move_ms=1_000, max_timeouts=3)
    for field, value in wrong.items():
        setattr(clock, field, value)
    with nothing_changes(store):
        await refused(begin(organiser, player, other, clock=clock), "MALFORMED", next(iter(wrong)))


async def test_a_casual_match_has_no_free_seat(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    player, other = pair
    await allow(organiser, other, "nerts")
    call = create(organiser, ME, bot(other), OPEN, by=player, game="nerts", clock=CLOCK)
    await refused(call, "BAD_PLAYERS", "no free seats")


@pytest.mark.parametrize(
    ("games", "most", "reason", "words"),
    [
        ([], 1, "MALFORMED", "games has 0 entries"),
        (["naga"], 0, "MALFORMED", "max_matches is 0"),
        (["naga"], 21, "MALFORMED", "1 to 20"),
        (["naga"] * 101, 1, "MALFORMED", "101 entries"),
        (["chess"], 1, "GAME_NOT_FOUND", "chess"),
    ],
)
async def test_a_setting_that_makes_no_sense_changes_nothing(
    organiser: Organiser, store: StoreView, games: list[str], most: int, reason: str, words: str
) -> None:
    entrant = await organiser.entrant()
    await allow(organiser, entrant, "naga")
    wrong = bots_pb2.CasualPlay(games=games, max_matches=most)
    with nothing_changes(store):
        request = bots_pb2.SetCasualPlayRequest(casual_play=wrong)
        await refused(organiser.bots.SetCasualPlay(request, metadata=bearer(entrant.token)), reason, words)


async def test_nobody_allows_matches_against_another_authors_bot(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    request = bots_pb2.SetCasualPlayRequest(
        bot=pair[1].name, casual_play=bots_pb2.CasualPlay(games=["naga"], max_matches=1)
    )
    await refused(organiser.bots.SetCasualPlay(request, metadata=bearer(pair[0].token)), "NOT_YOURS", pair[1].name)
