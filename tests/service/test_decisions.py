"""Decisions: an id is an idempotency key, simultaneous choices, and clocks."""

from __future__ import annotations

import asyncio

import pytest

from fudaba.replay import Replay
from fudaba.v1 import game_pb2, matches_pb2, play_pb2, record_pb2
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, bearer, play_match
from tests.support.service.by_hand import by_hand
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, kinds, refused

FAST = record_pb2.Clock(move_ms=1_500, max_timeouts=3)
"""A bot that only has to answer runs out of time three times only if it is stopped for long."""
LONG = {"deals": game_pb2.OptionValue(number=99)}
"""Of a match that is not over soon, though nobody answers."""


async def submit(organiser: Organiser, entrant: Entrant, match_id: str, decision_id: str, **choice: object) -> object:
    answer = play_pb2.Answer(match_id=match_id, decision_id=decision_id, **choice)  # type: ignore[arg-type]
    return await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(entrant.token))


def moves(record: record_pb2.MatchRecord, seat: int) -> list[str]:
    """The decisions of a seat that were answered, in order."""
    return [e.decision_id for e in record.log if e.seat == seat and e.HasField("move")]


# --- ids


async def test_an_answer_sent_twice_is_one_move_and_acknowledged_twice(organiser: Organiser, store: StoreView) -> None:
    async with by_hand(organiser, delivery=play_pb2.Delivery(acknowledge=True)) as (match_id, _, two, _):
        decision = (await two.decision()).decision
        for _ in range(2):
            await two.answer(match_id, decision.decision_id, index=1)
        assert list((await two.update()).accepted) == [decision.decision_id]
        assert list((await two.update()).accepted) == [decision.decision_id]
        assert len(store.log(match_id)) == 3


async def test_another_answer_to_an_answered_decision_changes_nothing(organiser: Organiser, store: StoreView) -> None:
    async with by_hand(organiser) as (match_id, _, two, (_, entrant)):
        decision = (await two.decision()).decision
        await two.answer(match_id, decision.decision_id, index=1)
        await two.decision()
        before = store.log(match_id)
        again = await submit(organiser, entrant, match_id, decision.decision_id, index=3)
        assert again == play_pb2.SubmitMoveResponse(move=decision.legal_moves[1], repeated_call=True)
        for nonsense in ({"index": 99}, {"text": "nonsense"}, {}):
            assert await submit(organiser, entrant, match_id, decision.decision_id, **nonsense) == again
        assert store.log(match_id) == before


async def test_of_two_answers_at_the_same_time_one_stands_and_the_other_call_says_so(organiser: Organiser) -> None:
    async with by_hand(organiser) as (match_id, _, two, (_, entrant)):
        decision = (await two.decision()).decision
        calls = [submit(organiser, entrant, match_id, decision.decision_id, index=n) for n in range(5)]
        answers = [play_pb2.SubmitMoveResponse.FromString(a.SerializeToString()) for a in await asyncio.gather(*calls)]  # type: ignore[attr-defined]
        assert len({a.move.SerializeToString() for a in answers}) == 1
        assert [a.repeated_call for a in answers].count(False) == 1
        stands = answers[[a.repeated_call for a in answers].index(False)].move
        assert stands == decision.legal_moves[[a.repeated_call for a in answers].index(False)]


async def test_an_answer_is_given_again_after_the_match_is_over_and_archived(organiser: Organiser) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    await play_match(*organiser.by_chance(*entrants))
    record = await organiser.record(match_id)
    last = record.log[-1]
    again = await submit(organiser, entrants[last.seat], match_id, last.decision_id, index=0)
    assert again == play_pb2.SubmitMoveResponse(move=last.move, repeated_call=True)
    await refused(submit(organiser, entrants[0], match_id, "0.999", index=0), "MATCH_OVER", "over")


async def test_a_new_stream_is_told_of_a_match_that_is_archived_that_it_is_over_if_its_bot_played_in_it(
    organiser: Organiser, store: StoreView
) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    await play_match(*organiser.by_chance(*entrants))
    await organiser.record(match_id)
    await store.forgets(match_id)
    for entrant, reason in (*[(e, "MATCH_OVER") for e in entrants], (await organiser.entrant(), "NOT_YOUR_MATCH")):
        async with Stream(organiser.address, entrant.token) as stream:
            await stream.hello()
            for _ in range(2):
                await stream.answer(match_id, "0.0", index=0)
                refusal = await stream.refusal()
                assert (refusal.reason, refusal.match_id, refusal.decision_id) == (reason, match_id, "0.0")
                assert not refusal.still_open
                await stream.send(resign=play_pb2.Resign(match_id=match_id))
                refusal = await stream.refusal()
                assert (refusal.reason, refusal.match_id, refusal.decision_id) == (reason, match_id, "")
            await stream.answer("unknown", "0.0", index=0)
            assert (await stream.refusal()).reason == "NOT_YOUR_MATCH"


async def test_an_answer_that_comes_before_the_stream_has_its_seat_is_taken(organiser: Organiser) -> None:
    async with by_hand(organiser, clock=PATIENT) as (match_id, first, two, (_, entrant)):
        decision = (await two.decision()).decision
        async with Stream(organiser.address, entrant.token) as again:
            await again.send(hello=play_pb2.Hello())
            await again.answer(match_id, decision.decision_id, index=1)
            await first.decision()
            await again.send(resign=play_pb2.Resign(match_id=match_id))
            assert (await first.over()).over.forfeited_seat == 1


@pytest.mark.exhaustive
async def test_bots_that_answer_twice_and_bots_that_flood_finish_their_match_with_one_move_each(
    organiser: Organiser,
) -> None:
    entrant, other = await organiser.entrant("doubling"), await organiser.entrant("flooding")
    match_id = await organiser.match(entrant, other)
    doubling = Bot(organiser.address, entrant.token, bots.doubling)
    flooding = Bot(organiser.address, other.token, bots.flooding)
    await play_match(doubling, flooding)
    record = await organiser.record(match_id)
    assert moves(record, 0) == [d.decision_id for d in doubling.journals[match_id].decisions]
    assert set(kinds(record)) == {"ready", "move"}
    assert {r.reason for r in flooding.journals[match_id].refusals} == {"NOT_YOUR_DECISION"}


@pytest.mark.exhaustive
async def test_too_many_answers_at_once_are_refused_and_the_match_goes_on(organiser: Organiser) -> None:
    async with by_hand(organiser) as (match_id, _, two, _):
        decision = (await two.decision()).decision
        for _ in range(1_500):
            await two.answer(match_id, decision.decision_id, index=0)
        refusals: set[str] = set()
        while True:
            message = await two.receive()
            if message.HasField("refusal"):
                refusals.add(message.refusal.reason)
                assert message.refusal.code == 8
            elif message.update.HasField("decision"):
                break
        assert refusals <= {"TOO_FAST"}


# --- simultaneous choices


@pytest.mark.parametrize("order", [(0, 1), (1, 0), None])
async def test_simultaneous_commitments_are_hidden_until_both_are_there_in_any_order(
    organiser: Organiser, order: tuple[int, int] | None
) -> None:
    at_once = play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE)
    async with by_hand(organiser, delivery=at_once) as (match_id, first, two, _):
        designation = (await two.decision()).decision
        await two.answer(match_id, designation.decision_id, text="designate 2")
        streams = first, two
        commitments = [(await stream.decision()).decision for stream in streams]
        assert [d.legal_count for d in commitments] == [10, 10]

        async def commit(seat: int) -> None:
            await streams[seat].answer(match_id, commitments[seat].decision_id, index=seat + 3)

        if order is None:
            await asyncio.gather(commit(0), commit(1))
        else:
            await commit(order[0])
            view = await organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id)).read()
            assert not [e for e in view.events if e.naga.HasField("battled")]
            await commit(order[1])
        updates = [await stream.update() for stream in streams]
        for seat, update in enumerate(updates):
            [battle] = [e.naga.battled for e in update.events if e.naga.HasField("battled")]
            assert list(battle.played[seat].cards) == list(commitments[seat].legal_moves[seat + 3].naga.commit.cards)


async def test_a_seat_that_has_committed_is_told_nothing_of_the_other_until_both_have(organiser: Organiser) -> None:
    async with by_hand(organiser, delivery=play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE)) as (
        match_id, first, two, _,
    ):  # fmt: skip
        await two.answer(match_id, (await two.decision()).decision.decision_id, index=0)
        await two.decision()
        commitment = (await first.decision()).decision
        await first.answer(match_id, commitment.decision_id, index=0)
        assert await two.quiet()


# --- clocks


async def test_a_silent_bot_plays_default_moves_until_it_forfeits(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant("silent"), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=FAST)
    silent = Bot(organiser.address, entrant.token, bots.silent)
    await play_match(silent, Bot(organiser.address, other.token, bots.first))
    record = await organiser.record(match_id)
    assert kinds(record, 0)[1:] == ["timeout", "timeout", "timeout", "forfeit"]
    assert record.end.forfeited_seat == 0
    assert record.end.forfeit_cause == record_pb2.FORFEIT_CAUSE_TIMEOUTS
    assert list(record.end.outcome.scores) == [-1, 1]
    late = [entry for entry in record.log if entry.seat == 0 and entry.HasField("timeout")]
    assert silent.journals[match_id].timed_out == [entry.decision_id for entry in late]
    assert all(entry.spent.bot_us >= 1_500_000 for entry in late)


async def test_without_a_limit_a_silent_bot_plays_default_moves_to_the_end(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant("silent"), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=record_pb2.Clock(move_ms=30))
    await play_match(
        Bot(organiser.address, entrant.token, bots.silent), Bot(organiser.address, other.token, bots.silent)
    )
    record = await organiser.record(match_id)
    assert set(kinds(record)) == {"ready", "timeout"}
    assert not record.end.HasField("forfeited_seat")


async def test_a_late_answer_is_refused_without_penalty_and_the_default_move_stands(organiser: Organiser) -> None:
    async with by_hand(organiser, record_pb2.Clock(move_ms=100, max_illegal=1), LONG) as (
        match_id,
        _,
        two,
        (_, entrant),
    ):
        decision = (await two.decision()).decision
        update = await two.decision()
        assert update.timed_out[0] == decision.decision_id
        await two.answer(match_id, decision.decision_id, index=2)
        refusal = await two.refusal()
        assert (refusal.reason, refusal.code, refusal.still_open) == ("DECISION_CLOSED", 10, False)
        message = await refused(
            submit(organiser, entrant, match_id, decision.decision_id, index=2), "DECISION_CLOSED", "time ran out"
        )
        assert "default move" in message
        assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_PLAYING


async def test_what_a_seat_does_out_of_turn_says_nothing_of_the_other_seats_decisions(organiser: Organiser) -> None:
    async with by_hand(organiser, record_pb2.Clock(move_ms=100), LONG) as (match_id, first, two, _):
        timed_out = (await two.decision()).decision.decision_id
        await two.decision()
        for decision_id in (timed_out, "1.7"):
            await first.answer(match_id, decision_id, index=0)
            refusal = await first.refusal()
            assert refusal.reason == "NOT_YOUR_DECISION"
            assert refusal.message.replace(decision_id, "") == (
                "seat 0 was never asked decision ''; answer with the id of the decision."
                " If it was put to you, the match was rolled back: look at your seat again"
            )


async def test_time_over_the_moves_own_is_taken_from_the_bank_and_the_increment_added(organiser: Organiser) -> None:
    clock = record_pb2.Clock(move_ms=50, bank_ms=60_000, increment_ms=20, max_timeouts=1)
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=clock)
    slow = Bot(organiser.address, entrant.token, bots.slow(0.4))
    await play_match(slow, Bot(organiser.address, other.token, bots.first))
    record = await organiser.record(match_id)
    assert not record.end.HasField("forfeited_seat")
    replay = Replay(record.header, record.seed)
    bank, decided, over = 60_000_000, 0, 0
    decisions = slow.journals[match_id].decisions
    for entry in record.log:
        replay.apply(entry)
        if entry.seat == 0 and entry.HasField("move"):
            over += entry.spent.bot_us > 50_000  # a service that gets no core begins to count late
            assert decisions[decided].bank_ms == bank // 1000
            assert decisions[decided].time_ms <= 50 + bank // 1000
            bank = max(0, bank - max(0, entry.spent.bot_us - 50_000)) + 20_000
            assert replay.bank_us[0] == bank
            decided += 1
    assert decided > 5
    assert over


async def test_a_bank_that_is_used_up_leaves_the_moves_own_time(organiser: Organiser) -> None:
    clock = record_pb2.Clock(move_ms=60, bank_ms=200)
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=clock)
    silent = Bot(organiser.address, entrant.token, bots.silent)
    await play_match(silent, Bot(organiser.address, other.token, bots.first))
    record = await organiser.record(match_id)
    spent = [e.spent.bot_us for e in record.log if e.seat == 0 and e.HasField("timeout")]
    assert spent[0] >= 260_000
    assert all(us >= 60_000 for us in spent[1:])
    first, *rest = silent.journals[match_id].decisions
    assert first.bank_ms == 200
    assert 60 < first.time_ms <= 260
    assert len(rest) > 5
    assert all(decision.bank_ms == 0 and decision.time_ms <= 60 for decision in rest)
