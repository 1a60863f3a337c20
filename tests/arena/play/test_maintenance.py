"""What an arena knows of maintenance, and what it keeps back because of it."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from pathlib import Path

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import catalog_pb2
from fudaba_arena.play.challenges.challenge_play import OpenChallenge, challenge_state
from fudaba_arena.play.challenges.challenge_scheduler import MAINTENANCE, ChallengeScheduler
from fudaba_arena.play.matches.attempts import Attempt, Attempts, StartOrder
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.service import maintenance
from fudaba_arena.play.service.maintenance import InMaintenance, KnownMaintenance
from fudaba_arena.play.service.maintenance_hold import MaintenanceHold
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.tournament.challenge_definition import Challenge
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.hosting import alone
from tests.support.arena.schedule.attempts import submitted_attempt
from tests.support.arena.schedule.states import state
from tests.support.folders import short_folder

HOUR_SECONDS = 3600


def answer(begins_in_seconds: float | None = None, ahead_seconds: float = 0) -> catalog_pb2.GetMaintenanceResponse:
    """Returns the answer of a service whose clock is ahead, and which has maintenance of an hour at a time from now, or
    none.
    """
    found = catalog_pb2.GetMaintenanceResponse()
    now_ms = int((time.time() + ahead_seconds) * 1000)
    found.now.FromMilliseconds(now_ms)
    if begins_in_seconds is not None:
        found.maintenance.id = "m"
        found.maintenance.begin_time.FromMilliseconds(now_ms + int(begins_in_seconds * 1000))
        found.maintenance.end_time.FromMilliseconds(now_ms + int((begins_in_seconds + HOUR_SECONDS) * 1000))
    return found


@pytest.mark.parametrize("ahead_seconds", [0, 7200, -7200])
def test_maintenance_is_under_way_by_the_service_s_clock(ahead_seconds: float) -> None:
    known = KnownMaintenance()
    known.note(answer(-60, ahead_seconds))
    assert known.is_under_way
    assert abs(known.end_ms / 1000 - time.time() - HOUR_SECONDS + 60) < 30
    known.note(answer(60, ahead_seconds))
    assert not known.begins_within(0)
    assert known.begins_within(90)
    assert not known.begins_within(30)


def test_when_maintenance_ends_early_its_end_is_known_until_the_next_one_has_begun() -> None:
    known = KnownMaintenance()
    assert known.begun_end_ms == 0
    known.note(answer(60))
    assert known.begun_end_ms == 0, "it has not begun"
    known.note(answer(-60))
    assert known.begun_end_ms > time.time() * 1000
    known.note(answer())
    ended_ms = known.begun_end_ms
    assert 0 < ended_ms <= time.time() * 1000
    known.note(answer(60))
    assert known.begun_end_ms == ended_ms


def test_a_refusal_is_known_as_maintenance_until_the_service_says_otherwise() -> None:
    known = KnownMaintenance()
    known.note_refusal(ServiceError("UNAVAILABLE", "maintenance", reason="MAINTENANCE", retry_after=30.0))
    assert known.is_under_way
    assert known.end_ms / 1000 - time.time() <= 30
    known.note(answer())
    assert not known.is_under_way


def test_no_block_begins_that_would_not_end_before_maintenance_by_the_latest_blocks() -> None:
    known = KnownMaintenance()
    hold = MaintenanceHold(known)
    known.note(answer(600))
    assert not hold, "nothing is known of the blocks"
    minutes_ago = {"naga": 5, "nerts": 15}
    for game, minutes in minutes_ago.items():
        hold.note_end(game, int((time.time() - minutes * 60) * 1000))
    assert hold
    assert hold.until_ms == known.end_ms
    hold.note_end("nerts", int((time.time() - 60) * 1000))
    assert not hold
    assert hold.until_ms == 0


def test_a_block_that_maintenance_interrupted_says_nothing_about_the_usual_time() -> None:
    known = KnownMaintenance()
    hold, opened_ms = MaintenanceHold(known), int((time.time() - 1800) * 1000)
    known.note(answer(-900))
    known.note(answer())
    hold.note_end("naga", opened_ms)
    known.note(answer(600))
    assert not hold


async def test_a_refused_match_waits_again_and_is_started_first_after_the_maintenance() -> None:
    attempt, known = submitted_attempt(state(2, blocks=1), "bot-0"), KnownMaintenance()
    played: list[PlannedMatch] = []

    async def play(_: Attempt, match: PlannedMatch) -> MatchResult | None:
        if not played:
            known.note_refusal(ServiceError("UNAVAILABLE", "maintenance", retry_after=HOUR_SECONDS))
            played.append(match)
            raise InMaintenance("maintenance")
        played.append(match)
        return MatchResult(match.match_id, attempt.spec.number, match.deal, match.bots, (0, 0))

    order = StartOrder(1, rests=lambda: known.is_under_way)
    async with asyncio.TaskGroup() as tasks:
        attempts = Attempts(order, tasks, play)
        planned = [*attempt.waiting]
        attempts.begin(attempt)
        while not played or order.taken:  # noqa: ASYNC110  # nobody tells of a match that is put back
            await asyncio.sleep(0)
        assert [*attempt.waiting] == planned
        assert not attempt.sat
        assert not attempt.over.is_set()
        with known.followed(attempts.settle_all):
            watching = tasks.create_task(known.watch(nothing_announced, print))
            async with asyncio.timeout(timedelta(minutes=5).total_seconds()):
                await attempt.over.wait()
            watching.cancel()
    assert played == [planned[0], *planned]


async def test_a_block_that_is_called_off_while_all_its_matches_wait_is_over() -> None:
    attempt = submitted_attempt(state(2, blocks=1, deals=3))

    async def refused(_: Attempt, __: PlannedMatch) -> MatchResult:
        raise InMaintenance("maintenance")

    order = StartOrder(1, rests=lambda: True)
    async with asyncio.TaskGroup() as tasks:
        attempts = Attempts(order, tasks, refused)
        attempts.begin(attempt)
        attempts.fail(attempt, AttemptFailed(attempt.spec.matches[0].match_id, "suspended"))
        assert attempt.over.is_set()
    assert not order.attempts


async def test_the_log_tells_of_each_maintenance_under_way_also_of_one_that_replaces_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(maintenance, "_POLL_SECONDS", 0.0)
    answers = [answer(60), answer(-60), answer(-60), answer(-120), answer()]
    answers[3].maintenance.id = "replacement"
    lines, all_heard = list[str](), asyncio.Event()

    async def ask() -> catalog_pb2.GetMaintenanceResponse:
        if not answers:
            all_heard.set()
            await asyncio.Event().wait()
        return answers.pop(0)

    watching = asyncio.create_task(KnownMaintenance().watch(ask, lines.append))
    await all_heard.wait()
    watching.cancel()
    begun, replaced, over = lines
    assert begun.startswith("the service has maintenance until ")
    assert replaced.startswith("the service has maintenance until ")
    assert begun != replaced, "their ends are a minute apart"
    assert over == "the service's maintenance is over: matches begin again"


async def test_a_challenge_that_is_kept_back_before_announced_maintenance_waits_for_its_end(tmp_path: Path) -> None:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        store = Store(server.url)
        arena = alone(store, tmp_path)
        challenge = Challenge.from_tournament(
            state(2).tournament,
            challenge_id="late",
            ladder="open",
            challenger="bot-0@1",
            challenged="bot-1@1",
            account="",
            owners=("", ""),
            created_ms=1,
            expires_ms=2,
        )
        known = await challenge_state(challenge, store)
        retry = store_retry(print, arena.metrics)
        executor = arena.executor(known, retry)
        runner = TournamentRunner(known, arena.home, arena.service, executor, retry, arena.metrics, print)
        runner.maintenance_hold.note_end("naga", int((time.time() - 600) * 1000))
        waiting = OpenChallenge(arena, challenge, print)
        waiting._runner = runner
        scheduler = ChallengeScheduler(arena, TournamentRegistry(arena, None), 1)
        arena.service.maintenance.note(answer(300))
        assert scheduler.waits(waiting) == (MAINTENANCE, "")
        arena.service.maintenance.note(answer(HOUR_SECONDS))
        assert scheduler.waits(waiting) == ("", "")
        await arena.service.close()
        await store.close()


async def nothing_announced() -> catalog_pb2.GetMaintenanceResponse:
    return answer()
