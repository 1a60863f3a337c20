"""One match of a block: asked for, waited for, its result stored."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final, final

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.blocks import Block, Table, table_seed
from fudaba_arena.link import Link
from fudaba_arena.metrics import Metrics
from fudaba_arena.patience import Patience
from fudaba_arena.state import TournamentState
from fudaba_arena.store import MatchResult, Store

__all__ = ["Failed", "MatchRuns"]

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
}


@final
@dataclass(frozen=True, slots=True)
class Failed:
    """A match that ended without a result that counts."""

    cause: str
    """As in `VoidBlock`."""
    bots: tuple[str, ...] = ()
    """To whom it is put down."""


@final
class MatchRuns:
    """Plays the matches of a tournament, each once, whatever dies in between."""

    def __init__(self, state: TournamentState, store: Store, link: Link, patience: Patience, metrics: Metrics) -> None:
        self._state = state
        self._store = store
        self._link = link
        self._patience = patience
        self._metrics = metrics
        self._left = frozenset(state.stored.created)
        """Matches that an earlier run has asked for."""
        self._begin_ms = time.time() * 1000
        self._last_ms = state.stored.alive_ms
        """When the run before this one was last alive; 0 when there was none."""

    async def play(self, block: Block, table: Table) -> MatchResult | Failed:
        """The result of a match, stored, or why it has none."""
        known = self._state.stored.results.get(table.match_id)
        if known is not None:
            return known
        # After a run that was killed, the service may have matches of which nothing is noted here.
        match = await self._link.match(table.match_id) if self._last_ms else None
        if match is None and table.match_id not in self._left:
            match = await self._create(block, table)
        elif match is not None and self._was_alone(match, table):
            return Failed("away")
        # The service has lost a match that it had: its cards may have been seen.
        ended = await self._link.ended(table.match_id) if match is not None else None
        if ended is None:
            return Failed("lost")
        if ended.state == matches_pb2.MATCH_STATE_ABORTED:
            return _failure(ended)
        return await self._store_result(_result(block, table, ended))

    async def _store_result(self, result: MatchResult) -> MatchResult:
        name = self._state.tournament.name
        if await self._patience(partial(self._store.store_result, name, result)):
            self._metrics.finished.inc()
        self._state.stored.results[result.match_id] = result
        return result

    async def _create(self, block: Block, table: Table) -> matches_pb2.Match:
        match = await self._link.create_match(self._request(block, table))
        stored, name = self._state.stored, self._state.tournament.name
        await self._patience(partial(self._store.store_created, name, table.match_id))
        stored.created.add(table.match_id)
        self._metrics.scheduled.inc()
        if block.attempt:
            self._metrics.retried.inc()
        return match

    def _request(self, block: Block, table: Table) -> matches_pb2.CreateMatchRequest:
        tournament = self._state.tournament
        clock, game = tournament.clock, tournament.game(block.game)
        return matches_pb2.CreateMatchRequest(
            match_id=table.match_id,
            game=game.game,
            options={name: option_to_proto(value) for name, value in game.options.items()},
            players=[record_pb2.Player(bot=name, version=tournament.bot(name).version) for name in table.bots],
            clock=record_pb2.Clock(
                move_ms=clock.move_ms,
                increment_ms=clock.increment_ms,
                bank_ms=clock.bank_ms,
                max_timeouts=clock.max_timeouts,
                max_illegal=clock.max_illegal,
                start_ms=tournament.connect_seconds * 1000,
            ),
            seed=table_seed(self._state.stored.master, block, table),
            withheld=True,
            label=tournament.name,
        )

    def _was_alone(self, match: matches_pb2.Match, table: Table) -> bool:
        """Whether a match ended, or ran on for as long as a move may take, while the arena and its bots were dead.

        It looks at times only, never at the result. A bot in such a match may have lost by no fault of its own.
        """
        if all(self._state.tournament.bot(name).remote for name in table.bots):
            return False
        ended_ms = match.end.end_time.ToMilliseconds() if match.HasField("end") else inf
        if ended_ms < self._begin_ms:
            return ended_ms > self._last_ms + _BEAT_MS
        return self._begin_ms + _START_MS > self._last_ms + self._state.tournament.clock.move_ms


def _failure(match: matches_pb2.Match) -> Failed:
    seats = match.end.absent_seats
    absent = tuple(match.header.players[seat].bot for seat in seats if seat < len(match.header.players))
    return Failed(_ABORTS.get(match.end.abort_cause, "lost"), absent)


def _result(block: Block, table: Table, match: matches_pb2.Match) -> MatchResult:
    end = match.end
    return MatchResult(
        match_id=table.match_id,
        block=block.number,
        deal=table.deal,
        bots=table.bots,
        scores=tuple(end.outcome.scores),
        forfeited=table.bots[end.forfeited_seat] if end.HasField("forfeited_seat") else "",
        forfeit_cause=_FORFEITS.get(end.forfeit_cause, ""),
        ended_ms=end.end_time.ToMilliseconds(),
    )
