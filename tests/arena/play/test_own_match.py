"""A result counts only if the match is the block's own: that the service has a match under its id proves nothing."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fudaba.client import Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.matches.match_play import Earlier, MatchRuns, Seating, clock_message
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.beginning import begin
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from tests.support.arena.running import Service
from tests.support.patience import PATIENCE

FIRST, SECOND = BotEntry("house-first"), BotEntry("house-random")


@dataclass
class Planned:
    """A block of a tournament that has begun, and what plays its matches."""

    hosted: Service
    store: Store
    service: ServiceClient
    spec: BlockSpec

    @property
    def match(self) -> PlannedMatch:
        return self.spec.matches[0]

    def request(self) -> matches_pb2.CreateMatchRequest:
        """Returns what the arena asks the service for."""
        return matches_pb2.CreateMatchRequest(
            match_id=self.match.match_id,
            game=self.spec.game,
            clock=clock_message(self.spec.clock, self.spec.connect_seconds),
            seats=[matches_pb2.Seat(house_bot=bot) for bot in self.match.bots],
            seed=self.spec.seed(self.match),
            hidden=True,
            label=self.spec.tournament,
        )

    def played(self, request: matches_pb2.CreateMatchRequest) -> None:
        """Makes the service play a match to its end."""
        with self.hosted.client() as client:
            client.matches.CreateMatch(request, timeout=PATIENCE)
            waiting = matches_pb2.AwaitMatchRequest(match_id=request.match_id, wait_ms=20_000)
            while client.matches.AwaitMatch(waiting, timeout=PATIENCE).match.state != matches_pb2.MATCH_STATE_FINISHED:
                pass

    async def result(self, earlier: Earlier) -> MatchResult | AttemptFailed | None:
        """Returns what comes of the match when the arena plays it."""
        metrics = Metrics()
        runs = MatchRuns(
            self.store,
            self.service,
            store_retry(print, metrics),
            metrics,
            lambda _, __: nullcontext(Seating()),
            earlier,
        )
        return await runs.play(self.spec, self.match)


@pytest.fixture
async def planned(hosted: Service, tmp_path: Path) -> AsyncIterator[Planned]:
    service = ServiceClient(Endpoint(hosted.address, hosted.arena_token), print)
    name = f"own-{secrets.token_hex(4)}"
    try:
        async with open_to_play(tmp_path / "data", None, print) as home:
            state = await begin(Tournament(name, (TournamentGame("naga", blocks=1),), (FIRST, SECOND)), home.store)
            yield Planned(hosted, home.store, service, BlockSpec.from_block(state, next(iter(state.schedule))))
    finally:
        await service.close()


def after_a_run() -> Earlier:
    """A run was there until a moment ago, so that the service may have matches of which nothing is noted."""
    now_ms = time.time() * 1000
    return Earlier(last_ms=now_ms, begin_ms=now_ms, created=())


def other_bots(request: matches_pb2.CreateMatchRequest) -> None:
    request.seats.reverse()


def other_seed(request: matches_pb2.CreateMatchRequest) -> None:
    request.seed = bytes(32)


def other_label(request: matches_pb2.CreateMatchRequest) -> None:
    request.label = "another"


@pytest.mark.parametrize("change", [other_bots, other_seed, other_label])
@pytest.mark.parametrize("earlier", [Earlier(), after_a_run()], ids=["a first run", "after a run"])
async def test_a_match_that_differs_gives_no_result(planned: Planned, earlier: Earlier, change: object) -> None:
    request = planned.request()
    change(request)  # type: ignore[operator]  # one of the above
    planned.played(request)
    assert await planned.result(earlier) == AttemptFailed(planned.match.match_id, "other_match")
    stored = await planned.store.load(planned.spec.tournament)
    assert stored is not None
    assert not stored.results


class Expired:
    """The methods of a service that had a match, and whose retention has removed its record."""

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        async def refuse(request: Any, *, timeout: float) -> Any:  # noqa: ASYNC109  # as a stub has it
            del request, timeout
            raise ServiceError("NOT_FOUND", f"{method}: it was kept until yesterday", reason="MATCH_EXPIRED")

        return refuse


async def test_a_match_whose_record_is_kept_no_longer_gives_no_result_and_stops_nothing(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = planned.match.match_id
    noted = replace(after_a_run(), created=(match_id,))
    with monkeypatch.context() as patch:
        patch.setattr(planned.service, "_client", SimpleNamespace(matches=Expired()))
        assert await planned.result(noted) == AttemptFailed(match_id, "lost")
        assert await planned.result(after_a_run()) == AttemptFailed(match_id, "other_match")
        assert await planned.service.ended(match_id) is None
        assert await planned.service.record_if_there(match_id) is None
        await planned.service.abort(match_id, "it is over")


@pytest.mark.parametrize("earlier", [Earlier(), after_a_run()], ids=["a first run", "after a run"])
async def test_the_planned_match_counts_whoever_asked_for_it_before(planned: Planned, earlier: Earlier) -> None:
    planned.played(planned.request())
    found = await planned.result(earlier)
    assert isinstance(found, MatchResult)
    assert found.bots == planned.match.bots
    stored = await planned.store.load(planned.spec.tournament)
    assert stored is not None
    assert set(stored.results) == {planned.match.match_id}
