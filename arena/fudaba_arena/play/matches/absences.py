"""Bots that are away in the middle of a block, and forfeit what is left of it where the ladder says so.

A bot that can leave knows how its matches went that are over. So from the first match of a block on, its absence must
not end the block: a match of which it misses the beginning is forfeited, and so are all that are left to it in the
block. One that somebody else runs is waited for before its next match is asked for, for as long and as often as the
ladder's grace says; matches in play go on meanwhile, by their clocks. Who lost the connection by no fault of its own is
found out when the block is over, by who knows of all of them: then the block is void.
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
"""The form of the texts that `paused_message` makes."""


@final
@dataclass(slots=True)
class Absences:
    """The bots that were away in an attempt at a block."""

    over: asyncio.Event
    """Set when it is known how the attempt ended."""
    begun: bool = False
    """Whether a match of it has begun, as far as that is known."""
    gone: set[str] = field(default_factory=set)
    """The bots that forfeit the rest."""
    graces: Counter[str] = field(default_factory=Counter)
    """The number of times that each was waited for."""
    waited_until: dict[str, float] = field(default_factory=dict)
    """The time until which those are waited for that are away, by the monotonic clock."""

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
        """Returns the bots that forfeit a match of a block before it is asked for: they have gone, and are not back in
        time.
        """
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
        """Returns the bots that forfeit a match which was aborted before it began, or why nobody does; nobody where
        that is known already.

        They do if a match of its block has begun, and some bot of this one was there. `asked_at` is when the service
        was asked for it, by the monotonic clock: bots may have missed it because the service could not be reached. It
        is minus infinity where an earlier process has asked: what was in the way then is not known.
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
        """Returns whether a bot is away that is still waited for: each is, as often in a block as its grace says.

        Where the service could not be reached meanwhile, each has the time to connect again that it has for a match.
        `until` is until when each is waited for before this match. Matches that wait for a bot at once share its grace.
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
        """Decides which bots of a match forfeit it; none where nobody would be left to win it."""
        names = tuple(name for name in planned.bots if name in absent)
        if len(names) == len(planned.bots):
            return ()
        absences.gone.update(names)
        return names

    async def _away(self, spec: BlockSpec, names: Collection[str]) -> set[str]:
        """Finds those of some bots that somebody else runs, and that could not begin a match now.

        A suspended one is another matter: it never costs anything.
        """
        if not names:
            return set()
        present = await self._service.present([spec.bots[name].bot for name in names])
        versions = {name: f"{spec.bots[name].bot}@{spec.bots[name].version}" for name in names}
        return {name for name in names if versions[name] not in present.here | present.suspended}

    async def _paused_seats(self, ended: matches_pb2.Match, match_id: str) -> Collection[int]:
        """Finds the seats for whose bots' pause a match was aborted, by `paused_message`; none where it was for
        something else.
        """
        if ended.end.abort_cause != record_pb2.ABORT_CAUSE_ORGANISER:
            return ()
        record = await self._service.record_if_there(match_id)
        messages = (
            [entry.abort.message for entry in record.log if entry.HasField("abort")] if record is not None else []
        )
        found = [paused for paused in map(_PAUSED.fullmatch, messages) if paused is not None]
        return {int(seat) for paused in found for seat in paused[1].split(", ")}

    async def _any_begun(self, spec: BlockSpec) -> bool:
        """Returns whether a match of a block has begun that may not be over."""
        for planned in spec.matches:
            match = await self._service.match(planned.match_id)
            if match is not None and match.HasField("start_time"):
                return True
        return False


def paused_message(seats: Collection[int]) -> str:
    """Returns why a match is aborted that waits for the paused bots of these seats: it says whose absence that was.

    Asked later, the service might have them resumed.
    """
    return f"a bot of it is paused: seat {', '.join(map(str, sorted(seats)))}"


def absence_result(spec: BlockSpec, planned: PlannedMatch, absent: Collection[str], worker: str) -> MatchResult:
    """Returns the result of a match that these bots forfeit: each seat of theirs lost all there was to lose to each
    other one.

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
