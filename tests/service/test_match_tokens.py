"""Match tokens: each plays one seat of one match, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2, play_pb2
from tests.support.forked import Forked
from tests.support.patience import PATIENCE
from tests.support.service.bots import Bot, Stream, bearer, by_chance
from tests.support.service.organiser import PATIENT, Entrant, Organiser, check_refusal, refused, request_for

LIVE = (matches_pb2.MATCH_STATE_WAITING, matches_pb2.MATCH_STATE_PLAYING)


def process(organiser: Organiser, token: str, log: Path) -> Forked:
    """Returns a bot in a process of its own, as an arena starts one."""
    environment = os.environ | {"FUDABA_SERVER": organiser.address, "FUDABA_TOKEN": token}
    return Forked(["bot", "run", "first"], log, environment)


@pytest.mark.exhaustive
async def test_processes_of_one_version_play_two_matches_at_once_and_end_with_them(
    organiser: Organiser, pair: tuple[Entrant, Entrant], tmp_path: Path
) -> None:
    matches = [await organiser.match(*pair) for _ in range(2)]
    tokens = [await organiser.match_token(match_id, seat) for match_id in matches for seat in (0, 1)]
    logs = [tmp_path / str(number) for number in range(len(tokens))]
    running = [process(organiser, token, log) for token, log in zip(tokens, logs, strict=True)]
    for bot, log in zip(running, logs, strict=True):
        assert await asyncio.to_thread(bot.wait, PATIENCE) == 0, log.read_text()
        assert "\n1 match finished" in log.read_text()
    for match_id in matches:
        record = await organiser.record(match_id)
        assert [player.bot for player in record.header.players] == [entrant.name for entrant in pair]


async def test_both_seats_of_a_match_are_played_by_one_version(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    request = request_for(entrant, entrant)
    await refused(organiser.matches.CreateMatch(request, metadata=organiser.metadata), "BAD_PLAYERS", "two seats")
    match_id = await organiser.match(entrant, entrant, several_seats=True)
    seats = [Bot(organiser.address, await organiser.match_token(match_id, seat), by_chance) for seat in (0, 1)]
    # Its own token has no seat there: its answers would not say which one they are for.
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        await stream.answer(match_id, "1.0", index=0)
        assert (await stream.refusal()).reason == "NOT_YOUR_MATCH"
    watch = play_pb2.WatchSeatRequest(match_id=match_id)
    call = organiser.play.WatchSeat(watch, metadata=bearer(entrant.token)).read()
    await refused(call, "NOT_YOUR_MATCH", "several seats", "match token")
    await asyncio.gather(*[seat.play() for seat in seats])
    assert [seat.journals[match_id].seat for seat in seats] == [0, 1]
    await organiser.record(match_id)


async def test_a_match_token_is_of_no_use_in_another_match(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    mine, other = [await organiser.match(*pair, clock=PATIENT) for _ in range(2)]
    token = await organiser.match_token(mine, 0)
    metadata = bearer(token)
    answer = play_pb2.Answer(match_id=other, decision_id="1.0", index=0)
    for call in (
        organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=metadata),
        organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=other), metadata=metadata).read(),
        organiser.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=other), metadata=metadata),
    ):
        await refused(call, "NOT_YOUR_MATCH", f"seat 0 of match {mine} alone")
    async with Stream(organiser.address, token) as stream:
        await stream.hello()
        assert (await stream.update()).match_id == mine
        await stream.answer(other, "1.0", index=0)
        refusal = await stream.refusal()
        assert (refusal.match_id, refusal.reason) == (other, "NOT_YOUR_MATCH")
        assert mine in refusal.message
    for match_id in (mine, other):
        assert (await organiser.get(match_id)).state in LIVE


async def test_its_stream_supersedes_only_that_of_its_seat(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    matches = [await organiser.match(*pair, clock=PATIENT) for _ in range(2)]
    tokens = [await organiser.match_token(match_id, 0) for match_id in (*matches, matches[0])]
    async with contextlib.AsyncExitStack() as stack:

        async def introduced(token: str) -> Stream:
            """Returns a stream whose call comes only now: of those opened at once, the service may take any for the
            newest."""
            stream = await stack.enter_async_context(Stream(organiser.address, token))
            await stream.hello()
            return stream

        own = await introduced(pair[0].token)
        assert {(await own.update()).match_id for _ in matches} == set(matches)
        superseded, other = await introduced(tokens[0]), await introduced(tokens[1])
        for stream, match_id in zip((superseded, other), matches, strict=True):
            assert (await stream.update()).match_id == match_id
        superseded.pongs = False  # what is written to a stream as it ends hides why it does
        newer = await introduced(tokens[2])
        assert (await newer.update()).match_id == matches[0]
        check_refusal(await superseded.ending(), "SUPERSEDED", f"{matches[0]}#0", "rotate")
        await introduced(pair[1].token)
        # The others are there still, and are told the end of what they play.
        for match_id in matches:
            abort = matches_pb2.AbortMatchRequest(match_id=match_id)
            await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
        assert {(await own.over()).match_id for _ in matches} == set(matches)
        assert [(await stream.over()).match_id for stream in (newer, other)] == matches


async def test_who_comes_after_the_end_is_told_it_once_more_and_sent_away(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    token = await organiser.match_token(match_id, 1)
    abort = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
    await organiser.ended(match_id)
    async with Stream(organiser.address, token) as stream:
        await stream.hello()
        assert (await stream.over()).seat == 1
        stream.pongs = False  # what is written to a stream as it ends hides why it does
        check_refusal(await stream.ending(), "MATCH_OVER", match_id)
    request = accounts_pb2.CreateMatchTokenRequest(match_id=match_id)
    await refused(organiser.accounts.CreateMatchToken(request, metadata=organiser.metadata), "MATCH_OVER")


async def test_what_is_no_seat_of_a_bot_gets_no_token(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    made = []
    for other in (matches_pb2.Seat(house_bot="house-first"), matches_pb2.Seat(open=matches_pb2.Seat.Open())):
        seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), other]
        against = matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=PATIENT)
        made.append(
            (await organiser.matches.CreateMatch(against, metadata=bearer(pair[0].token))).match.header.match_id
        )
    arena = bearer((await organiser.token("arena")).token)
    for match, seat, reason in (
        (match_id, 2, "MALFORMED"),
        (made[0], 1, "MALFORMED"),
        (made[1], 0, "MATCH_OPEN"),
        ("nothere", 0, "MATCH_NOT_FOUND"),
    ):
        request = accounts_pb2.CreateMatchTokenRequest(match_id=match, seat=seat)
        await refused(organiser.accounts.CreateMatchToken(request, metadata=arena), reason)
    request = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, label="a worker")
    minted = await organiser.accounts.CreateMatchToken(request, metadata=arena)
    identity = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(minted.token))
    assert (identity.token.match_id, identity.token.seat, identity.token.bot) == (match_id, 0, pair[0].name)
    assert identity.token.scope == accounts_pb2.TOKEN_SCOPE_MATCH
    assert identity.token == minted.info
    for wrong in (minted.token + "x", minted.token.replace(match_id, "m-other"), "fudaba-match-", "fudaba-match-."):
        call = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(wrong))
        await refused(call, "TOKEN_UNKNOWN")


async def test_the_tokens_of_a_bot_are_revoked_and_its_matches_in_an_arena_go_on(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    tokens = [await organiser.match_token(match_id, seat) for seat in (0, 1)]
    async with Stream(organiser.address, pair[0].token) as lost:
        await lost.hello()
        lost.pongs = False
        request = bots_pb2.RevokeTokensRequest(bot=pair[0].name)
        await organiser.bots.RevokeTokens(request, metadata=organiser.metadata)
        check_refusal(await lost.ending(), "TOKEN_UNKNOWN")
    await asyncio.gather(*[Bot(organiser.address, token, by_chance).play() for token in tokens])
    await organiser.record(match_id)


async def test_a_seat_is_watched_and_resigned_by_calls_with_a_match_token(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    tokens = [bearer(await organiser.match_token(match_id, seat)) for seat in (0, 1)]
    request = play_pb2.WatchSeatRequest(match_id=match_id)
    watches = [organiser.play.WatchSeat(request, metadata=metadata) for metadata in tokens]
    seats = [(await watch.read()).update.seat for watch in watches]
    assert seats == [0, 1]
    spectator = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    while not (await spectator.read()).HasField("view"):
        pass  # it has not begun
    await organiser.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=match_id), metadata=tokens[1])
    assert (await organiser.ended(match_id)).end.forfeited_seat == 1
