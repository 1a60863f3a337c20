"""When a bot was found to be away decides whether it was cut off; a match that a pause holds up says whose pause."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any, cast

import pytest

from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.absences import paused_message
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptPlayed
from fudaba_arena.play.service.maintenance import KnownMaintenance
from fudaba_arena.play.tournaments.excuses import Excuses
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.store.blocks.closed_block import ABSENT, MatchResult
from tests.support.arena.schedule.states import state


def block() -> Block:
    return next(iter(state(2).schedule))


def absence(planned: PlannedMatch, seconds_ago: float) -> MatchResult:
    """The bot in the first seat was found to be away so long ago."""
    scores, ended_ms = (-1, 1), int((time.time() - seconds_ago) * 1000)
    first = planned.bots[0]
    return MatchResult(planned.match_id, 0, planned.deal, planned.bots, scores, first, ABSENT, ended_ms)


async def test_an_absence_is_judged_by_when_it_was_found_first_not_by_when_its_block_is_over() -> None:
    asked: dict[str, float] = {}

    async def blameless(found_at: Mapping[str, float]) -> Collection[str]:
        asked.update(found_at)
        return ()

    began = time.monotonic()
    planned, excuses = block(), Excuses()
    excuses.blameless = blameless
    first, second = planned.matches[0], planned.matches[1]
    name = first.bots[0]
    seats = second if second.bots[0] == name else PlannedMatch(second.match_id, second.deal, second.bots[::-1])
    end = AttemptPlayed({first.match_id: absence(first, 600), second.match_id: absence(seats, 30)})
    assert await excuses.excused(planned, end) is end
    assert asked == {name: pytest.approx(began - 600, abs=5 + time.monotonic() - began)}


async def test_a_block_that_a_bot_forfeited_by_no_fault_of_its_own_is_void_and_put_down_to_nobody() -> None:
    async def blameless(found_at: Mapping[str, float]) -> Collection[str]:
        return list(found_at)

    planned, excuses = block(), Excuses()
    excuses.blameless = blameless
    first = planned.matches[0]
    assert await excuses.excused(planned, AttemptPlayed({first.match_id: absence(first, 1)})) == AttemptFailed(
        first.match_id, "no_show"
    )


async def test_a_match_that_waits_for_a_paused_bot_is_ended_with_its_seat_and_no_other_match_is() -> None:
    class Service:
        def __init__(self) -> None:
            self.ended: dict[str, str] = {}
            self.maintenance = KnownMaintenance()

        async def abort_unbegun(self, match_id: str, message: str) -> None:
            self.ended[match_id] = message

    tournament, service, nothing = state(3), Service(), cast(Any, None)
    runner = TournamentRunner(tournament, nothing, cast(Any, service), nothing, nothing, Metrics(), print)
    matches = [match for each in tournament.schedule for match in each.matches]
    paused = matches[0].bots[1]
    await runner._wait_no_longer(matches, [paused])
    assert service.ended == {
        match.match_id: paused_message([match.bots.index(paused)]) for match in matches if paused in match.bots
    }
    assert 0 < len(service.ended) < len(matches)
