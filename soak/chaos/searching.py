"""One search: a deployment, its faults, its matches, and the findings."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from soak.chaos.evidence import Charge, Count, Finding
from soak.chaos.lag import Lag
from soak.chaos.levels import false_error
from soak.chaos.organising import Field
from soak.chaos.schedule import Fault, draw
from soak.chaos.settling import findings_of, outages_of_all, settle
from soak.chaos.striking import Striker, Struck
from soak.chaos.supervised import Ended
from soak.chaos.topology import Topology

__all__ = ["Outcome", "Terms", "logged_faults", "search"]

_PROGRESS_SECONDS: Final = 5.0
_STANDSTILL_SECONDS: Final = 45.0
"""The seconds after which a match that has not gone on while others did counts as standing still."""
_MIN_GOING_SHARE: Final = 0.3
_POLL_SECONDS: Final = 0.5
_TRACEBACK: Final = "Traceback (most recent call last):"
_OF_PROCESS: Final = re.compile(r"^process \d+ \| ")
"""The prefix of a log line from one of several processes."""
_FAULT_SIGNS: Final = re.compile(r"Traceback|\bfault [0-9a-f]{8}\b|never retrieved")


class Terms(NamedTuple):
    """The terms of a search."""

    seed: str
    seconds: float
    per_minute: float
    replicas: int
    matches: int
    kinds: Collection[str]
    library: Path | None
    mounts: bool
    processes: int = 1
    """The number of processes of each replica."""


@dataclass
class Outcome:
    """The findings of a search."""

    deployment: str
    faults: int
    left_out: list[Struck]
    findings: list[Finding]
    ended: list[Ended]
    logged: list[str]
    """Tracebacks and faults in logs, and unjustified errors: the process and the lines."""
    matches: int
    moves: int
    repairs: int
    struck: list[Struck]
    began: float
    largest: Charge
    """The largest charge that no client measured."""
    journals: dict[tuple[str, int], list[tuple[float, str]]]
    """Notes by match and seat."""


async def search(deployment: str, terms: Terms, folder: Path, say: Callable[[str], None]) -> Outcome:
    """Searches in one deployment. `folder` exists and is empty."""
    faults = draw(terms.seed, deployment, terms.seconds, terms.per_minute, terms.replicas, terms.kinds)
    (folder / "schedule.txt").write_text("".join(f"{fault.at:8.2f}  {fault}\n" for fault in faults))
    with (folder / "faults.log").open("w", buffering=1) as log:
        topology = Topology(
            folder, deployment, terms.replicas, terms.library, mounts=terms.mounts, processes=terms.processes
        )
        lag = Lag()
        async with topology.run(), Field(topology, f"{terms.seed}-{deployment}", terms.matches).open() as field:
            striker = Striker(topology, lambda line: print(line, file=log))
            striker.began = time.monotonic()
            measuring = asyncio.create_task(lag.run())
            await _play(field, striker, faults, say)
            await settle(topology, field, lambda line: say(f"{deployment}: {line}"))
            measuring.cancel()
            outages = await outages_of_all(topology)
            topology.keep(folder / "disks")
        say(f"{deployment}: checking {len(field.cases)} matches")
        findings, largest = await findings_of(field, striker, lag, outages)
        findings += turned_away(field, striker)
    return Outcome(
        deployment, striker.count, [strike for strike in striker.struck if strike.left_out], findings,
        [ended for process in topology.processes for ended in process.ended], logged_faults(folder / "logs"),
        len(field.cases), _moves(field), sum(node.repairs for node in topology.nodes), striker.struck, striker.began,
        largest,
        {(j.match_id, j.seat): [(n.at, n.text) for n in j.notes] for case in field.cases for j in case.journals},
    )  # fmt: skip


def turned_away(field: Field, striker: Striker) -> list[Finding]:
    """Returns bots whose stream was refused or ended for a reason after which bots never reconnect."""
    found = []
    lossy = striker.lossy()
    for bot in field.bots:
        for at, why in bot.turned_away:
            lost = any(moment <= at for moment in lossy) and "MATCH_" in why
            counts_as = Count.ALLOWED if lost else Count.STUCK
            text = f"was turned away for good: {why}"
            found.append(Finding(counts_as, "-", "all its matches", -1, bot.name, "", f"{bot.name} {text}", "", at, at))
    return found


async def _play(field: Field, striker: Striker, faults: list[Fault], say: Callable[[str], None]) -> None:
    helpers = [asyncio.create_task(work) for work in (field.top_up(), _look(field), _tell(field, striker, say))]
    try:
        await asyncio.sleep(1.0)
        await striker.strike(faults)
        for helper in helpers:
            if helper.done():
                helper.result()
    finally:
        for helper in helpers:
            helper.cancel()
        await asyncio.gather(*helpers, return_exceptions=True)


async def _tell(field: Field, striker: Striker, say: Callable[[str], None]) -> None:
    while True:
        await asyncio.sleep(_PROGRESS_SECONDS)
        over = len(field.cases) - len(field.live)
        now = time.monotonic() - striker.began
        say(f"{now:6.0f} s  {striker.count} faults, {over} matches over, {len(field.live)} live, {_moves(field)} moves")


def _moves(field: Field) -> int:
    return sum(
        bool(decided.accepted)
        for case in field.cases
        for journal in case.journals
        for entries in journal.decided.values()
        for decided in entries
    )


async def _look(field: Field) -> None:
    """Notes the matches that stand still while others go on."""
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        now = time.monotonic()
        live = [case for case in field.live if case.created]
        for case in live:
            progress = sum(journal.progress for journal in case.journals)
            if progress != case.progress:
                case.progress, case.progressed, case.standing = progress, now, 0.0
        going = [case for case in live if now - case.progressed < 2.0]
        if len(going) < _MIN_GOING_SHARE * len(live):
            continue
        for case in live:
            if case not in going:
                case.standing += _POLL_SECONDS
                if case.standing > _STANDSTILL_SECONDS:
                    case.stood_still = max(case.stood_still, case.standing)


def logged_faults(folder: Path, logs: str = "replica-*.log") -> list[str]:
    """Returns the unforeseen and unjustified errors in the logs of the replicas, or in those that match a pattern."""
    found = []
    for path in sorted(folder.glob(logs)):
        lines = [_OF_PROCESS.sub("", line) for line in path.read_text(errors="replace").splitlines()]
        for number, line in enumerate(lines):
            if _FAULT_SIGNS.search(line) or false_error(line):
                if line != _TRACEBACK and lines[number + 1 : number + 2] == [_TRACEBACK]:
                    continue  # the traceback says more
                # A traceback ends with the line that names the exception: the first that is not indented.
                end = next((n for n in range(number + 1, len(lines)) if lines[n][:1].strip()), number)
                if not _FAULT_SIGNS.search(line):
                    end = number
                found.append(f"{path.name}:{number + 1}: {line.strip()} … {lines[end].strip()}"[:400])
    return found
