"""Settles a search after the last fault: ends the matches, notifies the bots, fetches the records, and checks
everything.
"""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Final, final

from fudaba.v1 import matches_pb2
from fudaba_service.archive import Archive
from fudaba_service.store import Outage, keys
from soak.chaos.checker import check, largest_charge
from soak.chaos.evidence import Charge, Count, Evidence, Finding
from soak.chaos.lag import Lag
from soak.chaos.organising import Field, MatchCase
from soak.chaos.players import Player
from soak.chaos.striking import Striker
from soak.chaos.topology import Topology

__all__ = ["Standstill", "evidence_of", "findings_of", "outages_of_all", "settle"]

_STANDSTILL_SECONDS: Final = 60.0
"""The seconds within which every match must go on once no fault is active and every replica serves."""
_MAX_SETTLING_SECONDS: Final = 600.0
_ENDS_TIMEOUT_SECONDS: Final = 30.0
_ARCHIVE_TIMEOUT_SECONDS: Final = 40.0
_LAG_MARGIN_SECONDS: Final = 1.0


async def settle(topology: Topology, field: Field, tell: Callable[[str], None]) -> None:
    """Waits, within limits, until everything is over and reported, and collects the records."""
    await topology.heal()
    await _matches_end(topology, field, tell)
    await _bots_are_told(field, tell)
    await _records(topology, field, tell)


@final
class Standstill:
    """The time for which nothing has gone on although every replica serves."""

    def __init__(self, now: float) -> None:
        """All times are in seconds, by one clock."""
        self._since = now
        self._progress = -1

    def seconds(self, now: float, progress: int, *, serves: bool) -> float:
        """Returns that time. `progress` grows as matches go on; `serves` says whether every replica does now.

        A replica that starts on a busy machine needs a minute, in which no match on it can go on.
        """
        if progress != self._progress or not serves:
            self._progress, self._since = progress, now
        return now - self._since


async def _matches_end(topology: Topology, field: Field, tell: Callable[[str], None]) -> None:
    began = reported = now = time.monotonic()
    standstill, stood_seconds = Standstill(began), 0.0
    while field.live and now - began < _MAX_SETTLING_SECONDS and stood_seconds < _STANDSTILL_SECONDS:
        field.drain()
        await asyncio.sleep(0.2)
        now = time.monotonic()
        progress = sum(journal.progress for case in field.cases for journal in case.journals)
        stood_seconds = standstill.seconds(now, progress, serves=all(replica.serves for replica in topology.replicas))
        if now - reported > 5.0:
            reported = now
            tell(f"{now - began:4.0f} s after the faults {len(field.live)} matches are live{_which(field)}")
    tell(f"{len(field.live)} of {len(field.cases)} matches are not over {now - began:.0f} s after the faults")


def _which(field: Field) -> str:
    return ": " + ", ".join(f"{case.match_id} ({case.plan.game})" for case in field.live) if len(field.live) < 4 else ""


def _untold(field: Field) -> list[tuple[MatchCase, int]]:
    return [
        (case, number)
        for case in field.cases
        for number, bot in enumerate(case.bots)
        if not case.refused and (case.match_id not in bot.journals or bot.journals[case.match_id].over is None)
    ]


async def _bots_are_told(field: Field, tell: Callable[[str], None]) -> None:
    """Makes each bot that missed an end open another stream, on which it must learn of the end."""
    await _until(lambda: not _untold(field), _ENDS_TIMEOUT_SECONDS)
    untold = _untold(field)
    if not untold:
        return
    tell(f"{len(untold)} seats were not told an end; their bots connect again")
    for bot in {bot.name: bot for case, number in untold for bot in [case.bots[number]]}.values():
        if isinstance(bot, Player):
            bot.come_back()
    for case, number in untold:
        watcher = case.bots[number]
        if not isinstance(watcher, Player) and case.match_id in watcher.journals:
            watcher.look_again(case.match_id)
    await _until(lambda: not _untold(field), _ENDS_TIMEOUT_SECONDS)


async def _records(topology: Topology, field: Field, tell: Callable[[str], None]) -> None:
    archive = Archive(topology.archive.folder / "archive")
    asked = [case for case in field.cases if not case.refused]
    await _until(lambda: all(archive.path(case.match_id).exists() for case in asked), _ARCHIVE_TIMEOUT_SECONDS)
    tell("fetching the records")
    for case in asked:
        await field.collect(case)
        record = await archive.read(case.match_id)
        missing = "MATCH_NOT_FOUND: no such file" if not case.over else "no such file"
        case.records["archive"] = missing if record is None else record.SerializeToString(deterministic=True)
        if not any(isinstance(stored, bytes) for stored in case.records.values()):
            state = await field.state(case.match_id)
            if state is not None:
                case.records["archive"] = f"the match is in state {matches_pb2.MatchState.Name(state.state)}"


async def _until(condition: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:  # noqa: ASYNC110 - it hangs on files and other processes
        await asyncio.sleep(0.1)


async def outages_of_all(topology: Topology) -> list[tuple[int, int]]:
    """Returns the outages of all replicas that the service noted: the start and end of each, in ms of its time."""
    stored = await topology.primary.tell("LRANGE", keys.OUTAGES, 0, -1)
    return [(outage.start, outage.end) for outage in map(Outage.unpack, stored) if not outage.replica]


def evidence_of(case: MatchCase, striker: Striker, lag: Lag, outages: list[tuple[int, int]]) -> Evidence:
    """Returns everything known about a match."""
    ended = time.monotonic()
    house = frozenset(seat for seat, kind in enumerate(case.plan.seats) if kind == "house")
    evidence = Evidence(
        case.match_id, case.plan.game, house, case.journals, case.records, striker.lossy(), ended,
        refused=case.refused, stood_still=case.stood_still, acknowledged=case.created > 0, seats=len(case.bots),
        joining=case.joining, created=case.created, outages=outages,
    )  # fmt: skip
    for bot in case.bots:
        journal = bot.journals.get(case.match_id)
        if journal is None:
            continue
        for decision_id, entries in journal.decided.items():
            spare = 0.0
            for decided in entries:
                closed = decided.closed or ended
                spare += lag.within(
                    decided.received - _LAG_MARGIN_SECONDS, (decided.ready or closed) + _LAG_MARGIN_SECONDS
                )
                spare += striker.links.own(decided.received or decided.timed_out, closed, bot.aways)
            evidence.spare[journal.seat, decision_id] = spare
    return evidence


def _checked(evidence: Evidence) -> tuple[list[Finding], Charge]:
    return check(evidence), largest_charge(evidence)


async def findings_of(
    field: Field, striker: Striker, lag: Lag, outages: list[tuple[int, int]]
) -> tuple[list[Finding], Charge]:
    """Checks every match, in separate processes. Returns the faults, and the largest charge."""
    evidence = [evidence_of(case, striker, lag, outages) for case in field.cases]
    found: list[Finding] = []
    largest = Charge(0.0, "", "")
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        works = [loop.run_in_executor(pool, functools.partial(_checked, match_evidence)) for match_evidence in evidence]
        for work in works:
            findings, charge = await work
            found += findings
            largest = max(largest, charge)
    found.sort(key=lambda finding: (list(Count).index(finding.counts_as), finding.match_id, finding.since))
    return found, largest
