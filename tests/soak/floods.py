"""Measures what one client can take from the others: a good bot beside each of several attacks, as a table.

The good bot answers a decision every 80 ms, and waits for the word that its answer is stored. It does so alone, beside
an attack, and two seconds after that. Attackers are processes of their own. The exit status is
1 when the good bot, beside an attack or after it, waits longer than it may, or the service needs more memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from fudaba.v1 import game_pb2, matches_pb2
from tests.patience import PATIENCE
from tests.service.organiser import Organiser, StoreView
from tests.service.processes import Service, short_folder
from tests.soak.flooding.attacks import ATTACKS, Target
from tests.soak.flooding.good_bot import GoodBot, Waits
from tests.soak.flooding.process import Process

_MOST_MB: Final = 250
_MOST_MS: Final = 15.0
_TIMES_QUIET: Final = 3.0
_REST: Final = 2.0
_OWN: Final = 20
"""How many archived matches of its own the attacker has."""


@final
@dataclass(frozen=True)
class Row:
    """One attack, and the good bot before, beside and after it."""

    attack: str
    quiet: Waits
    beside: Waits
    after: Waits
    cores: float
    """Of processor time that the service took during the attack."""
    most_mb: int
    left_mb: int
    told: dict[str, int]
    """What the attackers were told, and how often."""

    @property
    def reached(self) -> bool:
        """Whether nobody noticed much."""
        most = max(_MOST_MS, _TIMES_QUIET * self.quiet.p99)
        return max(self.beside.p99, self.after.p99) <= most and self.most_mb <= _MOST_MB


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="scripts/soak floods", description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"{', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each attack (default: 10)")
    parser.add_argument("--nice", type=int, default=0, help="of the attackers, 19 is the lowest priority (default: 0)")
    parser.add_argument("--together", action="store_true", help="all of these attacks at once")
    given = parser.parse_args(arguments)
    for name in given.attacks:
        if name not in ATTACKS:
            parser.error(f"there is no attack {name}; choose from {', '.join(ATTACKS)}")
    return given


def say(line: str) -> None:
    """Tells how far it is."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def prepare(service: Service, organiser: Organiser) -> Target:
    """Long archived matches, of others and of the attacker, and tokens for it."""
    attacker = await organiser.entrant("attacker")
    store = StoreView(f"unix://{service.data}/store/valkey.sock")

    async def archived(seats: Sequence[matches_pb2.Seat], deals: int) -> str:
        request = matches_pb2.CreateMatchRequest(
            game="naga", seats=seats, options={"deals": game_pb2.OptionValue(number=deals)}
        )
        made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
        return str(made.match.header.match_id)

    house = matches_pb2.Seat(house_bot="house-random")
    others = await archived([house, house], 24)
    mine = matches_pb2.Seat()
    mine.bot.bot = attacker.name
    own = [await archived([mine, house], 6) for _ in range(_OWN)]
    for player in organiser.by_chance(attacker):
        await player.play(_OWN)
    for match_id in (others, *own):
        await organiser.ended(match_id)
        await store.forgets(match_id)
    store.client.close()
    return Target(service.address, attacker.token, attacker.name, others, own)


async def attacked(names: Sequence[str], target: Target, seconds: float, nice: int) -> dict[str, int]:
    """Runs attacks at the same time; what their processes were told."""
    command = ("nice", "-n", str(nice), sys.executable, "-m", "tests.soak.flooding.attacks")
    begun = [
        await asyncio.create_subprocess_exec(
            *command, name, json.dumps(vars(target)), str(seconds), stdout=asyncio.subprocess.PIPE
        )
        for name in names
    ]  # fmt: skip
    told: dict[str, int] = {}
    for process in begun:
        output, _ = await asyncio.wait_for(process.communicate(), seconds + PATIENCE)
        for what, count in json.loads(output or b"{}").items():
            told[what] = told.get(what, 0) + count
    return told


async def measure(names: Sequence[str], seconds: float, nice: int, service: Service) -> Row:
    """Runs attacks beside a good bot, against a service that is new."""
    process = Process(service.pid)
    async with Organiser(service.address, service.token) as organiser:
        target = await prepare(service, organiser)
        async with GoodBot(organiser) as good:
            await asyncio.sleep(_REST)
            quiet = await good.waits(min(seconds, 5.0))
            attacking = asyncio.ensure_future(attacked(names, target, seconds, nice))
            await asyncio.sleep(1.5)  # Python starts
            used, began = process.cpu_seconds(), asyncio.get_running_loop().time()
            beside = await good.waits(seconds - 1.0, process.look)
            cores = (process.cpu_seconds() - used) / (asyncio.get_running_loop().time() - began)
            told = await attacking
            process.look()
            await asyncio.sleep(_REST)
            after = await good.waits(min(seconds, 5.0))
            return Row("+".join(names), quiet, beside, after, cores, process.most_mb, process.memory_mb(), told)


def table(rows: Sequence[Row]) -> str:
    """The rows for people."""
    lines = [
        "| attack | quiet p50/p99 ms | beside p50/p99/worst | after p50/p99 | cores | most MiB | left MiB | told |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        told = ", ".join(f"{what} {count}" for what, count in sorted(row.told.items(), key=lambda one: -one[1])[:4])
        mark = "" if row.reached else " **missed**"
        lines.append(
            f"| {row.attack} | {row.quiet.p50:.1f}/{row.quiet.p99:.1f} "
            f"| {row.beside.p50:.1f}/{row.beside.p99:.1f}/{row.beside.worst:.0f}{mark} "
            f"| {row.after.p50:.1f}/{row.after.p99:.1f} | {row.cores:.2f} | {row.most_mb} | {row.left_mb} | {told} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Runs each attack against a service of its own; the exit status."""
    given: Any = options()
    names = given.attacks or list(ATTACKS)
    rows = []
    for group in [names] if given.together else [[name] for name in names]:
        with short_folder() as place, Service(place) as service:
            service.start()
            rows.append(asyncio.run(measure(group, given.seconds, given.nice, service)))
            say(table(rows[-1:]).splitlines()[-1])
    say(f"\n{table(rows)}")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"\n{given.seconds:g} s of each attack, {os.cpu_count()} cores. Load of the machine at the end: {load}.")
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
