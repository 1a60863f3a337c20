"""A ladder that is left to itself: workers die now and then, a machine joins, and a version enters in the middle."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from google.protobuf import json_format

from fudaba.v1 import arena_pb2
from soak.season.catalogue import draw
from soak.season.entrants import LADDER, REMOTE
from soak.season.machines import HEARTBEAT_SECONDS, wait
from soak.season.remote_bots import Built
from soak.season.searching import Outcome, Season, Terms, concluded, opened
from soak.season.striking import Striker
from tests.support.service.processes import FUDABA

__all__ = ["KILLS_PER_MINUTE", "trial"]

KILLS_PER_MINUTE: Final = 0.4
_NEW: Final = REMOTE[0]
_VERSION: Final = "2"
_JOINING_SHARE: Final = 0.1
"""The time when the second machine joins, as a share of the whole time."""
_POLL_SECONDS: Final = 5.0
_PROGRESS_SECONDS: Final = 60.0


@final
class _Visitor:
    """Reads the standings with the bot in Go, which is written against the contract alone."""

    def __init__(self, season: Season, built: Built) -> None:
        self._command = [str(built.go), "standings", season.machines.arena_address, LADDER]
        self.reads = 0
        self.failed = 0

    async def read(self) -> arena_pb2.GetStandingsResponse | None:
        """Returns the standings now; None if nobody answered."""
        process = await asyncio.create_subprocess_exec(*self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, _ = await process.communicate()
        if process.returncode:
            self.failed += 1
            return None
        self.reads += 1
        return json_format.Parse(output, arena_pb2.GetStandingsResponse())


async def trial(terms: Terms, built: Built, folder: Path, say: Callable[[str], None]) -> tuple[Outcome, list[str]]:
    """Leaves a ladder to itself for `terms.seconds`. Returns the findings and the observations, as lines."""
    async with opened(terms, built, folder, say) as season:
        striker = Striker(season.machines, say)
        season.leases.struck = striker.struck
        faults = draw(terms.seed, terms.seconds, KILLS_PER_MINUTE, terms.size.workers, 1, {"worker-kill"})
        visitor = _Visitor(season, built)
        striking = asyncio.create_task(striker.strike(faults))
        telling = asyncio.create_task(_tell(season, visitor))
        machine: asyncio.subprocess.Process | None = None
        try:
            await asyncio.sleep(terms.seconds * _JOINING_SHARE)
            machine = await _second_machine(season, folder / "second-machine")
            say("a second machine has joined")
            await asyncio.sleep(terms.seconds * (0.5 - _JOINING_SHARE))
            say(f"{_NEW.name} enters with version {_VERSION}")
            showed = await _new_version(season, visitor, terms.seconds / 2)
            await striking
            await asyncio.sleep(max(0.0, striker.began + terms.seconds - time.monotonic()))
            showed += [
                f"the second machine started commands in {_started(folder)} matches",
                f"told to stop, it ended with status {await _leave(machine)}",
                f"the standings were read {visitor.reads} times by the client in Go, and {visitor.failed} times not",
            ]
            outcome = await concluded(season, striker.struck, striker.began)
            last = await visitor.read()
        finally:
            striking.cancel()
            telling.cancel()
            await asyncio.gather(striking, telling, return_exceptions=True)
            if machine is not None and machine.returncode is None:
                os.killpg(machine.pid, signal.SIGKILL)
                await machine.wait()
        same = last is not None and list(last.standings) == outcome.evidence.recomputed
        showed.append(f"what the client in Go read last {'is' if same else 'is not'} what is computed anew")
        return outcome, showed


async def _tell(season: Season, visitor: _Visitor) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(_PROGRESS_SECONDS)
        await visitor.read()
        season.say(f"{(time.monotonic() - began) / 60:4.0f} min: {season.summary}")


async def _second_machine(season: Season, folder: Path) -> asyncio.subprocess.Process:
    """Returns a worker as if on another machine: one command, its own folder and session, and the URL of the Redis."""
    token, log = await asyncio.to_thread(_furnished, folder, season)
    command = [
        str(FUDABA), "arena", "worker", "--server", season.machines.service_address,
        "--redis", season.machines.queue_url, "--token-file", str(token),
        "--blocks", str(season.machines.size.blocks), "--bots", str(season.machines.size.bots),
        "--commands", str(season.machines.commands), "--heartbeat", str(HEARTBEAT_SECONDS),
        "--submissions", str(season.machines.submissions),
    ]  # fmt: skip
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )

    async def settled() -> bool:
        return process.returncode is not None or "plays as " in log.read_text()

    await wait(settled, "the second machine joins", log.read_text)
    if process.returncode is not None:
        raise RuntimeError(f"the second machine did not join: {log.read_text()}")
    return process


def _furnished(folder: Path, season: Season) -> tuple[Path, Path]:
    """Returns a new machine's folder, with a token in it; the path of the token, and that of its future log."""
    folder.mkdir()
    token = folder / "worker.token"
    token.write_text(season.machines.arena_token.read_text())
    return token, folder / "log"


def _started(folder: Path) -> int:
    """Returns the number of matches in which the second machine has started a bot given as a command: each has a log
    there.
    """
    return len(list((folder / "second-machine" / "fudaba-worker").glob("command*/*.log")))


async def _leave(machine: asyncio.subprocess.Process) -> int:
    machine.terminate()
    return await machine.wait()


async def _new_version(season: Season, visitor: _Visitor, seconds: float) -> list[str]:
    """Returns the times after which a version has a rating, a rank in a game, and a rank over all games, for a
    stranger.
    """
    await season.field.enter(_NEW, _VERSION)
    entered, found = time.monotonic(), dict.fromkeys(("rated", "ranked in a game", "ranked over all games"), 0.0)
    while not all(found.values()) and time.monotonic() - entered < seconds:
        await asyncio.sleep(_POLL_SECONDS)
        answer = await visitor.read()
        for standings in answer.standings if answer is not None else ():
            for row in standings.rows:
                if row.bot != f"{_NEW.name}@{_VERSION}" or not row.HasField("low"):
                    continue
                overall = standings.game == "overall"
                now = time.monotonic() - entered
                found["rated"] = found["rated"] or now
                if row.HasField("rank"):
                    milestone = "ranked over all games" if overall else "ranked in a game"
                    found[milestone] = found[milestone] or now
    for milestone, after in found.items():
        season.say(
            f"the new version is {milestone} after {after:.0f} s"
            if after
            else f"the new version is not {milestone} yet"
        )
    return [
        f"the new version was {reached} {after:.0f} s after it entered"
        if after
        else f"the new version was never {reached}"
        for reached, after in found.items()
    ]
