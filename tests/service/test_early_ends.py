"""Ends before the last move: forfeits by illegal answers, resignations, no-shows, and the organiser's end."""

from __future__ import annotations

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, play_match
from tests.support.service.by_hand import by_hand
from tests.support.service.organiser import HOUR_MS, Organiser, StoreView, kinds

STRICT = record_pb2.Clock(move_ms=HOUR_MS, max_illegal=3)


async def test_illegal_answers_leave_the_decision_open_until_the_limit_and_then_forfeit(
    organiser: Organiser, store: StoreView
) -> None:
    async with by_hand(organiser, STRICT) as (match_id, _, two, _):
        decision = (await two.decision()).decision
        await two.answer(match_id, decision.decision_id, text="designate 4")
        refusal = await two.refusal()
        assert (refusal.reason, refusal.code, refusal.still_open) == ("ILLEGAL_MOVE", 9, True)
        assert refusal.rule
        await two.answer(match_id, decision.decision_id, text="gibberish")
        refusal = await two.refusal()
        assert (refusal.reason, refusal.code, refusal.still_open) == ("MALFORMED_MOVE", 3, True)
        assert len(store.log(match_id)) == 4
        await two.answer(match_id, decision.decision_id, index=5_000)
        refusal = await two.refusal()
        assert (refusal.reason, refusal.still_open) == ("MALFORMED_MOVE", False)
        assert (await two.over()).over.forfeited_seat == 1
    record = await organiser.record(match_id)
    assert kinds(record, 1) == ["ready", "illegal", "illegal", "illegal", "forfeit"]
    assert record.end.forfeit_cause == record_pb2.FORFEIT_CAUSE_ILLEGAL
    assert list(record.end.outcome.scores) == [1, -1]


async def test_an_illegal_answer_costs_nothing_when_there_is_no_limit_and_the_log_does_not_grow_without_end(
    organiser: Organiser, store: StoreView
) -> None:
    async with by_hand(organiser, record_pb2.Clock(move_ms=20_000)) as (match_id, _, two, _):
        decision = (await two.decision()).decision
        for _ in range(150):
            await two.answer(match_id, decision.decision_id, text="designate 4")
            assert (await two.refusal()).still_open
        assert len(store.log(match_id)) == 102
        await two.answer(match_id, decision.decision_id, text="designate 1")
        assert (await two.decision()).decision.legal_count == 10


async def test_a_bot_that_only_plays_illegal_moves_forfeits(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant("illegal"), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=STRICT)
    await play_match(
        Bot(organiser.address, entrant.token, bots.illegal), Bot(organiser.address, other.token, bots.first)
    )
    record = await organiser.record(match_id)
    assert record.end.forfeited_seat == 0
    assert record.end.forfeit_cause == record_pb2.FORFEIT_CAUSE_ILLEGAL


async def test_resigning_loses_and_a_second_time_is_too_late(organiser: Organiser) -> None:
    async with by_hand(organiser) as (match_id, first, two, _):
        await two.decision()
        await two.send(resign=play_pb2.Resign(match_id=match_id))
        over = await two.over()
        assert over.over.forfeit_cause == record_pb2.FORFEIT_CAUSE_RESIGNED
        assert (await first.over()).over == over.over
        await two.send(resign=play_pb2.Resign(match_id=match_id))
        assert (await two.refusal()).reason == "MATCH_OVER"
        await first.answer(match_id, "0.0", index=0)
        assert (await first.refusal()).reason == "MATCH_OVER"
    assert kinds(await organiser.record(match_id), 1) == ["ready", "forfeit"]


async def test_resigning_before_the_match_has_begun_is_refused(organiser: Organiser, store: StoreView) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        await stream.update()
        await stream.send(resign=play_pb2.Resign(match_id=match_id))
        assert "not begun" in (await stream.refusal()).message
        await stream.answer(match_id, "0.0", index=0)
        assert "not begun" in (await stream.refusal()).message
        # That it is ready may be on its way to the store still; of what was refused nothing is.
        await until(lambda: len(store.log(match_id)) == 1, "that the bot is ready")


async def test_a_match_whose_bot_does_not_come_is_aborted_and_says_who(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant("absent")
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()  # it is there already when the match is created
        match_id = await organiser.match(entrant, other, clock=record_pb2.Clock(move_ms=1_000, start_ms=3_000))
        ending = (await stream.over()).over
    match = await organiser.ended(match_id)
    assert match.state == matches_pb2.MATCH_STATE_ABORTED
    assert match.end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW
    assert list(match.end.absent_seats) == [1]
    assert not match.end.HasField("outcome")
    assert not match.HasField("start_time")
    record = await organiser.record(match_id)
    assert f"{other.name}/1" in record.log[-1].abort.message
    assert ending == match.end


async def test_the_organiser_ends_a_match_without_a_result_once(organiser: Organiser) -> None:
    async with by_hand(organiser) as (match_id, first, two, _):
        await two.decision()
        for message in ("power cut", "another"):
            request = matches_pb2.AbortMatchRequest(match_id=match_id, message=message)
            aborted = await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
            assert aborted.match.state == matches_pb2.MATCH_STATE_ABORTED
        assert (await first.over()).over.abort_cause == record_pb2.ABORT_CAUSE_ORGANISER
    record = await organiser.record(match_id)
    assert [e.abort.message for e in record.log if e.HasField("abort")] == ["power cut"]
