"""Whose absence costs a match of a block that has begun, and whose does not: nobody's by a fault of ours."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

import pytest

from fudaba.client import Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import record_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.absences import Absences, Attendance, paused_message
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.matches.match_play import Earlier, MatchRuns, Seating
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.beginning import begin
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from tests.support.arena.running import Service
from tests.support.patience import until
from tests.support.service.bots import Bot, by_chance

CONNECT_SECONDS = 4
"""The time for which a bot that never comes is waited for; one that is here is known to be ready by then, beside much
else too."""


@dataclass
class Begun:
    """A block of two authors' bots of which a match has begun."""

    hosted: Service
    store: Store
    service: ServiceClient
    spec: BlockSpec
    tokens: dict[str, str]
    """The tokens of its bots, by name."""

    @property
    def match(self) -> PlannedMatch:
        return self.spec.matches[0]

    @property
    def first(self) -> str:
        """The bot in the first seat."""
        return self.match.bots[0]

    @property
    def second(self) -> str:
        return self.match.bots[1]

    def under(self, rule: AbsenceRule) -> None:
        self.spec = replace(self.spec, absence=rule)

    def submitted(self, name: str) -> None:
        """Has a bot be one that a worker runs: nobody does here."""
        self.spec = replace(self.spec, bots={**self.spec.bots, name: replace(self.spec.bots[name], submission="s")})

    @asynccontextmanager
    async def connected(self, *names: str) -> AsyncIterator[None]:
        """Has some of its bots here, which play by chance."""
        bots = [Bot(self.hosted.address, self.tokens[name], by_chance) for name in names]
        playing = [asyncio.create_task(bot.play(99)) for bot in bots]

        async def here() -> bool:
            present = await self.service.present([self.spec.bots[name].bot for name in names])
            return len(present.here) == len(names)

        await until(here, "they are here")
        try:
            yield
        finally:
            for task in playing:
                task.cancel()
            await asyncio.wait(playing)

    async def result(
        self,
        absences: Absences | None = None,
        earlier: Earlier | None = None,
        seating: AbstractAsyncContextManager[Seating] | None = None,
    ) -> MatchResult | AttemptFailed | None:
        """Returns what comes of the match when it is played."""
        metrics = Metrics()
        runs = MatchRuns(
            self.store,
            self.service,
            store_retry(print, metrics),
            metrics,
            lambda _, __: seating or _seating(Seating()),
            earlier or Earlier(),
        )
        return await runs.play(self.spec, self.match, absences or begun())


def begun() -> Absences:
    return Absences(asyncio.Event(), begun=True)


@asynccontextmanager
async def _seating(seating: Seating) -> AsyncIterator[Seating]:
    yield seating


@pytest.fixture
async def block(hosted: Service, tmp_path: Path) -> AsyncIterator[Begun]:
    service = ServiceClient(Endpoint(hosted.address, hosted.arena_token), print)
    unique = secrets.token_hex(4)
    names = [f"{letter}-{unique}" for letter in "ab"]
    try:
        tokens = {}
        for name in names:
            await service.create_bot(name, name, "1")
            tokens[name] = await service.new_token(name, "1")
        async with open_to_play(tmp_path / "data", None, print) as home:
            bots = tuple(BotEntry(name, version="1") for name in names)
            state = await begin(Tournament(f"t-{unique}", (TournamentGame("naga", blocks=1),), bots), home.store)
            spec = BlockSpec.from_block(state, next(iter(state.schedule)))
            spec = replace(spec, absence=AbsenceRule(grace_seconds=0), connect_seconds=CONNECT_SECONDS)
            yield Begun(hosted, home.store, service, spec, tokens)
    finally:
        await service.close()


async def test_a_bot_that_is_away_forfeits_the_next_match_of_its_block(block: Begun) -> None:
    async with block.connected(block.second):
        found = await block.result()
    assert isinstance(found, MatchResult)
    assert found.absent == (block.first,)


# --- what an earlier process has begun


@pytest.mark.parametrize("gone", [False, True], ids=["it is away", "it has forfeited a match of the block"])
async def test_a_match_that_was_played_while_the_arena_was_down_counts_as_it_was_played(
    block: Begun, gone: bool
) -> None:
    block.spec = replace(block.spec, connect_seconds=600)  # nobody is waited for
    async with block.connected(block.first, block.second):
        played = await block.result()
    assert isinstance(played, MatchResult)
    absences = begun()
    absences.gone.update({block.first} if gone else ())
    async with block.connected(block.second):
        now_ms = time.time() * 1000
        found = await block.result(absences, Earlier(created=[block.match.match_id], last_ms=now_ms, begin_ms=now_ms))
    assert found == played


async def test_a_match_that_the_service_has_lost_is_nobody_s_absence(block: Begun) -> None:
    async with block.connected(block.second):
        found = await block.result(earlier=Earlier(created=[block.match.match_id]))
    assert found == AttemptFailed(block.match.match_id, "lost")


async def test_a_bot_that_did_not_come_while_an_earlier_process_waited_for_it_forfeits_nothing(block: Begun) -> None:
    block.submitted(block.first)
    async with block.connected(block.second):
        with without_forfeits(block):
            await block.result()
        now_ms = time.time() * 1000
        earlier = Earlier(created=[block.match.match_id], last_ms=now_ms + 60_000, begin_ms=now_ms + 60_000)
        found = await block.result(earlier=earlier)
    assert found == AttemptFailed(block.match.match_id, "host")


@contextmanager
def without_forfeits(block: Begun) -> Iterator[None]:
    spec = block.spec
    block.spec = replace(spec, absence=None)
    yield
    block.spec = spec


# --- what was the host's fault


async def test_a_submitted_bot_that_does_not_connect_forfeits(block: Begun) -> None:
    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result()
    assert isinstance(found, MatchResult)
    assert found.absent == (block.first,)


async def test_it_does_not_where_the_host_could_not_run_it(block: Begun) -> None:
    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result(seating=_seating(Seating(host_fault="its program had not begun to run")))
    assert found == AttemptFailed(block.match.match_id, "host")


async def test_it_does_not_where_the_match_was_over_before_it_was_started(block: Begun) -> None:
    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result(seating=_seating(Seating(too_late=True)))
    assert found == AttemptFailed(block.match.match_id, "host")


async def test_it_does_not_where_whoever_runs_it_could_not_reach_the_service_meanwhile(block: Begun) -> None:
    @asynccontextmanager
    async def cut_off() -> AsyncIterator[Seating]:
        block.service.faulted_at = time.monotonic()
        yield Seating()

    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result(seating=cut_off())
    assert found == AttemptFailed(block.match.match_id, "host")


async def test_a_bot_that_the_arena_itself_starts_never_forfeits_by_absence(block: Begun) -> None:
    own = replace(block.spec.bots[block.first], command=("a-bot",))
    block.spec = replace(block.spec, bots={**block.spec.bots, block.first: own})
    async with block.connected(block.second):
        found = await block.result()
    assert found == AttemptFailed(block.match.match_id, "no_show", (block.first,))


# --- the grace


class Waits:
    """Bots that are waited for before a match, by a clock of the test's own."""

    def __init__(self, block: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
        self.block = block
        self.now = 1_000.0
        self.attendance = Attendance(block.service)
        monkeypatch.setattr("fudaba_arena.play.matches.absences.time.monotonic", lambda: self.now)

    def for_bots(self, away: set[str], absences: Absences, until_when: dict[str, float] | None = None) -> bool:
        """Returns whether a match waits for these bots; it is the same match with the same `until_when`."""
        times = until_when if until_when is not None else {}
        return self.attendance._waits_for(self.block.spec, away, absences, times)


async def test_a_bot_is_waited_for_as_long_and_as_often_in_a_block_as_the_ladder_says(
    block: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    block.under(AbsenceRule(grace_seconds=60, graces=2))
    waits, absences = Waits(block, monkeypatch), begun()
    for _ in range(2):
        match: dict[str, float] = {}
        assert waits.for_bots({block.first}, absences, match)
        waits.now += 59.9
        assert waits.for_bots({block.first}, absences, match)
        assert not waits.for_bots(set(), absences, match), "it is back"
    assert not waits.for_bots({block.first}, absences), "it has had two graces"


async def test_a_bot_that_was_away_together_with_its_opponent_has_its_next_grace_all_the_same(
    block: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, absences = Waits(block, monkeypatch), begun()
    assert await waits.attendance.missing(block.spec, block.match, absences) == (), "nobody would be left to win it"
    block.under(AbsenceRule(grace_seconds=60, graces=2))
    waits.now += 1
    assert waits.for_bots({block.first}, absences)


async def test_matches_that_wait_for_a_bot_at_once_share_its_grace(
    block: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    block.under(AbsenceRule(grace_seconds=60, graces=1))
    waits, absences, matches = Waits(block, monkeypatch), begun(), [dict[str, float](), dict[str, float]()]
    assert all(waits.for_bots({block.first}, absences, match) for match in matches)
    waits.now += 61
    assert not any(waits.for_bots({block.first}, absences, match) for match in matches)
    assert absences.graces[block.first] == 1


async def test_when_the_service_is_back_every_bot_has_the_time_to_connect(
    block: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    block.under(AbsenceRule(grace_seconds=0))
    block.spec = replace(block.spec, connect_seconds=60)
    waits, absences, match = Waits(block, monkeypatch), begun(), dict[str, float]()
    assert not waits.for_bots({block.first}, absences, match)
    block.service.faulted_at = waits.now
    waits.now += 59
    assert waits.for_bots({block.first}, absences, match)
    waits.now += 2
    assert not waits.for_bots({block.first}, absences, match)


# --- pausing


async def test_a_match_that_a_bot_s_pause_held_up_is_forfeited_though_the_bot_is_resumed_by_then(block: Begun) -> None:
    @asynccontextmanager
    async def paused_for_a_moment() -> AsyncIterator[Seating]:
        await block.service.abort_unbegun(block.match.match_id, paused_message([0]))
        yield Seating()

    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result(seating=paused_for_a_moment())
    assert isinstance(found, MatchResult)
    assert found.absent == (block.first,)


async def test_a_match_that_the_organiser_ends_is_nobody_s_absence(block: Begun) -> None:
    @asynccontextmanager
    async def ended() -> AsyncIterator[Seating]:
        await block.service.abort_unbegun(block.match.match_id, "the hall is closed")
        yield Seating()

    block.submitted(block.first)
    async with block.connected(block.second):
        found = await block.result(seating=ended())
    assert found == AttemptFailed(block.match.match_id, "organiser")


# --- what counts as a fault of the service


@pytest.mark.parametrize(
    ("code", "counts"),
    [("UNAVAILABLE", True), ("DEADLINE_EXCEEDED", True), ("INTERNAL", True), ("RESOURCE_EXHAUSTED", False)],
)
async def test_a_service_that_does_not_answer_has_failed_and_one_that_is_asked_too_often_has_not(
    tmp_path: Path, code: str, *, counts: bool
) -> None:
    service, answers = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), print), ["answer"]

    async def method(_: object, **__: object) -> str:
        if answers:
            raise ServiceError(code, answers.pop(), reason="TOO_MANY_REQUESTS", retry_after=0.0)
        return "answer"

    assert await service._call(method, record_pb2.Player()) == "answer"
    assert (service.faulted_at > -inf) is counts
    await service.close()
