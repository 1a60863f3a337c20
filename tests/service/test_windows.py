"""Windows on a service: pauses in which somebody may act out of turn, and which the referee closes."""

from __future__ import annotations

import pytest

from fudaba.records import verify
from fudaba.v1 import record_pb2
from tests.support.service.bots import play_match
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.windows import SEED, closed_windows, one_deal

WINDOW_MS = 60


async def record_of(organiser: Organiser, window_ms: int, game: str = "tashot") -> record_pb2.MatchRecord:
    """Returns the record of a deal between two bots that play by chance."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, game=game, options=one_deal(window_ms), seed=SEED)
    await play_match(*organiser.by_chance(*entrants))
    return await organiser.record(match_id)


@pytest.mark.exhaustive
@pytest.mark.rule("C8.8")
async def test_every_pause_of_numbers_crush_lasts_until_the_referee_closes_it(organiser: Organiser) -> None:
    assert closed_windows(await record_of(organiser, 5, "numbers_crush")) > 0


@pytest.mark.rule("TA4.6")
async def test_every_discard_is_followed_by_a_window_that_the_referee_closes(organiser: Organiser) -> None:
    record = await record_of(organiser, WINDOW_MS)
    discarded_ms = 0
    windows = 0
    for entry in record.log:
        if entry.HasField("move") and entry.move.tashot.HasField("discard"):
            discarded_ms = entry.at_ms
        elif entry.HasField("referee"):
            assert entry.referee.timer == "window"
            assert discarded_ms, "a window without a discard"
            assert entry.at_ms >= discarded_ms + WINDOW_MS
            discarded_ms, windows = 0, windows + 1
    assert windows > 0
    assert not discarded_ms, "a discard without a window"
    assert record.end.HasField("outcome")


async def test_a_record_in_which_the_referee_acts_too_early_or_unasked_is_wrong(organiser: Organiser) -> None:
    record = await record_of(organiser, WINDOW_MS)
    number = next(number for number, entry in enumerate(record.log) if entry.HasField("referee"))
    early = record_pb2.MatchRecord.FromString(record.SerializeToString())
    early.log[number].at_ms -= WINDOW_MS + 60_000
    assert verify(early) == [f"entry {number}: the timer 'window' fires before its time"]
    other = record_pb2.MatchRecord.FromString(record.SerializeToString())
    other.log[number].referee.timer = "door"
    assert verify(other) == [f"entry {number}: no timer 'door' runs"]


@pytest.mark.rule("TA4.6")
async def test_without_a_time_the_referee_does_nothing(organiser: Organiser) -> None:
    assert "referee" not in kinds(await record_of(organiser, 0))
