"""Nerts in real time on a service: the order of arrival, moves that come too late, hands, the referee, a crash."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from fudaba.codec import codec
from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.values import Founded
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, bearer, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, kinds, refused
from tests.support.service.processes import Service
from tests.support.service.realtime import TEXTS, begun, both_have_an_ace, submit


def another_list_for_the_other() -> tuple[bytes, str, str]:
    """Returns a seed, a move of seat 0, and a move of seat 1 that stands at another place of its list after that
    move."""
    options = NERTS.resolve_options({"target": 0, "pace": "realtime", "hand_ms": 0})
    for number in range(10_000):
        seed = bytes([number % 256, number // 256]) * 16
        state, _ = NERTS.new_match(2, options, seed)
        before = list(NERTS.legal_moves(state, 1))
        for move in NERTS.legal_moves(state, 0):
            after = state.clone()
            NERTS.apply(after, 0, move)
            then = list(NERTS.legal_moves(after, 1))
            if before[-1] in then and then.index(before[-1]) != len(before) - 1:
                return seed, NERTS.text.format_move(move), NERTS.text.format_move(before[-1])
    raise AssertionError("no such deal")


def replayed(record: record_pb2.MatchRecord) -> Replay:
    """Returns the match that a record makes."""
    replay = Replay(record.header, record.seed)
    for entry in record.log:
        replay.apply(entry)
    return replay


def events(bot: Bot, match_id: str) -> int:
    """Returns how many events a bot has been told of a match."""
    journal = bot.journals.get(match_id)
    return len(journal.events) if journal is not None else 0


def movements(record: record_pb2.MatchRecord, seat: int) -> list[int]:
    """Returns when a seat moved its hand, in ms."""
    return [
        entry.at_ms
        for entry in record.log
        if entry.HasField("move") and entry.seat == seat and entry.move.nerts.WhichOneof("kind") != "wait"
    ]


@pytest.mark.rule("NE12.3", "NE12.5", "NE12.8")
async def test_a_match_of_random_bots_is_in_the_record_and_replays_from_it(organiser: Organiser) -> None:
    entrants = [await organiser.entrant() for _ in range(3)]
    match_id = await begun(organiser, *entrants, hand_ms=20, stuck_ms=200)
    await play_match(*organiser.by_chance(*entrants))
    record = await organiser.record(match_id)
    assert "illegal" not in kinds(record)
    for seat in range(3):
        times = movements(record, seat)
        assert all(later - sooner >= 20 for sooner, later in itertools.pairwise(times))
    replay, other = replayed(record), replayed(record)
    assert replay.match.outcome is not None
    assert list(replay.match.outcome.scores) == list(record.end.outcome.scores)
    assert replay.match.shown(None) == other.match.shown(None)


@pytest.mark.rule("NE12.5", "NE12.8")
async def test_nobody_moves_and_the_referee_turns_the_stocks(organiser: Organiser) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await begun(organiser, *entrants, stuck_ms=100)
    await play_match(*[Bot(organiser.address, entrant.token, bots.silent) for entrant in entrants])
    record = await organiser.record(match_id)
    assert [entry.referee.timer for entry in record.log if entry.HasField("referee")] == ["stuck"] * 3
    assert list(record.end.outcome.scores) == [0, 0]


@pytest.mark.rule("NE12.2")
async def test_an_index_is_a_place_in_the_list_of_the_id_that_the_answer_names(organiser: Organiser) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    seed, sooner, wanted = another_list_for_the_other()
    match_id = await begun(organiser, *entrants, seed=seed)
    async with (
        Stream(organiser.address, entrants[0].token) as stream,
        Stream(organiser.address, entrants[1].token) as two,
    ):
        await stream.hello(delivery=TEXTS)
        await two.hello(delivery=TEXTS)
        first, second = (await stream.decision()).decision, (await two.decision()).decision
        await submit(organiser, entrants[0], match_id, first.decision_id, sooner)
        newest = (await two.decision()).decision
        assert newest.decision_id != second.decision_id
        place = list(second.legal_texts).index(wanted)
        assert list(newest.legal_texts).index(wanted) != place
        answer = play_pb2.Answer(match_id=match_id, decision_id=second.decision_id, index=place)
        request = play_pb2.SubmitMoveRequest(answer=answer)
        response = await organiser.play.SubmitMove(request, metadata=bearer(entrants[1].token))
        assert NERTS.text.format_move(codec("nerts").move_from_proto(response.move)) == wanted
        await organiser.matches.AbortMatch(
            matches_pb2.AbortMatchRequest(match_id=match_id), metadata=organiser.metadata
        )


@pytest.mark.rule("NE12.1", "NE12.2")
async def test_an_answer_to_an_earlier_id_counts_and_a_move_that_somebody_else_took_is_stale(
    organiser: Organiser,
) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await begun(organiser, *entrants, seed=both_have_an_ace())
    async with (
        Stream(organiser.address, entrants[0].token) as stream,
        Stream(organiser.address, entrants[1].token) as two,
    ):
        await stream.hello(delivery=TEXTS)
        await two.hello(delivery=TEXTS)
        first, second = (await stream.decision()).decision, (await two.decision()).decision
        aces = [next(text for text in asked.legal_texts if "found" in text) for asked in (first, second)]
        await submit(organiser, entrants[0], match_id, first.decision_id, aces[0])
        # The id of the foundation is taken now, by whoever was faster.
        await refused(submit(organiser, entrants[1], match_id, second.decision_id, aces[1]), "STALE", "too late")
        await refused(submit(organiser, entrants[1], match_id, second.decision_id, "recycle"), "ILLEGAL_MOVE")
        await submit(organiser, entrants[1], match_id, second.decision_id, "flip")
        newest = (await two.decision()).decision
        while newest.decision_id == second.decision_id:
            newest = (await two.decision()).decision
        again = await submit(organiser, entrants[1], match_id, second.decision_id, "flip")
        assert getattr(again, "repeated_call", False), "one decision, one move"
    await organiser.matches.ResignMatch(
        matches_pb2.ResignMatchRequest(match_id=match_id), metadata=bearer(entrants[0].token)
    )
    record = await organiser.record(match_id)
    assert [kind for kind in kinds(record) if kind != "ready"] == ["move", "illegal", "move", "forfeit"]
    assert isinstance(replayed(record).match.shown(None)[1], Founded)


@pytest.mark.rule("NE12.3")
async def test_a_hand_that_is_too_fast_waits_and_a_newer_answer_takes_its_place(organiser: Organiser) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await begun(organiser, *entrants, hand_ms=6000)
    async with (
        Stream(organiser.address, entrants[0].token) as stream,
        Stream(organiser.address, entrants[1].token) as two,
    ):
        await stream.hello(delivery=TEXTS)
        await two.hello(delivery=TEXTS)
        decision = (await stream.decision()).decision
        await submit(organiser, entrants[0], match_id, decision.decision_id, "flip")
        newest = (await stream.decision()).decision
        held = [
            asyncio.ensure_future(submit(organiser, entrants[0], match_id, newest.decision_id, "flip"))
            for _ in range(2)
        ]
        # The newer of the two is made when its time has come; the other one was told so.
        await stream.decision()
        answers = await asyncio.gather(*held, return_exceptions=True)
        assert sorted(isinstance(outcome, Exception) for outcome in answers) == [False, True], answers
    await organiser.matches.ResignMatch(
        matches_pb2.ResignMatchRequest(match_id=match_id), metadata=bearer(entrants[0].token)
    )
    record = await organiser.record(match_id)
    first, second = movements(record, 0)
    assert second - first >= 6000  # longer than a call waits for the store


@pytest.mark.exhaustive
async def test_a_killed_service_goes_on_with_the_match(folder: Path) -> None:
    with Service(folder, "--appendfsync", "always") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrants = [await organiser.entrant() for _ in range(2)]
            match_id = await begun(organiser, *entrants, hand_ms=10, stuck_ms=300)
            players = [
                Bot(service.address, entrant.token, bots.slow(0.01), chance=number)
                for number, entrant in enumerate(entrants)
            ]
            playing = asyncio.ensure_future(play_match(*players))
            await until(
                lambda: playing.done() or all(events(bot, match_id) > 12 for bot in players),
                "the middle of the match",
            )
            assert not playing.done()
            service.kill()
            service.start()
            await playing
            record = await organiser.record(match_id)
        assert "referee" in kinds(record)
        assert replayed(record).match.outcome is not None
        assert_no_fault(service)
