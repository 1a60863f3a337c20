"""Whole matches over Play, and what bots, people and spectators are told on the way."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from fudaba.replay import Replay
from fudaba.v1 import game_pb2, matches_pb2, play_pb2, record_pb2
from tests.support.service import bots
from tests.support.service.bots import Bot, play_match
from tests.support.service.journal import Journal
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.players import played, shown

EVENTS = (
    play_pb2.EVENT_DELIVERY_WITH_DECISION,
    play_pb2.EVENT_DELIVERY_AT_ONCE,
    play_pb2.EVENT_DELIVERY_NEVER,
)
LEGAL = (play_pb2.LEGAL_MOVE_FORMAT_TYPED, play_pb2.LEGAL_MOVE_FORMAT_TEXT, play_pb2.LEGAL_MOVE_FORMAT_COUNT)


@pytest.mark.parametrize(("legal", "events"), list(itertools.product(LEGAL, EVENTS)))
@pytest.mark.parametrize("acknowledge", [True, False])
async def test_a_match_is_played_to_its_end_in_every_way_of_being_told(
    organiser: Organiser,
    legal: play_pb2.LegalMoveFormat.ValueType,
    events: play_pb2.EventDelivery.ValueType,
    acknowledge: bool,
) -> None:
    delivery = play_pb2.Delivery(legal_moves=legal, events=events, acknowledge=acknowledge)
    entrants = await organiser.entrant(), await organiser.entrant()
    players = [
        Bot(organiser.address, entrant.token, bots.by_chance, delivery=delivery, chance=seat)
        for seat, entrant in enumerate(entrants)
    ]
    match_id = await organiser.match(*entrants)
    await play_match(*players)
    record = await organiser.record(match_id)
    for seat, player in enumerate(players):
        journal = player.journals[match_id]
        assert journal.header == record.header
        assert journal.over == record.end
        assert journal.refusals == []
        moves = [entry.decision_id for entry in record.log if entry.seat == seat and entry.HasField("move")]
        assert [decision.decision_id for decision in journal.decisions] == moves
        assert journal.accepted == moves
        assert journal.events == ([] if events == play_pb2.EVENT_DELIVERY_NEVER else shown(record, seat))
        assert journal.seen == len(shown(record, seat))
        for decision in journal.decisions:
            assert decision.required
            assert 0 < decision.time_ms <= 20_000
            assert len(decision.legal_moves) == (decision.legal_count if legal == LEGAL[0] else 0)
            assert len(decision.legal_texts) == (decision.legal_count if legal == LEGAL[1] else 0)
        if not acknowledge and events != play_pb2.EVENT_DELIVERY_AT_ONCE:
            # One message for each decision, and one each for the beginning and the end.
            assert len(journal.updates) <= len(moves) + 2


async def test_the_defaults_are_typed_moves_and_events_with_the_next_decision(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    players = organiser.by_chance(entrant, other, delivery=play_pb2.Delivery())
    match_id = await organiser.match(entrant, other)
    await play_match(*players)
    for player in players:
        journal = player.journals[match_id]
        assert all(len(decision.legal_moves) == decision.legal_count for decision in journal.decisions)
        assert not [u for u in journal.updates[1:] if not u.HasField("decision") and not u.HasField("over")]


async def test_an_answer_is_acknowledged_at_once_if_so_wanted_else_with_the_next_update(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    async with (
        bots.Stream(organiser.address, entrant.token) as asks,
        bots.Stream(organiser.address, other.token) as waits,
    ):
        await asks.hello(delivery=play_pb2.Delivery(acknowledge=True))
        await waits.hello()
        designation = (await waits.decision()).decision
        await waits.answer(match_id, designation.decision_id, index=0)
        assert (await waits.decision()).accepted == [designation.decision_id]
        commitment = (await asks.decision()).decision
        await asks.answer(match_id, commitment.decision_id, index=0)
        update = await asks.update()
        assert update.accepted == [commitment.decision_id]
        assert not update.HasField("decision")


async def test_one_stream_carries_many_matches_and_new_ones_as_they_are_made(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    early = [await organiser.match(entrant, other) for _ in range(5)]
    players = organiser.by_chance(entrant, other)
    playing = asyncio.create_task(play_match(*players, matches=10))
    late = [await organiser.match(other, entrant) for _ in range(5)]
    await playing
    for match_id in early + late:
        assert (await organiser.ended(match_id)).state == matches_pb2.MATCH_STATE_FINISHED
        await organiser.record(match_id)
    assert [player.connections for player in players] == [1, 1]


async def test_options_seed_label_and_clock_are_those_that_were_asked_for(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    clock = record_pb2.Clock(
        move_ms=9_000, increment_ms=10, bank_ms=500, max_timeouts=2, max_illegal=4, start_ms=30_000
    )
    match_id = await organiser.match(
        entrant,
        other,
        clock=clock,
        seed=bytes(range(32)),
        label="a cup",
        options={"deals": game_pb2.OptionValue(number=2)},
    )
    record = await played(organiser, match_id, entrant, other)
    assert record.seed == bytes(range(32))
    assert record.header.clock == clock
    assert record.header.label == "a cup"
    assert record.header.options["deals"].number == 2
    assert record.header.options["first_dealer"].number == 0
    assert sum(event.naga.HasField("dealt") for event in shown(record, None)) == 2


# --- people: WatchSeat and SubmitMove


async def test_a_seat_is_played_by_watching_it_and_submitting_moves(organiser: Organiser) -> None:
    person, bot = await organiser.entrant("person"), await organiser.entrant()
    match_id = await organiser.match(person, bot)
    playing = asyncio.create_task(Bot(organiser.address, bot.token, bots.by_chance).play())
    metadata = bots.bearer(person.token)
    journal = Journal(match_id)
    watch = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=metadata)
    async for response in watch:
        journal.take(response.update)
        if response.update.HasField("decision"):
            decision = response.update.decision
            answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, move=decision.legal_moves[-1])
            submitted = await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=metadata)
            assert submitted.move == decision.legal_moves[-1]
            assert not submitted.repeated_call
    await playing
    record = await organiser.record(match_id)
    assert journal.over == record.end
    assert journal.events == shown(record, 0)
    assert journal.accepted == [d.decision_id for d in journal.decisions]


async def test_a_seat_may_be_watched_while_a_bot_plays_it(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    watch = organiser.play.WatchSeat(
        play_pb2.WatchSeatRequest(
            match_id=match_id, delivery=play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE)
        ),
        metadata=bots.bearer(entrant.token),
    )
    journal = Journal(match_id)
    first = await watch.read()
    journal.take(first.update)
    task = asyncio.create_task(played(organiser, match_id, entrant, other))
    async for response in bots.messages(watch):
        journal.take(response.update)
    assert journal.events == shown(await task, 0)


async def test_watching_a_seat_again_goes_on_from_what_was_seen_also_after_the_end(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    record = await played(organiser, match_id, entrant, other)
    everything = shown(record, 1)
    for seen in (0, 3, len(everything), len(everything) + 7):
        request = play_pb2.WatchSeatRequest(match_id=match_id, seen=seen)
        updates = [r.update async for r in organiser.play.WatchSeat(request, metadata=bots.bearer(other.token))]
        # More than there ever was is not part of this match: all is told again.
        known = 0 if seen > len(everything) else seen
        assert [event for update in updates for event in update.events] == everything[known:]
        assert [update.rewound for update in updates] == [seen > len(everything)]
        assert updates[-1].over == record.end
        assert updates[-1].seen == len(everything)


# --- spectators


async def test_a_spectator_sees_the_public_view_of_the_rules_and_never_a_card_of_a_hand(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    first = await watch.read()
    assert first.match.state == matches_pb2.MATCH_STATE_WAITING
    assert not first.HasField("view")
    playing = asyncio.create_task(played(organiser, match_id, entrant, other))
    responses = [first, *[response async for response in bots.messages(watch)]]
    record = await playing
    assert [event for response in responses for event in response.events] == shown(record, None)
    assert responses[-1].match.state == matches_pb2.MATCH_STATE_FINISHED
    assert responses[-1].match.end == record.end
    assert responses[-1].seen == len(shown(record, None))
    public_views = views_by_seen(record)
    for response in responses[1:]:
        assert response.view in public_views[response.seen]
        assert not response.view.naga.hand
        assert not response.view.naga.committed
        for event in response.events:
            assert event.naga.WhichOneof("kind") != "received"


def views_by_seen(record: record_pb2.MatchRecord) -> dict[int, list[game_pb2.View]]:
    """Returns the spectator's views that the rules give at each number of public events."""
    replay = Replay(record.header, record.seed)
    found: dict[int, list[game_pb2.View]] = {}
    for entry in record.log:
        replay.apply(entry)
        view = game_pb2.View()
        replay.codec.view_to_proto(replay.match.view(None), view)
        found.setdefault(len(replay.match.shown(None)), []).append(view)
    return found


async def test_a_match_that_is_over_can_be_watched_from_any_point(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    record = await played(organiser, match_id, entrant, other)
    everything = shown(record, None)
    for seen in (0, 5, len(everything), 4_000_000_000):
        request = matches_pb2.WatchMatchRequest(match_id=match_id, seen=seen)
        responses = [response async for response in organiser.matches.WatchMatch(request)]
        assert [event for response in responses for event in response.events] == everything[seen:]
        assert responses[-1].match.end == record.end


async def test_nobody_is_shown_anything_of_the_deal_before_all_bots_are_there(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    async with bots.Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        update = await stream.update()
        assert update.HasField("started")
        assert (update.seen, len(update.events), update.HasField("decision")) == (0, 0, False)
        assert await stream.quiet()
    record = await played(organiser, match_id, entrant, other)
    assert kinds(record)[:2] == ["ready", "ready"]


async def test_hidden_matches_are_shown_to_the_organiser_only_until_they_are_released(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other, hidden=True)
    players = organiser.by_chance(entrant, other)
    await play_match(*players)
    assert (await organiser.ended(match_id)).hidden
    for_all = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))).match
    assert not for_all.HasField("end")
    stranger = await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))
    assert stranger.match.hidden
    assert not stranger.match.HasField("end")
    listed = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest())
    assert not any(match.HasField("end") for match in listed.matches if match.header.match_id == match_id)
    await organiser.record(match_id)
    watched = organiser.matches.WatchMatch(
        matches_pb2.WatchMatchRequest(match_id=match_id), metadata=organiser.metadata
    )
    assert [response async for response in watched][-1].match.HasField("end")
    request = matches_pb2.ReleaseMatchesRequest(match_ids=[match_id, "another"])
    released = await organiser.matches.ReleaseMatches(request, metadata=organiser.metadata)
    assert released.released_count == 1
    assert not (await organiser.get(match_id)).hidden
    found = await organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id))
    assert found.record.header.match_id == match_id
