"""Bots in other languages play on a real service: every game, through cuts and kills, with notes, to the end."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bots import built_in
from fudaba.v1 import game_pb2, matches_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.clients.kit_bot import KitBot
from tests.support.clients.languages import LANGUAGES, NOTES
from tests.support.clients.parameters import every_language, failing_languages
from tests.support.clients.projects import built_project
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.organiser import HOUR_MS, Entrant, Organiser, house_bot_of_sample, kinds, length_of_sample
from tests.support.service.processes import Service
from tests.support.service.proxy import Proxy
from tests.support.sizes import exhaustive

SHORT = record_pb2.Clock(move_ms=60_000, bank_ms=0, max_timeouts=3, max_illegal=10, start_ms=HOUR_MS)
UNHURRIED = record_pb2.Clock(move_ms=HOUR_MS, start_ms=HOUR_MS)
"""Of many matches at once none is lost by time."""


@contextlib.asynccontextmanager
async def opponent(address: str, entrant: Entrant) -> AsyncIterator[None]:
    stop = asyncio.Event()
    options = PlayOptions(address=address, token=entrant.token)
    running = asyncio.create_task(play(built_in("random"), options, stop))
    try:
        yield
    finally:
        stop.set()
        await running


def deals(number: int) -> dict[str, game_pb2.OptionValue]:
    return {"deals": game_pb2.OptionValue(number=number)}


async def check(organiser: Organiser, match_id: str) -> None:
    """A match that is over: the bot in seat 0 made every decision itself, and none was refused."""
    assert set(kinds(await organiser.record(match_id), 0)) == {"ready", "move"}


async def over(organiser: Organiser, match_id: str) -> matches_pb2.Match:
    """The match, once it is over, however long that takes."""
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=20_000)
    while True:
        found = (await organiser.matches.AwaitMatch(request, metadata=organiser.metadata)).match
        if found.HasField("end"):
            return found  # type: ignore[no-any-return]  # gRPC types no answers


async def shown(organiser: Organiser, match_id: str, events: int) -> None:
    """Waits until so many events of a match have been shown."""
    request = matches_pb2.WatchMatchRequest(match_id=match_id)
    async for message in organiser.matches.WatchMatch(request, metadata=organiser.metadata):
        assert not message.match.HasField("end"), "it was over before anything could happen"
        if message.seen >= events:
            return


async def against_the_house(
    organiser: Organiser, bot: Entrant, game: str, seat: int = 0, **options: game_pb2.OptionValue
) -> str:
    """A new match of the bot and of house bots; its id."""
    seats = [matches_pb2.Seat(house_bot=house_bot_of_sample(game)) for _ in range(GAMES[game].min_seats)]
    seats[seat] = matches_pb2.Seat(bot=record_pb2.Player(bot=bot.name))
    request = matches_pb2.CreateMatchRequest(game=game, seats=seats, clock=UNHURRIED, options=options)
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    return str(made.match.header.match_id)


@pytest.mark.exhaustive
async def test_it_beats_random_play_in_naga(service: Service, organiser: Organiser, bot: Any) -> None:
    """It wins four deals of five, so that luck cannot do it in as many."""
    mine = await organiser.entrant("mine")
    seats = [0, 1] * (4 if exhaustive() else 2)
    ids = [await against_the_house(organiser, mine, "naga", seat, **deals(12)) for seat in seats]
    bot(service.address, mine.token)
    scores = [(await over(organiser, match_id)).end.outcome.scores for match_id in ids]
    assert sum(score[seat] for score, seat in zip(scores, seats, strict=True)) > sum(
        score[1 - seat] for score, seat in zip(scores, seats, strict=True)
    )


@every_language
@pytest.mark.exhaustive
async def test_one_process_plays_every_game_at_once(service: Service, organiser: Organiser, bot: Any) -> None:
    mine = await organiser.entrant("mine")
    ids = [await against_the_house(organiser, mine, game, 0, **length_of_sample(game)) for game in GAMES]
    process = bot(service.address, mine.token)
    for match_id in ids:
        await over(organiser, match_id)
        await check(organiser, match_id)
    assert "refused:" not in process.log


@pytest.mark.exhaustive
async def test_a_process_with_a_match_token_ends_with_its_match(
    service: Service, organiser: Organiser, bot: Any
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT)
    process = bot(service.address, await organiser.match_token(match_id, 0))
    async with opponent(service.address, other):
        await check(organiser, match_id)
    assert await process.ended() == 0, process.log


@every_language
@pytest.mark.exhaustive
async def test_cut_off_and_killed_it_goes_on(service: Service, organiser: Organiser, bot: Any) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    ids = [await organiser.match(mine, other, clock=SHORT, options=deals(8)) for _ in range(4)]
    async with Proxy(int(service.address.rpartition(":")[2])).run() as proxy, opponent(service.address, other):
        process = bot(proxy.address, mine.token)
        for times in (1, 2):
            await process.connected(times)
            await shown(organiser, ids[0], 20 * times)
            proxy.cut()
        await process.connected(3)
        assert "refused:" not in process.log  # nothing was answered twice, and nothing that was not asked
        process.kill()
        process.start()
        for match_id in ids:
            await check(organiser, match_id)
        await until(lambda: process.log.count(": over, score") >= len(ids))


@pytest.mark.exhaustive
async def test_told_to_stop_it_leaves_and_another_process_goes_on(
    service: Service, organiser: Organiser, bot: Any
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT, options=deals(8))
    process = bot(service.address, mine.token)
    async with opponent(service.address, other):
        await shown(organiser, match_id, 20)
        assert process.terminate() == 0, process.log
        bot(service.address, mine.token)
        await check(organiser, match_id)


async def notes(organiser: Organiser, match_id: str, token: str) -> set[str]:
    """The texts of the notes that the service has kept of a match for whoever has this token."""
    request = matches_pb2.GetNotesRequest(match_id=match_id)
    found = await organiser.matches.GetNotes(request, metadata=bearer(token))
    return {note.text for note in found.notes}


@failing_languages
@pytest.mark.exhaustive
async def test_a_note_that_cannot_be_sent_is_put_right_and_cut_and_every_move_is_played(
    service: Service, organiser: Organiser, altered: Path, tmp_path: Path
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT)
    token = await organiser.match_token(match_id, 0)
    with KitBot(tmp_path, altered, service.address, token, **{NOTES: "1"}).start() as process:
        async with opponent(service.address, other):
            await check(organiser, match_id)
        assert await process.ended() == 0, process.log
        assert "refused:" not in process.log
        assert process.log.count("the note is longer than 1024 bytes in UTF-8; the rest is cut off") == 1
    assert await notes(organiser, match_id, mine.token) == {"\ufffd" + "札" * 340}


@pytest.mark.exhaustive
async def test_in_node_a_note_that_is_no_text_is_put_right_or_left_out(
    service: Service,
    organiser: Organiser,
    need_tool: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> None:
    node = LANGUAGES["node"]
    node.need(need_tool)
    noting = shutil.copytree(built_project("node", tmp_path_factory), tmp_path / "noting", symlinks=True)
    wrong = "[0.61, null, undefined, Symbol('ace'), Object.create(null)]"
    node.decide_with(f"decision.note = {wrong}[(globalThis.asked = (globalThis.asked ?? -1) + 1) % 5];", noting)
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT, options=deals(2))
    with KitBot(tmp_path, noting, service.address, await organiser.match_token(match_id, 0)).start() as process:
        async with opponent(service.address, other):
            await check(organiser, match_id)
        assert await process.ended() == 0, process.log
    for words in (
        "the note is of type number, not text",
        "the note is null, not text",
        "the note is undefined, not text",
        "the note is of type symbol, not text",
        "the note is of type object, and has no text form",
    ):
        assert process.log.count(words) == 1, process.log
    assert await notes(organiser, match_id, mine.token) == {"0.61", "Symbol(ace)"}


@pytest.mark.exhaustive
async def test_superseded_it_ends_and_does_not_come_back(service: Service, organiser: Organiser, bot: Any) -> None:
    mine = await organiser.entrant("mine")
    first = bot(service.address, mine.token)
    await first.connected()
    second = bot(service.address, mine.token)
    assert await first.ended() == 1
    assert "SUPERSEDED" in first.log
    await second.connected()


@pytest.mark.exhaustive
async def test_what_trying_again_cannot_mend_ends_it_with_the_reason(service: Service, bot: Any) -> None:
    unknown = bot(service.address, "no-such-token")
    assert await unknown.ended() == 1
    assert "TOKEN_UNKNOWN" in unknown.log
    encrypted = bot(service.address, "t", FUDABA_TLS="1")
    assert await encrypted.ended() == 1
    assert "does not use TLS: leave out FUDABA_TLS" in encrypted.log
