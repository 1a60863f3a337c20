"""Measures how soon a restarted standing arena shows standings. See scripts/bench starting.

It uses a real service, arena and Redis. The arena creates a ladder; then a million blocks with made-up results are
written into its store as playing them would have left them. The arena is killed and restarted, and goes on playing. The
yardstick is the time to read the same lines from Redis and do nothing with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

import click
import numpy as np

from bench.closing import BLOCKS_PER_BATCH, BLOCKS_PER_VOID, ENDED_MS, redis_server
from bench.processes import cpu_seconds
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.play.tournaments.journal import JournalChange
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.answers import key
from fudaba_arena.store.sealed.sealed_lists import LINES_PER_STRETCH
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.tournament.definition import stored_tournament
from fudaba_arena.tournament.season import season_name

WINS, POINTS = "wins", "points"
MARGINS = {WINS: 2, POINTS: 20}
_LADDER = """\
name = "{name}"
game = "naga"
win_margin = {margin}
narrow = 0.5

[season]
"""
_BOT = """
[[bots]]
name = "bot-{number}"
builtin = "random"
"""
_CALL_TIMEOUT_SECONDS = 600.0
_NUMBERS_PER_ATTEMPT = 2**32


@dataclass(frozen=True)
class Started:
    """A start, from the beginning of the process until it answered."""

    seconds: float
    cpu: float
    most_mib: float
    """The most memory that the process had used by then."""


@contextmanager
def _process(log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yields a process of a fudaba command; it is killed at the end of the block."""
    with log.open("ab") as output:
        process = subprocess.Popen([sys.executable, "-m", "fudaba", *words], stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Setting:
    """A service, and the arena on it that is restarted again and again."""

    folder: Path
    redis: str

    @property
    def service(self) -> str:
        """The service's address."""
        return f"unix:{self.folder}/s"

    @property
    def arena(self) -> str:
        """The arena's address."""
        return f"unix:{self.folder}/a"

    @property
    def tokens(self) -> tuple[Path, Path]:
        """The organiser's token, and the arena's."""
        return self.folder / "organiser.token", self.folder / "arena.token"

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Runs the service until the context is left."""
        organiser, arena = map(str, self.tokens)
        options = ["--organiser-token-file", organiser, "--arena-token-file", arena]
        with _process(
            self.folder / "log", "serve", "--data", f"{self.folder}/service", "--listen", self.service, *options
        ):
            while not self.tokens[1].exists():
                time.sleep(0.05)
            yield

    @contextmanager
    def standing(self, token: str = "") -> Iterator[tuple[subprocess.Popen[bytes], Client]]:
        """Runs the arena until the context is left. Yields its process and a client."""
        socket = Path(self.arena.removeprefix("unix:"))
        socket.unlink(missing_ok=True)
        options = ["--server", self.service, "--token-file", str(self.tokens[1]), "--redis", self.redis]
        where = ["--data", f"{self.folder}/arena", "--listen", self.arena]
        with _process(self.folder / "log", "arena", "serve", *options, *where) as process:
            while not socket.exists():
                if process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))
                time.sleep(0.01)
            with Client(self.arena, token) as client:
                yield process, client

    def create(self, name: str, bots: int) -> None:
        """Creates a ladder in the arena, without any play yet."""
        text = _LADDER.format(name=name, margin=MARGINS[name])
        text += "".join(_BOT.format(number=number) for number in range(bots))
        request = arena_pb2.CreateLadderRequest(definition=text, paused=True)
        with self.standing(self.tokens[0].read_text().strip()) as (_, client):
            client.arena.CreateLadder(request, timeout=_CALL_TIMEOUT_SECONDS)

    def start(self, name: str, wait: Callable[[], None]) -> tuple[Started, list[arena_pb2.Standings]]:
        """Starts the arena, and waits until it shows standings, and then until `wait` returns."""
        request = arena_pb2.GetStandingsRequest(tournament=season_name(name, 1))
        begin = time.perf_counter()
        with self.standing() as (process, client):
            answer = None
            while answer is None:  # one that reads for long answers no pings meanwhile
                with contextlib.suppress(ServiceError):
                    answer = client.arena.GetStandings(request, timeout=_CALL_TIMEOUT_SECONDS)
                if process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))
            seconds, cpu = time.perf_counter() - begin, cpu_seconds(process.pid)
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            most = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
            wait()
        return Started(seconds, cpu, most / 1024), list(answer.standings)


def fill(redis: str, name: str, blocks: int) -> None:
    """Writes the lines of a number of blocks, as playing them would have left them. Bots with higher numbers are
    better.

    Everything is written as text: making a million blocks as objects would take longer than the measurement.
    """

    async def write() -> None:
        store, season = Store(redis), season_name(name, 1)
        stored = await store.load(season)
        assert stored is not None
        entrants = [entry.entrant for entry in stored.entries.by_bot.values()]
        filling = _Filling(
            name, ScheduledTournament(stored_tournament(season, stored.definition, 1), stored).id, entrants
        )
        keys = {part: key(season, part) for part in ("closed", "chosen", "changes", "attempts")}
        for begin in range(0, blocks, BLOCKS_PER_BATCH):
            lines = filling.lines(begin, min(begin + BLOCKS_PER_BATCH, blocks))
            async with store._redis.pipeline(transaction=False) as pipeline:
                for part, of_part in lines.items():
                    pipeline.rpush(keys[part], *of_part)
                pipeline.hset(
                    keys["attempts"],
                    mapping={
                        str(slot): "1"
                        for slot in range(begin, min(begin + BLOCKS_PER_BATCH, blocks))
                        if slot % BLOCKS_PER_VOID == 0
                    },
                )
                await pipeline.execute()
        whole, rest = divmod(blocks, 8)
        await store._redis.set(
            key(season, "filled"), b"\xff" * whole + (bytes([256 - 2 ** (8 - rest)]) if rest else b"")
        )
        await store.steering.want(season, "playing")
        await store.close()

    asyncio.run(write())


class _Filling:
    """Makes up results."""

    def __init__(self, name: str, tournament_id: str, entrants: list[str]) -> None:
        self._margin = MARGINS[name]
        self._id = tournament_id
        self._entrants = entrants
        self._chance = np.random.default_rng(1)

    def lines(self, begin: int, end: int) -> dict[str, list[str]]:
        """Returns the stored form of the blocks of some slots."""
        count = end - begin
        first = self._chance.integers(0, len(self._entrants), count)
        second = (first + self._chance.integers(1, len(self._entrants), count)) % len(self._entrants)
        ahead = (first - second) / 10
        there = np.stack([ahead, -ahead], 1) + self._chance.logistic(size=(count, 2))
        points = np.sign(there) if self._margin == 2 else np.clip(np.rint(3 * there), -self._margin, self._margin)
        lines: dict[str, list[str]] = {"closed": [], "chosen": [], "changes": []}
        pairs = zip(first.tolist(), second.tolist(), points.astype(int).tolist(), strict=True)
        for slot, (entrant, other, scores) in enumerate(pairs, begin):
            self._add(lines, slot, self._entrants[entrant], self._entrants[other], scores)
        return lines

    def _add(self, lines: dict[str, list[str]], slot: int, a: str, b: str, scores: tuple[int, int]) -> None:
        number, at_ms = slot, ENDED_MS + slot
        chosen = ChosenBlock("naga", ((a, b),), shared=False, chosen_for=a, at_ms=at_ms)
        lines["chosen"].append(chosen.line())
        if slot % BLOCKS_PER_VOID == 0:
            why = f'{{"at_ms":{at_ms},"cause":"lost","match_id":"","bots":[]}}'
            lines["closed"].append(f"void naga 0 []\t{slot}\t{number}\t[]\t{why}")
            lines["changes"].append(json.dumps(asdict(JournalChange("block", number, at_ms))))
            number += _NUMBERS_PER_ATTEMPT
        score, other = scores
        went = f'[[0,["{a}","{b}"],[{score},{-score}],"",""],[0,["{b}","{a}"],[{other},{-other}],"",""]]'
        about = f'[["{self._id}-b{number}-a",{at_ms}],["{self._id}-b{number}-b",{at_ms}]]'
        lines["closed"].append(f'counted naga 2 {went}\t{slot}\t{number}\t{about}\t{{"at_ms":{at_ms}}}')
        lines["changes"].append(json.dumps(asdict(JournalChange("block", number, at_ms))))


def read_bare(redis: str, name: str) -> tuple[float, float]:
    """Returns the seconds, and seconds of CPU, for reading every entry and doing nothing with it."""

    async def read() -> tuple[float, float]:
        store, closed = Store(redis), key(season_name(name, 1), "closed")
        begin, cpu = time.perf_counter(), time.process_time()
        for first in range(0, await store._redis.llen(closed), BLOCKS_PER_BATCH):
            await store._redis.lrange(closed, first, first + BLOCKS_PER_BATCH - 1)
        took = time.perf_counter() - begin, time.process_time() - cpu
        await store.close()
        return took

    return asyncio.run(read())


def recomputed(redis: str, name: str) -> list[arena_pb2.Standings]:
    """Returns the standings computed from every stored entry."""

    async def read() -> list[arena_pb2.Standings]:
        store = Store(redis)
        state = await stored_state(store, season_name(name, 1), keep_blocks=True)
        await store.close()
        assert state is not None
        return standing_messages.standings(ladders_of(state, block_results(state)))

    return asyncio.run(read())


def _summarised(redis: str, name: str) -> Callable[[], None]:
    """Waits until the arena has stored all possible summaries beside the sequence."""

    async def left() -> bool:
        store, season = Store(redis), season_name(name, 1)
        length, sealed = [await store._redis.llen(key(season, part)) for part in ("closed", "closed-sealed")]
        noted = await store.progress.noted(season)
        await store.close()
        return sealed < length // LINES_PER_STRETCH or noted is None

    def wait() -> None:
        while asyncio.run(left()):
            time.sleep(0.5)

    return wait


async def _pause(redis: str, name: str) -> None:
    store = Store(redis)
    await store.steering.want(season_name(name, 1), "paused")
    await store.close()


def _tell(label: str, starts: list[Started], say: Callable[[str], None]) -> None:
    columns = [(start.seconds, start.cpu, start.most_mib) for start in starts]
    seconds, cpu, most = (median(column) for column in zip(*columns, strict=True))
    spread = f"{min(start.seconds for start in starts):.1f}-{max(start.seconds for start in starts):.1f}"
    say(f"| {label} | {seconds:.1f} s ({spread}) | {cpu:.1f} s | {most:.0f} MiB |")


@click.command()
@click.option("--blocks", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Stored blocks.")
@click.option("--bots", type=click.IntRange(min=2), default=12, show_default=True, help="Bots in the ladder.")
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, help="Starts; the median counts.")
@click.argument("ladders", nargs=-1, type=click.Choice(sorted(MARGINS)))
def main(blocks: int, bots: int, runs: int, ladders: tuple[str, ...]) -> None:
    """Measure how soon a restarted standing arena shows the standings of a ladder, and its memory by then.

    LADDERS: `wins`, whose matches are won or lost, and `points`, whose scores are from -20 to 20. Without them: both.
    """
    print(
        f"| {blocks:,} blocks | until standings are there | CPU | most memory |\n| --- | --- | --- | --- |", flush=True
    )
    for name in ladders or MARGINS:
        with redis_server() as (redis, _), tempfile.TemporaryDirectory(prefix="fudaba-bench-") as folder:
            setting = Setting(Path(folder), redis)
            with setting.serving():
                setting.create(name, bots)
                fill(redis, name, blocks)
                say = partial(print, flush=True)
                first, _ = setting.start(name, _summarised(redis, name))
                _tell(f"{name}, nothing kept beside the sequence", [first], say)
                starts, bare = [], []
                for _ in range(runs):
                    bare.append(read_bare(redis, name))
                    found, _ = setting.start(name, lambda: None)
                    starts.append(found)
                _tell(name, starts, say)
                seconds, cpu = (median(column) for column in zip(*bare, strict=True))
                say(f"| {name}, its lines read and nothing done with them | {seconds:.1f} s | {cpu:.1f} s | |")
                asyncio.run(_pause(redis, name))
                _, table = setting.start(name, lambda: None)
                if table != recomputed(redis, name):
                    print("the standings are not those that follow from all lines", file=sys.stderr)


if __name__ == "__main__":
    main()
