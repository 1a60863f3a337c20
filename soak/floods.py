"""Measures what one client can take from the others: a good caller beside each of several attacks, as a table.

A good bot answers a decision every 80 ms and waits for the confirmation that its answer is stored. If an arena is
attacked, its author reads a ladder as often. New callers connect every second. All of that is measured beside an
attack, two seconds after it, and while the same attackers send as much to a sink that drops it; the last is called
quiet. Attackers are separate processes at the lowest priority. Behind a front they have their own address, since the
front counts by address before anybody knows the caller. With root's rights, the good caller has a higher priority than
the attacked server, so that it waits for the server and not for a processor. The exit status is 1 if a line misses its
target: p99 beside an attack and after it is at most 15 ms, or three times the quiet one if that is more; new callers
connect within a second; the process needs at most 250 MiB, and two seconds later at most 32 MiB more than before.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from grpc import aio

from soak.flooding.attacking import Target, from_elsewhere
from soak.flooding.attacks import ATTACKS
from soak.flooding.good_bot import Waits
from soak.flooding.on_arena import ON_ARENA
from soak.flooding.priority import first, niced
from soak.flooding.process import Process
from soak.flooding.stage import Good, Stage, staged
from tests.support.patience import PATIENCE

_MAX_MEMORY_MB: Final = 250
_MAX_GROWTH_MB: Final = 32
_MAX_QUICK_MS: Final = 15.0
_MAX_QUIET_RATIO: Final = 3.0
_MAX_CONNECT_SECONDS: Final = 1.0
_REST_SECONDS: Final = 2.0
_PYTHON_START_SECONDS: Final = 1.5
"""The time that Python takes to start, in seconds."""
_MAX_QUIET_SECONDS: Final = 5.0
"""The longest time of measuring without an attack, in seconds."""
_ATTACKS_TOGETHER_COUNT: Final = 3


@final
@dataclass(frozen=True)
class Row:
    """One attack, or several at once, and the good caller beside it."""

    attack: str
    rates: list[float]
    """The calls or frames per second of each attack."""
    quiet: Waits
    beside: Waits
    after: Waits
    connects: float
    """The longest time that a new caller took to connect during the attack, in seconds."""
    connects_after: float
    cores: float
    """The number of cores that the process used during the attack."""
    before_mb: int
    most_mb: int
    left_mb: int
    replies: dict[str, int]
    """The replies to the attackers, with their counts."""

    @property
    def missed(self) -> list[str]:
        """The targets that were missed."""
        most = max(_MAX_QUICK_MS, _MAX_QUIET_RATIO * self.quiet.p99)
        found = {
            "p99": self.beside.p99 > most,
            "p99 after": self.after.p99 > most,
            "connecting": self.connects > _MAX_CONNECT_SECONDS,
            "connecting after": self.connects_after > _MAX_CONNECT_SECONDS,
            "memory": self.most_mb > _MAX_MEMORY_MB,
            "memory after": self.left_mb > self.before_mb + _MAX_GROWTH_MB,
        }
        return [goal for goal, is_so in found.items() if is_so]


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="scripts/soak floods", description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"{', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each attack (default: 10)")
    parser.add_argument(
        "--nice", type=int, default=19, help="niceness of the attackers; 0 is normal (default: 19, the lowest priority)"
    )
    parser.add_argument(
        "--together", action="store_true", help="run three of these attacks at once, one set after another"
    )
    parser.add_argument(
        "--front", action="store_true", help="attack through the front of deploy/, and count its memory too"
    )
    given = parser.parse_args(arguments)
    for name in given.attacks:
        if name not in ATTACKS:
            parser.error(f"there is no attack {name}; choose from {', '.join(ATTACKS)}")
    return given


def groups(names: Sequence[str], *, together: bool) -> list[list[str]]:
    """Returns the groups of attacks that run at once. Attacks on an arena and attacks on a service strike different
    processes.
    """
    if not together:
        return [[name] for name in names]
    found: list[list[str]] = []
    for of_arena in (False, True):
        some = [name for name in names if (name in ON_ARENA) == of_arena]
        # Those that are alike stand beside each other in the list, so each group takes them from all over it.
        step = -(-len(some) // _ATTACKS_TOGETHER_COUNT)
        found += [some[at::step] for at in range(step)]
    return found


def say(line: str) -> None:
    """Prints the progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Outcome(NamedTuple):
    """The outcome of an attack."""

    rate: float
    replies: dict[str, int]


async def attacked(
    names: Sequence[str], target: Target, seconds: float, nice: int, rates: Sequence[float] = (), *, elsewhere: bool
) -> list[Outcome]:
    """Runs simultaneous attacks, as fast as they can or at these rates; from another address on request."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | (from_elsewhere(Path(folder)) if elsewhere else {})
        return await _attacked(names, target, seconds, nice, rates, environment)


async def _attacked(
    names: Sequence[str],
    target: Target,
    seconds: float,
    nice: int,
    rates: Sequence[float],
    environment: Mapping[str, str],
) -> list[Outcome]:
    command = (sys.executable, "-m", "soak.flooding.attacks")
    begun, found = [], []
    async with AsyncExitStack() as stack:
        for name, rate in zip(names, rates or [0.0] * len(names), strict=True):
            words = (name, json.dumps(vars(target)), str(seconds), str(rate))
            begun.append(await stack.enter_async_context(niced(nice, *command, *words, environment=environment)))
        for name, process in zip(names, begun, strict=True):
            output, _ = await asyncio.wait_for(process.communicate(), seconds + PATIENCE)
            if process.returncode:
                raise RuntimeError(f"the attack {name} has failed; what it measures is worth nothing")
            found.append(Outcome(**json.loads(output)))
    return found


@asynccontextmanager
async def connecting(good: Good, tokens: list[str], seconds: float) -> AsyncIterator[Callable[[], float]]:
    """Connects a new caller every second. Yields a function that returns the longest time that one has taken so far; a
    refused caller counts as the whole time.
    """
    took = [0.0]

    async def connect() -> None:
        while tokens:
            try:
                async with asyncio.timeout(seconds):
                    took.append(await good.connects(tokens.pop()))
            except (aio.AioRpcError, TimeoutError, AssertionError):
                took.append(seconds)
            await asyncio.sleep(1.0)

    task = asyncio.ensure_future(connect())
    try:
        yield lambda: max(took)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def struck(names: Sequence[str], seconds: float, nice: int, stage: Stage) -> Row:
    """Attacks a new server. Returns a row without the quiet waits."""
    target, process = await stage.target(), Process(*stage.pids)
    tokens = await stage.newcomers(int(seconds + _MAX_QUIET_SECONDS) + 2)
    async with stage.good() as good:
        await asyncio.sleep(_REST_SECONDS)
        before_mb = process.memory_mb()
        attacking = asyncio.ensure_future(attacked(names, target, seconds, nice, elsewhere=stage.front is not None))
        await asyncio.sleep(_PYTHON_START_SECONDS)
        used, began = process.cpu_seconds(), asyncio.get_running_loop().time()
        async with connecting(good, tokens, seconds) as connects:
            beside = await good.waits(seconds - 1.0, process.look)
            during = connects()
        cores = (process.cpu_seconds() - used) / (asyncio.get_running_loop().time() - began)
        outcomes = await attacking
        process.look()
        await asyncio.sleep(_REST_SECONDS)
        left_mb = process.memory_mb()
        async with connecting(good, tokens, seconds) as connects:
            after = await good.waits(min(seconds, _MAX_QUIET_SECONDS))
            afterwards = connects()
    tally: dict[str, int] = {}
    for outcome in outcomes:
        for reply, count in outcome.replies.items():
            tally[reply] = tally.get(reply, 0) + count
    rates = [outcome.rate for outcome in outcomes]
    return Row(
        "+".join(names),
        rates,
        after,
        beside,
        after,
        during,
        afterwards,
        cores,
        before_mb,
        process.most_mb,
        left_mb,
        tally,
    )


@asynccontextmanager
async def sink(nice: int) -> AsyncIterator[str]:
    """Yields the address of a sink, which is a separate process."""
    async with niced(nice, sys.executable, "-m", "soak.flooding.sink") as process:
        port = await asyncio.wait_for(process.stdout.readline(), PATIENCE) if process.stdout is not None else b""
        yield f"127.0.0.1:{int(port)}"


async def quiet(names: Sequence[str], seconds: float, rates: Sequence[float], stage: Stage) -> Waits:
    """Returns the good caller's waits while the same attackers send as much to a sink."""
    async with stage.good() as good, sink(19) as address:
        target = Target(address, "token", "bot", "others", ["own"] * 20, address, "ladder", [["token", "bot"]] * 5)
        await asyncio.sleep(_REST_SECONDS)
        attacking = asyncio.ensure_future(
            attacked(names, target, seconds, 19, rates, elsewhere=stage.front is not None)
        )
        await asyncio.sleep(_PYTHON_START_SECONDS)
        found = await good.waits(seconds - 1.0)
        await attacking
        return found


async def measure(names: Sequence[str], seconds: float, nice: int, nginx: Path | None) -> Row:
    """Runs attacks beside a good caller, against a new service or arena, and against a sink."""
    arena = any(name in ON_ARENA for name in names)
    async with staged(arena=arena, nginx=nginx) as stage:
        with first():
            row = await struck(names, seconds, nice, stage)
    async with staged(arena=arena, nginx=nginx) as stage:
        with first():
            return replace(row, quiet=await quiet(names, seconds, row.rates, stage))


def table(rows: Sequence[Row]) -> str:
    """Returns the rows as a table."""
    heads = (
        "attack", "a second", "quiet p50/p99 ms", "beside p50/p99/worst", "after p50/p99", "connects, after s", "cores",
        "MiB before/most/left", "replies", "misses",
    )  # fmt: skip
    lines = [_line(heads), _line(["---"] * len(heads))]
    for row in rows:
        replies = sorted(row.replies.items(), key=lambda counted_reply: -counted_reply[1])[:4]
        lines.append(
            _line(
                [
                    row.attack,
                    ", ".join(f"{rate:,.0f}" for rate in row.rates),
                    f"{row.quiet.p50:.1f}/{row.quiet.p99:.1f}",
                    f"{row.beside.p50:.1f}/{row.beside.p99:.1f}/{row.beside.worst:.0f}",
                    f"{row.after.p50:.1f}/{row.after.p99:.1f}",
                    f"{row.connects:.2f}, {row.connects_after:.2f}",
                    f"{row.cores:.2f}",
                    f"{row.before_mb}/{row.most_mb}/{row.left_mb}",
                    ", ".join(f"{reply} {count}" for reply, count in replies),
                    ", ".join(row.missed),
                ]
            )
        )
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _nginx() -> Path:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        raise SystemExit("error: --front needs nginx; on Debian: apt-get install nginx-light")
    return Path(found)


def main() -> int:
    """Runs each attack against a new server. Returns the exit status."""
    given: Any = options()
    rows = []
    nginx = _nginx() if given.front else None
    for group in groups(given.attacks or list(ATTACKS), together=given.together):
        rows.append(asyncio.run(measure(group, given.seconds, given.nice, nginx)))
        say(table(rows[-1:]).splitlines()[-1])
    say(f"\n{table(rows)}")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"\n{given.seconds:g} s of each attack, {os.cpu_count()} cores. Load of the machine at the end: {load}.")
    return 1 if any(row.missed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
