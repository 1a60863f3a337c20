"""One search of a ladder: it is set up, struck, healed, brought to its end, and checked."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from fudaba.client import AsyncClient
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from soak.chaos.schedule import Fault
from soak.chaos.searching import logged_faults
from soak.chaos.striking import Struck
from soak.chaos.supervised import Ended
from soak.season.catalogue import draw
from soak.season.checker import MAX_UNLEASED_SECONDS, Evidence, Finding, check
from soak.season.entrants import LADDER, Field, definition
from soak.season.evidence import collected
from soak.season.following import Follower, Reader
from soak.season.leases import LeaseWatch
from soak.season.machines import Machines, Size, cancel, wait
from soak.season.remote_bots import Built
from soak.season.striking import Striker

__all__ = ["Outcome", "Season", "Terms", "concluded", "opened", "search"]

_PROGRESS_SECONDS: Final = 10.0
_BLOCKS_BEFORE_FAULTS: Final = 12
"""The number of closed blocks before the first fault: by then every game has begun."""
_BLOCKS_AFTER_FAULTS: Final = 8
"""The number of closed blocks after the last fault."""
_BLOCKS_TIMEOUT_SECONDS: Final = 600.0
"""The timeout for either, and for the end of the season, in seconds: a busy machine is no defect."""
_CALL_TIMEOUT_SECONDS: Final = 60.0
_QUIET_SECONDS: Final = MAX_UNLEASED_SECONDS + 10.0
"""The minimum time for which the ladder is left alone after the last fault, in which a block that waits for a worker
shows.
"""


class Terms(NamedTuple):
    """The terms of a search."""

    seed: str
    seconds: float
    per_minute: float
    kinds: Collection[str]
    size: Size
    concurrency: int
    """The number of simultaneous matches."""
    move_ms: int


@dataclass
class Season:
    """A ladder in play, and its onlookers."""

    machines: Machines
    field: Field
    follower: Follower
    reader: Reader
    leases: LeaseWatch
    committed: bytes
    say: Callable[[str], None]

    @property
    def summary(self) -> str:
        """Its progress, in words."""
        return f"{self.reader.counted} blocks count, {len(self.reader.lines) - self.reader.counted} are void"


@dataclass
class Outcome:
    """The findings of a search."""

    struck: list[Struck]
    evidence: Evidence
    findings: list[Finding]
    ended: list[Ended]
    """Processes that ended by themselves."""
    logged: list[str]
    """Tracebacks and faults in logs."""
    began: float
    began_ms: float
    """The same moment by the monotonic clock and in milliseconds since 1970."""


async def search(terms: Terms, built: Built, folder: Path, say: Callable[[str], None]) -> Outcome:
    """Runs the search. `folder` exists and is empty."""
    async with opened(terms, built, folder, say) as season:
        with (folder / "faults.log").open("w", buffering=1) as log:
            striker = Striker(season.machines, lambda line: print(line, file=log))
            faults = draw(
                terms.seed, terms.seconds, terms.per_minute, terms.size.workers, len(season.machines.links), terms.kinds
            )
            (folder / "schedule.txt").write_text("".join(f"{fault.at:8.2f}  {fault}\n" for fault in faults))
            season.leases.struck = striker.struck
            await _strike(season, striker, faults)
        return await concluded(season, striker.struck, striker.began)


@contextlib.asynccontextmanager
async def opened(terms: Terms, built: Built, folder: Path, say: Callable[[str], None]) -> AsyncIterator[Season]:
    """Yields a ladder in play, with at least one closed block of every game, until the block is left."""
    machines = Machines(folder, terms.size)
    async with machines.run():
        field = Field(machines, built)
        follower, reader = Follower(machines.arena_address), Reader(machines.queue.port)
        leases = LeaseWatch(machines.queue_url)
        tasks: list[asyncio.Task[None]] = []
        try:
            committed = await field.open(definition(terms.concurrency, terms.move_ms))
            tasks += [asyncio.create_task(process.watch()) for process in field.bots]
            tasks += [asyncio.create_task(follower.follow()), asyncio.create_task(reader.read())]
            tasks.append(asyncio.create_task(leases.watch()))
            season = Season(machines, field, follower, reader, leases, committed, say)
            say("all run; the first blocks are played")
            await wait(
                lambda: _closed(season, _BLOCKS_BEFORE_FAULTS),
                "the first blocks are closed",
                lambda: _logs(season),
                _BLOCKS_TIMEOUT_SECONDS,
            )
            yield season
        finally:
            await cancel(tasks)
            await field.close()


async def _strike(season: Season, striker: Striker, faults: list[Fault]) -> None:
    striking = asyncio.create_task(striker.strike(faults))
    last_said = time.monotonic()
    while not striking.done():
        await asyncio.wait([striking], timeout=_PROGRESS_SECONDS)
        if time.monotonic() - last_said >= _PROGRESS_SECONDS - 0.5:
            last_said = time.monotonic()
            season.say(f"{last_said - striker.began:5.0f} s: {len(striker.made)} faults; {season.summary}")
    striking.result()


async def concluded(season: Season, struck: list[Struck], began: float) -> Outcome:
    """Ends the ladder after the last fault, and checks it."""
    machines, say = season.machines, season.say
    await machines.heal()
    season.leases.unleased.interrupted()
    say(f"no fault is on any more; {season.summary}")
    stands, _ = await asyncio.gather(_goes_on(season), asyncio.sleep(_QUIET_SECONDS))
    unleased = dict(season.leases.unleased.longest)  # once the season is closed, what nobody has begun is left
    if not stands:
        say("the ladder goes on; its season is closed now")
        stands = await _close(season)
    await season.reader.catch_up()
    say(f"fetching the records of {season.summary.partition(',')[0]}")
    token = season.field.organiser_token
    evidence = await collected(machines, token, season.committed, season.follower, season.reader, stands, unleased)
    processes = [*machines.processes, *season.field.bots]
    now, now_ms = time.monotonic(), time.time() * 1000
    return Outcome(
        struck, evidence, await asyncio.to_thread(check, evidence),
        [ended for process in processes for ended in process.ended],
        logged_faults(machines.folder / "logs", "*.log"), began, now_ms - (now - began) * 1000,
    )  # fmt: skip


async def _goes_on(season: Season) -> str:
    """Waits for further closed blocks. Returns what happened instead; empty if they were closed."""
    wanted = len(season.reader.lines) + _BLOCKS_AFTER_FAULTS
    with contextlib.suppress(RuntimeError):
        await wait(lambda: _closed(season, wanted), "", seconds=_BLOCKS_TIMEOUT_SECONDS)
        return ""
    missing = wanted - len(season.reader.lines)
    return (
        f"after the last fault {missing} of {_BLOCKS_AFTER_FAULTS} blocks were not closed"
        f" within {_BLOCKS_TIMEOUT_SECONDS:.0f} s"
    )


async def _close(season: Season) -> str:
    """Ends the season after the matches in play. Returns what happened instead; empty if it has ended."""
    async with AsyncClient(season.machines.arena_address, season.field.organiser_token) as client:
        await client.arena.CloseSeason(arena_pb2.CloseSeasonRequest(ladder=LADDER), timeout=_CALL_TIMEOUT_SECONDS)

        async def over() -> bool:
            try:
                request = arena_pb2.GetLadderRequest(ladder=LADDER)
                found = (await client.arena.GetLadder(request, timeout=_CALL_TIMEOUT_SECONDS)).ladder
            except ServiceError as error:
                if not error.retryable:
                    raise
                return False
            heard = season.follower.state == arena_pb2.LADDER_STATE_CLOSED
            return found.state == arena_pb2.LADDER_STATE_CLOSED and heard

        with contextlib.suppress(RuntimeError):
            await wait(over, "", seconds=_BLOCKS_TIMEOUT_SECONDS)
            return ""
        found = (
            await client.arena.GetLadder(arena_pb2.GetLadderRequest(ladder=LADDER), timeout=_CALL_TIMEOUT_SECONDS)
        ).ladder
        return (
            f"the season was not closed within {_BLOCKS_TIMEOUT_SECONDS:.0f} s: its state is"
            f" {arena_pb2.LadderState.Name(found.state)}, {found.tournament.stalled_because or 'nothing is in its way'}"
        )


async def _closed(season: Season, number: int) -> bool:
    return len(season.reader.lines) >= number


def _logs(season: Season) -> str:
    return "\n".join(f"{process.name}:\n{process.tail()}" for process in season.machines.processes)
