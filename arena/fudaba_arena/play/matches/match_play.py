"""One match of a block: creates it, waits for it, and stores its result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Final, final

from fudaba.codec import option_to_proto
from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.absences import Absences, Attendance, absence_result
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.matches.own_match import OTHER_MATCH, is_planned, record_is_planned
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.blocks.open_blocks import NoteOutcome
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry
from fudaba_arena.store.usage.seat_credit import credited_in
from fudaba_arena.store.usage.seat_use import SeatUse
from fudaba_arena.store.usage.time_use import EVEN_MS, MatchTime, decided_ms, shared_out
from fudaba_arena.tournament.limits import PONDER
from fudaba_arena.tournament.terms import Clock

__all__ = ["Earlier", "MatchRuns", "Seating", "clock_message"]

_START_MS: Final = 3_000
"""The time that bots may take to return after the arena was away."""
_BEAT_MS: Final = 1_500
"""The longest time between an arena's last sign of life and its death."""


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


@final
@dataclass(frozen=True, slots=True)
class Earlier:
    """The matches that an earlier process left, and that this process plays."""

    results: Mapping[str, MatchResult] = field(default_factory=dict)
    """The results, by match id."""
    created: Collection[str] = ()
    """The ids of the matches that it created on the service."""
    last_ms: float = 0
    """The time of its last sign of life, in milliseconds since 1970; 0 if there was no such process."""
    begin_ms: float = 0
    """The time when this process began."""
    cause: str = "away"
    """The reason that makes a block void if one of its matches went on without its bots."""

    def was_alone(self, match: matches_pb2.Match, spec: BlockSpec, planned: PlannedMatch) -> bool:
        """Returns whether a match ended while the arena and its bots were dead, or ran on for as long as a move may
        take.

        It looks at times only, never at the result. A bot in such a match may have lost by no fault of its own.
        """
        if all(spec.bots[name].remote for name in planned.bots):
            return False
        ended_ms = match.end.end_time.ToMilliseconds() if match.HasField("end") else inf
        if ended_ms < self.begin_ms:
            return ended_ms > self.last_ms + _BEAT_MS
        return self.begin_ms + _START_MS > self.last_ms + spec.clock.move_ms

    def cost_too_much(self, record: record_pb2.MatchRecord, spec: BlockSpec, planned: PlannedMatch) -> bool:
        """Returns whether a decision of a finished match lasted so long that its bot may have missed it while it was
        dead. Starting the bot again may take long on a busy machine, which is not the bot's fault.

        It looks only at times. Whether the decision was answered in the end makes no difference.
        """
        ours = {seat for seat, name in enumerate(planned.bots) if not (spec.bots[name].remote or spec.bots[name].house)}
        enough_ms = spec.clock.move_ms - (self.begin_ms - self.last_ms)
        for entry in record.log:
            took_ms = (entry.spent.server_us + entry.spent.network_us + entry.spent.bot_us) / 1000
            was_open = bool(entry.decision_id) and entry.at_ms - took_ms < self.begin_ms <= entry.at_ms
            if was_open and entry.seat in ours and took_ms > enough_ms:
                return True
        return False


@final
@dataclass(slots=True)
class Seating:
    """The known facts about the bots that were started for a match. They are complete when the bots have ended."""

    given_up: dict[str, str] = field(default_factory=dict)
    """The bots for which the arena resigned because they could not be kept running, each with the reason."""
    host_fault: str = ""
    """The reason why the host could not run a bot; empty if it could."""
    too_late: bool = False
    """Whether the match ended before all of them were started."""
    starved: str = ""
    """The submitted bot that missed something because others used its core; empty if none did."""
    used: list[SeatUse] = field(default_factory=list)
    """How each submitted bot among them ran, in any order."""


@final
@dataclass(frozen=True, slots=True)
class _Opened:
    """A match that exists on the service."""

    commitment: bytes
    """The commitment to its seed, which no other match has."""
    proven: bool
    """Whether the service has also confirmed that its seed is the planned one."""


Seated = Callable[[BlockSpec, PlannedMatch], AbstractAsyncContextManager[Seating]]
"""Runs the bots that are started here for a match on the service, until the context is left."""


@final
class MatchRuns:
    """Plays matches, each once, whatever process dies in between."""

    def __init__(
        self,
        store: Store,
        service: ServiceClient,
        retry: StoreRetry,
        metrics: Metrics,
        seated: Seated,
        earlier: Earlier,
        worker: str = "",
    ) -> None:
        """`worker` identifies the worker; empty for an arena that plays by itself."""
        self._store = store
        self._service = service
        self._retry = retry
        self._metrics = metrics
        self._seated = seated
        self._earlier = earlier
        self._worker = worker
        self._attendance = Attendance(service)

    async def play(
        self, spec: BlockSpec, planned: PlannedMatch, absences: Absences | None = None
    ) -> MatchResult | AttemptFailed | None:
        """Returns the stored result of a match, or why there is none; None if a bot is withdrawn before the match
        begins.

        `absences` are those of the attempt at its block.
        """
        absences = absences or Absences(asyncio.Event())
        known = self._earlier.results.get(planned.match_id)
        if known is not None:
            absences.note(known)
            return known
        # A run that was killed may have left matches on the service that are not noted here.
        begun = await self._service.match(planned.match_id) if self._earlier.last_ms else None
        if begun is None and planned.match_id not in self._earlier.created:
            # A match that an earlier process created ends by its own rules, whoever is away now.
            missing = await self._attendance.missing(spec, planned, absences)
            if missing and not absences.over.is_set():
                return await self._store_result(spec, absence_result(spec, planned, missing, self._worker))
        return None if absences.over.is_set() else await self._played(spec, planned, absences, begun)

    async def _played(
        self, spec: BlockSpec, planned: PlannedMatch, absences: Absences, begun: matches_pb2.Match | None
    ) -> MatchResult | AttemptFailed | None:
        """Plays a match whose bots are present, as far as is known, or that already exists on the service."""
        asked_at = time.monotonic() if begun is None else -inf
        opened = await self._open(spec, planned, begun)
        if opened is None or isinstance(opened, AttemptFailed):
            return opened
        async with self._seated(spec, planned) as seating:
            ended = await self._service.ended(planned.match_id)
        taken = await self._taken(spec, planned, opened, ended, seating)
        if isinstance(taken, MatchResult):
            absences.note(taken)
        elif ended is not None and taken.cause in {"no_show", "organiser"}:
            charged = await self._attendance.charged(spec, planned, ended, absences, asked_at)
            if isinstance(charged, AttemptFailed):
                return charged
            if charged:
                return await self._store_result(spec, absence_result(spec, planned, charged, self._worker))
        return taken

    async def _taken(
        self,
        spec: BlockSpec,
        planned: PlannedMatch,
        opened: _Opened,
        ended: matches_pb2.Match | None,
        seating: Seating,
    ) -> MatchResult | AttemptFailed:
        """Returns the stored result of a finished match, or why it has none."""
        if ended is None:
            return AttemptFailed(planned.match_id, "lost")
        if (other := await self._not_planned(spec, planned, opened, ended.header)) is not None:
            return other
        if seating.starved or ended.state == matches_pb2.MATCH_STATE_ABORTED:
            return _failure(spec, planned, ended, seating)
        if await self._cost_too_much(ended, spec, planned):
            return AttemptFailed(planned.match_id, self._earlier.cause)
        result = _result(spec, planned, ended, seating, self._worker)
        return await self._store_result(spec, await self._with_times(spec, planned, ended, result))

    async def _with_times(
        self, spec: BlockSpec, planned: PlannedMatch, ended: matches_pb2.Match, result: MatchResult
    ) -> MatchResult:
        """Returns the result of a finished match, with network credits and the resources that its seats used.

        Remote bots get time credits. Bots that an arena starts use match tokens and get none. A result counts without
        either: if the service no longer has a record, the match's time is divided evenly.
        """
        remote = [seat for seat, name in enumerate(planned.bots) if spec.bots[name].remote]
        credits_some = bool(remote) and spec.clock.network_credit
        took_ms = max(0, ended.end.end_time.ToMilliseconds() - ended.header.create_time.ToMilliseconds())
        needed = credits_some or took_ms >= EVEN_MS
        record = await self._service.record_if_there(planned.match_id) if needed else None
        seats = len(planned.bots)
        decided = decided_ms(record, seats) if record is not None and took_ms >= EVEN_MS else [0] * seats
        cpu_ms = [0] * seats
        for seat_use in result.used:
            cpu_ms[seat_use.seat] = seat_use.cpu_ms
        credited = tuple(credited_in(record, remote)) if record is not None and credits_some else ()
        return replace(result, credited=credited, time=MatchTime(shared_out(took_ms, decided, cpu_ms), spec.sharing))

    async def _cost_too_much(self, ended: matches_pb2.Match, spec: BlockSpec, planned: PlannedMatch) -> bool:
        """Returns whether the death of the process that began a match may have cost a bot its time to move."""
        earlier = self._earlier
        if not earlier.last_ms or ended.header.create_time.ToMilliseconds() >= earlier.begin_ms:
            return False
        return earlier.cost_too_much(await self._service.record(planned.match_id), spec, planned)

    async def _not_planned(
        self, spec: BlockSpec, planned: PlannedMatch, opened: _Opened, header: record_pb2.MatchHeader
    ) -> AttemptFailed | None:
        """Returns why the result of a finished match is not that of the planned match; None if it is."""
        match_id = planned.match_id
        if header.commitment != opened.commitment or not is_planned(header, spec, planned):
            return AttemptFailed(match_id, OTHER_MATCH)
        if opened.proven:
            return None
        record = await self._service.record_if_there(match_id)
        if record is None:
            return AttemptFailed(match_id, "lost")  # without a record, the match's deal is unknown
        return None if record_is_planned(record, spec, planned) else AttemptFailed(match_id, OTHER_MATCH)

    async def _open(
        self, spec: BlockSpec, planned: PlannedMatch, match: matches_pb2.Match | None
    ) -> _Opened | AttemptFailed | None:
        """Makes sure that the service has a match. Returns None if it is not wanted, or why it fails.

        `match` is what the service has of the match from an earlier process.
        """
        earlier, match_id = self._earlier, planned.match_id
        if match is not None:
            if not is_planned(match.header, spec, planned):
                return AttemptFailed(match_id, OTHER_MATCH)
            if earlier.was_alone(match, spec, planned):
                return AttemptFailed(match_id, earlier.cause)
            return _Opened(match.header.commitment, proven=False)
        if match_id in earlier.created:
            return AttemptFailed(
                match_id, "lost"
            )  # the service has lost a match that it had: its cards may have been seen
        return await self._create(spec, planned)

    async def _store_result(self, spec: BlockSpec, result: MatchResult) -> MatchResult:
        store = partial(self._store.open_blocks.store_result, spec.tournament, spec.slot, spec.attempt, result)
        if await self._retry(store) is NoteOutcome.STORED:
            self._metrics.result()
        return result

    async def _create(self, spec: BlockSpec, planned: PlannedMatch) -> _Opened | AttemptFailed | None:
        """Creates a match on the service. Returns None if it is not wanted.

        It is ended at once if one of its bots was withdrawn meanwhile, or its block became void.
        """
        try:
            created = await self._service.create_match(_request(spec, planned))
        except ServiceError as error:
            if error.reason not in {"MATCH_EXISTS", "MATCH_EXPIRED"}:
                raise
            return AttemptFailed(planned.match_id, OTHER_MATCH)
        note = partial(
            self._store.open_blocks.store_created,
            spec.tournament,
            spec.slot,
            spec.attempt,
            planned.match_id,
            planned.bots,
        )
        taken = await self._retry(note)
        if taken is NoteOutcome.WITHDRAWN:
            await self._service.abort(planned.match_id, "a bot of it is withdrawn")
            return None
        if taken is NoteOutcome.LATE:
            await self._service.abort(planned.match_id, "its block is void")
        self._metrics.scheduled.inc()
        if spec.attempt:
            self._metrics.retried.inc()
        # An earlier request with another seed, other bots or any other difference was refused.
        return _Opened(created.header.commitment, proven=True)


def clock_message(clock: Clock, connect_seconds: int) -> record_pb2.Clock:
    """Returns a tournament's clock for the service, with the time that bots have to connect."""
    return record_pb2.Clock(
        move_ms=clock.move_ms,
        increment_ms=clock.increment_ms,
        bank_ms=clock.bank_ms,
        max_timeouts=clock.max_timeouts,
        max_illegal=clock.max_illegal,
        start_ms=connect_seconds * 1000,
        no_network_credit=not clock.network_credit,
    )


def _request(spec: BlockSpec, planned: PlannedMatch) -> matches_pb2.CreateMatchRequest:
    bots = [spec.bots[name] for name in planned.bots]
    request = matches_pb2.CreateMatchRequest(
        match_id=planned.match_id,
        game=spec.game,
        options={name: option_to_proto(value) for name, value in spec.options.items()},
        clock=clock_message(spec.clock, spec.connect_seconds),
        seed=spec.seed(planned),
        hidden=True,
        names_hidden=spec.names_hidden,
        concealed=spec.concealed(int(time.time() * 1000)),
        label=spec.tournament,
    )
    players = [record_pb2.Player(bot=bot.bot, version=bot.version) for bot in bots]
    if not any(bot.house for bot in bots):
        request.players.extend(players)
        return request
    for bot, player in zip(bots, players, strict=True):
        request.seats.append(matches_pb2.Seat(house_bot=bot.bot) if bot.house else matches_pb2.Seat(bot=player))
    return request


def _failure(spec: BlockSpec, planned: PlannedMatch, match: matches_pb2.Match, seating: Seating) -> AttemptFailed:
    absent = tuple(planned.bots[seat] for seat in match.end.absent_seats if seat < len(planned.bots))
    never_started = seating.too_late and any(not spec.bots[name].remote for name in absent)
    if seating.host_fault or seating.starved or never_started:
        return AttemptFailed(planned.match_id, "starved" if seating.starved and not seating.host_fault else "host")
    return AttemptFailed(planned.match_id, _ABORTS.get(match.end.abort_cause, "lost"), absent)


def _result(
    spec: BlockSpec,
    planned: PlannedMatch,
    match: matches_pb2.Match,
    seating: Seating,
    worker: str,
) -> MatchResult:
    end = match.end
    forfeited = planned.bots[end.forfeited_seat] if end.HasField("forfeited_seat") else ""
    cause = _FORFEITS.get(end.forfeit_cause, "")
    return MatchResult(
        match_id=planned.match_id,
        block=spec.number,
        deal=planned.deal,
        bots=planned.bots,
        scores=tuple(end.outcome.scores),
        forfeited=forfeited,
        forfeit_cause=seating.given_up.get(forfeited, cause) if cause == "resigned" else cause,
        ended_ms=end.end_time.ToMilliseconds(),
        worker=worker,
        used=tuple(sorted(seating.used, key=lambda seat_use: seat_use.seat)),
        rules=(PONDER,) if seating.used and not spec.limits.ponder else (),
    )
