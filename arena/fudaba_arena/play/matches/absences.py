"""Bots that are away in the middle of a block, and forfeit what is left of it where the ladder says so.

A bot that can leave knows how its matches went that are over. So from the first match of a block on, its absence must
not end the block: a match of which it misses the beginning is forfeited, and so are all that are left to it in the
block. One that somebody else runs is waited for before its next match is asked for, for as long and as often as the
ladder's grace says; matches in play go on meanwhile, by their clocks. Who lost the connection by no fault of its own is
found out when the block is over, by who knows of all of them: then the block is void.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from typing import Final, final

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import ABSENT, MatchResult
from fudaba_arena.tournament.absence import Absence

__all__ = ["Absences", "Attendance", "absence_result"]

_POLL_SECONDS: Final = 0.5


@final
@dataclass(slots=True)
class Absences:
    """Who was away in an attempt at a block."""

    over: asyncio.Event
    """Set when it is known how the attempt ended."""
    begun: bool = False
    """Whether a match of it has begun, as far as that is known."""
    gone: set[str] = field(default_factory=set)
    """Who forfeits what is left."""
    graces: Counter[str] = field(default_factory=Counter)
    """How often each was waited for."""
    waited_until: dict[str, float] = field(default_factory=dict)
    """Until when those are waited for that are away, by the monotonic clock."""

    def note(self, result: MatchResult) -> None:
        """Notes what a result says of it."""
        self.begun = True
        self.gone.update(result.absent)


@final
class Attendance:
    """Finds out who is away."""

    def __init__(self, service: ServiceClient) -> None:
        self._service = service

    async def missing(self, spec: BlockSpec, planned: PlannedMatch, absences: Absences) -> tuple[str, ...]:
        """The bots that forfeit a match of a block before it is asked for: they have gone, and are not back in time."""
        if spec.absence is None or not absences.begun:
            return ()
        remote = [name for name in planned.bots if spec.bots[name].remote and name not in absences.gone]
        away = await self._away(spec, remote)
        while self._waits_for(spec.absence, remote, away, absences) and not absences.over.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await absences.over.wait()
            away = await self._away(spec, remote)
        return self._charge(planned, {*away, *absences.gone}, absences)

    async def charged(
        self, spec: BlockSpec, planned: PlannedMatch, ended: matches_pb2.Match, absences: Absences
    ) -> tuple[tuple[str, ...], bool]:
        """The bots for which a match was aborted before it began, and whether they forfeit it.

        They do if a match of its block has begun, and some bot of this one was there.
        """
        if spec.absence is None or ended.HasField("start_time"):
            return (), False
        absent: Collection[str] = ()
        if ended.end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW:
            absent = {planned.bots[seat] for seat in ended.end.absent_seats if seat < len(planned.bots)}
        elif ended.end.abort_cause == record_pb2.ABORT_CAUSE_ORGANISER:
            absent = await self._paused(spec, planned)
        names = tuple(name for name in planned.bots if name in absent)
        if not names or not (absences.begun or await self._any_begun(spec)):
            return names, False
        absences.begun = True
        return names, bool(self._charge(planned, names, absences))

    def _waits_for(self, rule: Absence, names: Collection[str], away: Collection[str], absences: Absences) -> bool:
        """Whether a bot of these is away that is still waited for: each is, as often in a block as its grace says."""
        now = time.monotonic()
        for name in names:
            if name not in away:
                absences.waited_until.pop(name, None)
            elif name not in absences.waited_until:
                more = absences.graces[name] < rule.graces
                absences.graces[name] += 1
                absences.waited_until[name] = now + (rule.grace_seconds if more else 0)
        return any(now < absences.waited_until[name] for name in away)

    def _charge(self, planned: PlannedMatch, absent: Collection[str], absences: Absences) -> tuple[str, ...]:
        """Those of the bots of a match that forfeit it; none where nobody would be left to win it."""
        names = tuple(name for name in planned.bots if name in absent)
        if len(names) == len(planned.bots):
            return ()
        absences.gone.update(names)
        return names

    async def _away(self, spec: BlockSpec, names: Collection[str]) -> set[str]:
        """Those of some bots that somebody else runs, and that could not begin a match now.

        A suspended one is another matter: it never costs anything.
        """
        if not names:
            return set()
        present = await self._service.present([spec.bots[name].bot for name in names])
        versions = {name: f"{spec.bots[name].bot}@{spec.bots[name].version}" for name in names}
        return {name for name in names if versions[name] not in present.here | present.suspended}

    async def _paused(self, spec: BlockSpec, planned: PlannedMatch) -> set[str]:
        """Those bots of a match that are paused at the service: a match waits for them until somebody aborts it."""
        names = [name for name in planned.bots if spec.bots[name].pausable]
        if not names:
            return set()
        present = await self._service.present([spec.bots[name].bot for name in names])
        return {name for name in names if f"{spec.bots[name].bot}@{spec.bots[name].version}" in present.paused}

    async def _any_begun(self, spec: BlockSpec) -> bool:
        """Whether a match of a block has begun that may not be over."""
        for planned in spec.matches:
            match = await self._service.match(planned.match_id)
            if match is not None and match.HasField("start_time"):
                return True
        return False


def absence_result(spec: BlockSpec, planned: PlannedMatch, absent: Collection[str], worker: str) -> MatchResult:
    """The result of a match that these bots forfeit: each seat of theirs lost all there was to lose to each other one.

    Seats with equal scores have not met.
    """
    seats, gone = len(planned.bots), len(absent)
    points = max(1, ceil(spec.win_margin / seats))
    return MatchResult(
        match_id=planned.match_id,
        block=spec.number,
        deal=planned.deal,
        bots=planned.bots,
        scores=tuple(points * (gone - seats if name in absent else gone) for name in planned.bots),
        forfeited=next(name for name in planned.bots if name in absent),
        forfeit_cause=ABSENT,
        ended_ms=int(time.time() * 1000),
        worker=worker,
    )
