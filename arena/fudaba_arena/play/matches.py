"""One match of a block: asked for, waited for, its result stored."""

from __future__ import annotations

import time
from functools import partial
from math import inf
from typing import Final, final

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.executor import Failed
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.retry import Retry
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.seeds import match_seed
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.closed_blocks import MatchResult
from fudaba_arena.store.results import Store, StoreUnavailable, Taken

__all__ = ["MatchRuns", "StoreRetry", "store_retry"]

StoreRetry = Retry[StoreUnavailable]

_START_MS: Final = 3_000
"""How long bots may take to be there again after the arena was away."""
_BEAT_MS: Final = 1_500
"""How long after its last sign of life an arena may have died."""

_FORFEITS: Final = {
    record_pb2.FORFEIT_CAUSE_RESIGNED: "resigned",
    record_pb2.FORFEIT_CAUSE_TIMEOUTS: "timeouts",
    record_pb2.FORFEIT_CAUSE_ILLEGAL: "illegal",
}
_ABORTS: Final = {
    record_pb2.ABORT_CAUSE_NO_SHOW: "no_show",
    record_pb2.ABORT_CAUSE_ORGANISER: "organiser",
    record_pb2.ABORT_CAUSE_RULES_CHANGED: "rules_changed",
}


def store_retry(say: Say, metrics: Metrics) -> StoreRetry:
    """Repeats what the store is asked for until it answers."""
    return StoreRetry("the arena's store", StoreUnavailable, say, lambda _: metrics.store_errors.inc())


@final
class MatchRuns:
    """Plays the matches of a tournament, each once, whatever dies in between."""

    def __init__(
        self,
        state: TournamentState,
        store: Store,
        service: ServiceClient,
        retry: StoreRetry,
        metrics: Metrics,
    ) -> None:
        self._state = state
        self._store = store
        self._service = service
        self._retry = retry
        self._metrics = metrics
        self._left = frozenset(state.stored.created)
        """Matches that an earlier run has asked for."""
        self._begin_ms = time.time() * 1000
        self._last_ms = state.stored.alive_ms
        """When the run before this one was last alive; 0 when there was none."""

    async def play(self, block: Block, planned: PlannedMatch) -> MatchResult | Failed:
        """The result of a match, stored, or why it has none."""
        known = self._state.stored.results.get(planned.match_id)
        if known is not None:
            return known
        # After a run that was killed, the service may have matches of which nothing is noted here.
        match = await self._service.match(planned.match_id) if self._last_ms else None
        if match is None and planned.match_id not in self._left:
            match = await self._create(block, planned)
        elif match is not None and self._was_alone(match, planned):
            return Failed(planned.match_id, "away")
        # The service has lost a match that it had: its cards may have been seen.
        ended = await self._service.ended(planned.match_id) if match is not None else None
        if ended is None:
            return Failed(planned.match_id, "lost")
        if ended.state == matches_pb2.MATCH_STATE_ABORTED:
            return _failure(planned, ended)
        return await self._store_result(block, _result(block, planned, ended))

    async def _store_result(self, block: Block, result: MatchResult) -> MatchResult:
        name = self._state.tournament.name
        taken = await self._retry(partial(self._store.store_result, name, block.slot, block.attempt, result))
        if taken is Taken.LATE:  # the block became void meanwhile
            return result
        if taken is Taken.STORED:
            self._metrics.result()
        self._state.stored.results[result.match_id] = result
        return result

    async def _create(self, block: Block, planned: PlannedMatch) -> matches_pb2.Match:
        match = await self._service.create_match(self._request(block, planned))
        stored, name = self._state.stored, self._state.tournament.name
        await self._retry(partial(self._store.store_created, name, block.slot, block.attempt, planned.match_id))
        stored.created.add(planned.match_id)
        self._metrics.scheduled.inc()
        if block.attempt:
            self._metrics.retried.inc()
        return match

    def _request(self, block: Block, planned: PlannedMatch) -> matches_pb2.CreateMatchRequest:
        tournament = self._state.tournament
        clock, game = tournament.clock, tournament.game(block.game)
        return matches_pb2.CreateMatchRequest(
            match_id=planned.match_id,
            game=game.game,
            options={name: option_to_proto(value) for name, value in game.options.items()},
            players=[record_pb2.Player(bot=bot.bot, version=bot.version) for bot in map(tournament.bot, planned.bots)],
            clock=record_pb2.Clock(
                move_ms=clock.move_ms,
                increment_ms=clock.increment_ms,
                bank_ms=clock.bank_ms,
                max_timeouts=clock.max_timeouts,
                max_illegal=clock.max_illegal,
                start_ms=tournament.connect_seconds * 1000,
            ),
            seed=match_seed(self._state.stored.master, block, planned),
            hidden=True,
            label=tournament.name,
        )

    def _was_alone(self, match: matches_pb2.Match, planned: PlannedMatch) -> bool:
        """Whether a match ended, or ran on for as long as a move may take, while the arena and its bots were dead.

        It looks at times only, never at the result. A bot in such a match may have lost by no fault of its own.
        """
        if all(self._state.tournament.bot(name).remote for name in planned.bots):
            return False
        ended_ms = match.end.end_time.ToMilliseconds() if match.HasField("end") else inf
        if ended_ms < self._begin_ms:
            return ended_ms > self._last_ms + _BEAT_MS
        return self._begin_ms + _START_MS > self._last_ms + self._state.tournament.clock.move_ms


def _failure(planned: PlannedMatch, match: matches_pb2.Match) -> Failed:
    absent = tuple(planned.bots[seat] for seat in match.end.absent_seats if seat < len(planned.bots))
    return Failed(planned.match_id, _ABORTS.get(match.end.abort_cause, "lost"), absent)


def _result(block: Block, planned: PlannedMatch, match: matches_pb2.Match) -> MatchResult:
    end = match.end
    return MatchResult(
        match_id=planned.match_id,
        block=block.number,
        deal=planned.deal,
        bots=planned.bots,
        scores=tuple(end.outcome.scores),
        forfeited=planned.bots[end.forfeited_seat] if end.HasField("forfeited_seat") else "",
        forfeit_cause=_FORFEITS.get(end.forfeit_cause, ""),
        ended_ms=end.end_time.ToMilliseconds(),
    )
