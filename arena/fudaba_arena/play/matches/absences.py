"""Handles bots that are away in the middle of a block. If the ladder says so, they forfeit the rest of it.

A bot that can leave knows the results of its finished matches. So once a block's first match has begun, absence must
not end the block. The bot forfeits a match whose beginning it misses, and all its remaining matches in the block. For a
remote bot, the arena waits before it asks for the bot's next match, for as long and as often as the ladder's grace
allows. Matches in play go on meanwhile, by their clocks. When the block is over, the losses of all bots show who was
cut off without fault: then the block is void.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from typing import Final, final

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import ABSENT, MatchResult

__all__ = ["Absences", "Attendance", "absence_result", "paused_message"]

_POLL_SECONDS: Final = 0.5
_PAUSED: Final = re.compile(r"a bot of it is paused: seat (\d+(?:, \d+)*)")
"""The pattern of the texts that `paused_message` makes."""


@final
@dataclass(slots=True)
class Absences:
    """The absences of bots in an attempt at a block."""

    over: asyncio.Event
    """Set when the end of the attempt is known."""
    begun: bool = False
    """Whether a match of it is known to have begun."""
    gone: set[str] = field(default_factory=set)
    """The bots that forfeit the rest of the block."""
    graces: Counter[str] = field(default_factory=Counter)
    """The number of times that the arena waited for each bot."""
    waited_until: dict[str, float] = field(default_factory=dict)
    """The monotonic time until which the arena waits for absent bots."""

    def note(self, result: MatchResult) -> None:
        """Notes the absences in a result."""
        self.begun = True
        self.gone.update(result.absent)


@final
class Attendance:
    """Finds out which bots are away."""

    def __init__(self, service: ServiceClient) -> None:
        self._service = service

    async def missing(self, spec: BlockSpec, planned: PlannedMatch, absences: Absences) -> tuple[str, ...]:
        """Returns the bots that forfeit a match before it is created: they have left, and did not return in time."""
        if spec.absence is None or not absences.begun:
            return ()
        remote = [name for name in planned.bots if spec.bots[name].remote and name not in absences.gone]
        until: dict[str, float] = {}
        away = await self._away(spec, remote)
        while self._waits_for(spec, away, absences, until) and not absences.over.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await absences.over.wait()
            away = await self._away(spec, remote)
        charged = self._charge(planned, {*away, *absences.gone}, absences)
        if not charged:  # the match is asked for, and with that the wait has ended: the next one has a grace of its own
            for name, waited_until in until.items():
                if absences.waited_until.get(name) == waited_until:
                    del absences.waited_until[name]
        return charged

    async def charged(
        self, spec: BlockSpec, planned: PlannedMatch, ended: matches_pb2.Match, absences: Absences, asked_at: float
    ) -> tuple[str, ...] | AttemptFailed:
        """Returns the bots that forfeit an aborted match by their absence, or why the attempt failed without a forfeit.

        Returns an empty tuple for a match that began, and for one that no absence ended. Absent bots forfeit only if a
        match of the block has begun, and some bot of this match was present.

        `asked_at` is the monotonic time at which the arena asked the service for the match. A bot may have missed a
        match because the service could not be reached since then. It is minus infinity if an earlier process asked,
        which leaves no record of such times.
        """
        if spec.absence is None or ended.HasField("start_time"):
            return ()
        no_show = ended.end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW
        seats = ended.end.absent_seats if no_show else await self._paused_seats(ended, planned.match_id)
        names = tuple(name for seat, name in enumerate(planned.bots) if seat in seats)
        if no_show and self._service.faulted_at >= asked_at:
            return AttemptFailed(planned.match_id, "host")
        if ours := tuple(name for name in names if not spec.bots[name].pausable):
            return AttemptFailed(
                planned.match_id, "no_show", ours
            )  # the arena starts these bots, so whatever kept them away is the arena's fault
        if names and (absences.begun or await self._any_begun(spec)):
            absences.begun = True
            if self._charge(planned, names, absences):
                return names
        return AttemptFailed(planned.match_id, "no_show", names) if names else ()

    def _waits_for(self, spec: BlockSpec, away: set[str], absences: Absences, until: dict[str, float]) -> bool:
        """Returns whether the arena waits for an absent bot: for each bot, as often in a block as its grace allows.

        If the service could not be reached meanwhile, each bot has the usual time to connect again. `until` is the end
        of the wait for each bot before this match. Matches that wait for a bot at the same time share its grace.
        """
        rule, now = spec.absence, time.monotonic()
        if rule is None:
            return False
        for name in until.keys() - away:
            absences.waited_until.pop(name, None)
            del until[name]
        for name in away - until.keys():
            if name not in absences.waited_until:
                more = absences.graces[name] < rule.graces
                absences.graces[name] += 1
                absences.waited_until[name] = now + (rule.grace_seconds if more else 0)
            until[name] = absences.waited_until[name]
        back_by = self._service.faulted_at + spec.connect_seconds
        return any(now < max(until[name], back_by) for name in away)

    def _charge(self, planned: PlannedMatch, absent: Collection[str], absences: Absences) -> tuple[str, ...]:
        """Decides which bots of a match forfeit it. Returns none if nobody would be left to win it."""
        names = tuple(name for name in planned.bots if name in absent)
        if len(names) == len(planned.bots):
            return ()
        absences.gone.update(names)
        return names

    async def _away(self, spec: BlockSpec, names: Collection[str]) -> set[str]:
        """Finds the remote bots among these that could not begin a match now.

        Suspended bots are excluded: a suspension never costs anything.
        """
        if not names:
            return set()
        present = await self._service.present([spec.bots[name].bot for name in names])
        versions = {name: f"{spec.bots[name].bot}@{spec.bots[name].version}" for name in names}
        return {name for name in names if versions[name] not in present.here | present.suspended}

    async def _paused_seats(self, ended: matches_pb2.Match, match_id: str) -> Collection[int]:
        """Finds the seats whose paused bots caused an abort, by `paused_message`; none for any other cause."""
        if ended.end.abort_cause != record_pb2.ABORT_CAUSE_ORGANISER:
            return ()
        record = await self._service.record_if_there(match_id)
        messages = (
            [entry.abort.message for entry in record.log if entry.HasField("abort")] if record is not None else []
        )
        found = [paused for paused in map(_PAUSED.fullmatch, messages) if paused is not None]
        return {int(seat) for paused in found for seat in paused[1].split(", ")}

    async def _any_begun(self, spec: BlockSpec) -> bool:
        """Returns whether a match of a block has begun and may still be in play."""
        for planned in spec.matches:
            match = await self._service.match(planned.match_id)
            if match is not None and match.HasField("start_time"):
                return True
        return False


def paused_message(seats: Collection[int]) -> str:
    """Returns the reason for aborting a match that waits for the paused bots of these seats. It records the absent
    seats.

    The bots may be resumed before the service is asked later.
    """
    return f"a bot of it is paused: seat {', '.join(map(str, sorted(seats)))}"


def absence_result(spec: BlockSpec, planned: PlannedMatch, absent: Collection[str], worker: str) -> MatchResult:
    """Returns the result of a match that these bots forfeit: each of their seats lost the maximum to each other seat.

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
