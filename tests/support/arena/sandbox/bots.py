"""Good bots in sandboxes, which play real matches on a real service through their relays."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import final

from fudaba.client import Endpoint
from fudaba.v1 import matches_pb2
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Job, RunningProgram, Sandbox
from fudaba_arena.tournament.limits import Limits
from tests.support.service.bots import bearer
from tests.support.service.organiser import PATIENT, Entrant, Organiser, kinds

CHECKOUT = Path(__file__).resolve().parents[4]
BOT = """
import fudaba

class Player(fudaba.Bot):
    instant = True

    def choose(self, decision):
        return 0

fudaba.run(Player)
"""


@final
class Neighbour:
    """A bot in a sandbox, connected to a service."""

    def __init__(self, organiser: Organiser, entrant: Entrant, relay: Relay, running: RunningProgram) -> None:
        self._organiser = organiser
        self._entrant = entrant
        self.relay = relay
        self.running = running

    async def begins(self) -> str:
        """Creates a match with the house. Returns its id."""
        seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-random")]
        request = matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=PATIENT)
        made = await self._organiser.matches.CreateMatch(request, metadata=bearer(self._entrant.token))
        return str(made.match.header.match_id)

    async def undisturbed(self, match_id: str) -> None:
        """Checks that its match comes to its end, and every decision was its own."""
        record = await self._organiser.record(match_id)
        assert set(kinds(record, 0)) == {"ready", "move"}, kinds(record)


def kit() -> dict[Path, Path]:
    """Returns what a bot with the Python kit reads: Python, and this checkout's packages."""
    packages = [CHECKOUT / "games", CHECKOUT / "clients" / "python"]
    return own_python() | {path: path for path in packages}


@asynccontextmanager
async def neighbour(
    sandbox: Sandbox,
    organiser: Organiser,
    command: Sequence[str] = (sys.executable, "-c", BOT),
    shown: Mapping[Path, Path] | None = None,
    service: Endpoint | None = None,
) -> AsyncIterator[Neighbour]:
    """Keeps a bot connected until the block is left."""
    entrant = await organiser.entrant("good")
    relay = await Relay.open(service or organiser.endpoint, sandbox.new_socket(), Limits(), entrant.token)
    inside = SOCKET if sandbox.isolated else relay.path
    env = {"FUDABA_SERVER": f"unix:{inside}", "FUDABA_TOKEN": entrant.token}
    job = Job(command=command, read_only=shown or kit(), env=env, socket=relay.path, limits=Limits(wall=100_000))
    running = sandbox.start(job)
    try:
        yield Neighbour(organiser, entrant, relay, running)
    finally:
        await running.kill()
        await relay.close()
        sys.stdout.write((running.stdout + running.stderr).decode(errors="replace"))  # shown where a test fails
