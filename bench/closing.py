"""Measures the cost of closing a block when many closed blocks are stored. See scripts/bench closing.

It uses a real Redis and the arena's own store and state. Blocks have two matches, as in round robins of two seats, and
their results are made up. Closing is measured in turn at both numbers, in one run.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import click
import numpy as np

from bench.processes import cpu_seconds
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_serving.redis.server_executable import executable

MASTER = bytes(32)
BLOCKS_PER_VOID = 50
"""The number of blocks for each block that was void once."""
BLOCKS_PER_BATCH = 5000
ENDED_MS = 1_700_000_000_000
BLOCKS_PER_TURN = 200
"""The number of blocks that are closed in a turn. Turns of both sizes alternate."""


@contextmanager
def redis_server() -> Iterator[tuple[str, int]]:
    """Yields the URL and the process of a separate Valkey or Redis, in memory only."""
    with tempfile.TemporaryDirectory(prefix="fudaba-bench-") as place:
        path = Path(place) / "s"
        command = [str(executable()), "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", place]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    while connection.connect_ex(str(path)):
                        time.sleep(0.01)
                yield f"unix://{path}", process.pid
            finally:
                process.terminate()


def tournament(name: str, blocks: int, bots: int, margin: float) -> Tournament:
    """Returns a round robin of at least that many blocks, and some more to close."""
    pairs = bots * (bots - 1) // 2
    entries = tuple(BotEntry(f"bot-{number}", "random", stateless=True) for number in range(bots))
    game = TournamentGame("naga", blocks=(blocks + 10_000) // pairs + 1, win_margin=margin)
    return Tournament(name, (game,), entries)


def result_of(block: Block, chance: np.random.Generator, margin: float) -> ClosedBlock:
    """Returns a block with made-up results."""
    first, second = chance.integers(-1, 2, 2).tolist() if margin > 2 else chance.choice([-1, 1], 2).tolist()
    results = tuple(
        MatchResult(match.match_id, block.number, match.deal, match.bots, (score, -score), "", "", ENDED_MS)
        for match, score in zip(block.matches, (first, second), strict=True)
    )
    return ClosedBlock(block.number, block.slot, block.game, results, 2, at_ms=ENDED_MS)


async def fill(store: Store, made_tournament: Tournament, blocks: int, margin: float) -> None:
    """Writes the lines of a number of blocks, as closing them would have left them. Bots with higher numbers are
    better.

    Entries are written as text: making a million of them as objects would take longer than the measurement.
    """
    await store.begin(made_tournament.name, made_tournament.definition(), MASTER)
    stored = await store.load(made_tournament.name)
    assert stored is not None
    state, chance = ScheduledTournament(made_tournament, stored), np.random.default_rng(1)
    length, pairs = len(state.schedule), len(made_tournament.bots) * (len(made_tournament.bots) - 1) // 2
    bots = [state.schedule.block(slot).matches[0].bots for slot in range(pairs)]
    ahead = np.array([int(a.split("-")[1]) - int(b.split("-")[1]) for a, b in bots]) / 10
    key, redis = f"fudaba-arena:{{{made_tournament.name}}}:", store._redis
    for begin in range(0, blocks, BLOCKS_PER_BATCH):
        slots = np.arange(begin, min(begin + BLOCKS_PER_BATCH, blocks))
        there = np.stack([ahead[slots % pairs], -ahead[slots % pairs]], 1) + chance.logistic(size=(len(slots), 2))
        points = np.sign(there) if margin == 2 else np.clip(np.rint(3 * there), -margin, margin)
        lines: list[str] = []
        void: dict[str | bytes | bytearray | memoryview[int] | int | float, str] = {}
        for slot, (score, other) in zip(slots.tolist(), points.astype(int).tolist(), strict=True):
            number, (a, b) = slot, bots[slot % pairs]
            if slot % BLOCKS_PER_VOID == 0:
                why = f'{{"at_ms":{ENDED_MS},"cause":"lost","match_id":"","bots":[]}}'
                lines.append(f"void naga 0 []\t{slot}\t{number}\t[]\t{why}")
                void[str(slot)] = "1"
                number += length
            went = f'[[0,["{a}","{b}"],[{score},{-score}],"",""],[0,["{b}","{a}"],[{other},{-other}],"",""]]'
            about = f'[["{state.id}-b{number}-a",{ENDED_MS}],["{state.id}-b{number}-b",{ENDED_MS}]]'
            lines.append(f'counted naga 2 {went}\t{slot}\t{number}\t{about}\t{{"at_ms":{ENDED_MS}}}')
        async with redis.pipeline(transaction=False) as pipeline:
            if void:
                pipeline.hset(key + "attempts", mapping=void)
            pipeline.rpush(key + "closed", *lines)
            await pipeline.execute()
    whole, rest = divmod(blocks, 8)
    await redis.set(key + "filled", b"\xff" * whole + (bytes([256 - 2 ** (8 - rest)]) if rest else b""))


class Closing:
    """A tournament whose next blocks will be closed."""

    def __init__(self, store: Store, made_tournament: Tournament, state: ScheduledTournament) -> None:
        self._store = store
        self._name = made_tournament.name
        self._state = state
        self._margin = made_tournament.games[0].win_margin
        self._next = state.unfinished()
        self._chance = np.random.default_rng(2)

    async def close(self, *, void: bool) -> float:
        """Returns the seconds for one block from the end of its last match until everything is stored, as the runner
        does it.
        """
        block = next(self._next)
        ids = [match.match_id for match in block.matches]
        closed = result_of(block, self._chance, self._margin)
        for result in closed.results:
            await self._store.open_blocks.store_result(self._name, block.slot, block.attempt, result)
        if void:
            why = VoidBlock(block.number, block.slot, "lost", ids[0], (), closed.at_ms)
            closed = ClosedBlock(block.number, block.slot, block.game, void=why, at_ms=closed.at_ms)
        begin = time.perf_counter()
        taken = await self._store.open_blocks.store_closed(self._name, closed, block.attempt, ids)
        self._state.close(closed)
        await self._store.open_blocks.store_released(self._name, block.number)
        _ = self._state.matches_counted, len(self._state.parked_slots)
        took = time.perf_counter() - begin
        if not taken:
            raise RuntimeError(f"block {block.number} was closed before")
        return took


async def measure(few: int, many: int, bots: int, turns: int, say: Callable[[str], None]) -> None:
    """Prints both results."""
    with redis_server() as (url, server):
        store = Store(url)
        sizes = {few: tournament("few", few, bots, 2), many: tournament("many", many, bots, 2)}
        closing: dict[int, Closing] = {}
        for blocks, played_tournament in sizes.items():
            await fill(store, played_tournament, blocks, 2)
            stored = await store.load(played_tournament.name)
            assert stored is not None
            closing[blocks] = Closing(store, played_tournament, ScheduledTournament(played_tournament, stored))
        say(f"| closing a block | at {few:,} | at {many:,} | ratio (median of {turns} turns of {BLOCKS_PER_TURN}) |")
        say("| --- | --- | --- | --- |")
        for void in (False, True):
            cost: dict[int, list[tuple[float, float]]] = {few: [], many: []}
            for turn in range(turns):
                for blocks in sorted(sizes, reverse=turn % 2 == 1):
                    cost[blocks].append(await _turn(closing[blocks], server, void=void))
            for place, unit in enumerate(("CPU", "time")):
                at_few, other = ([pair[place] for pair in cost[blocks]] for blocks in (few, many))
                ratios = [b / a for a, b in zip(at_few, other, strict=True)]
                label = f"{'void' if void else 'that counts'}, {unit}"
                took = f"{1000 * median(at_few):.2f} ms | {1000 * median(other):.2f} ms"
                say(f"| {label} | {took} | {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}) |")
        await store.close()


async def _turn(closing: Closing, server: int, *, void: bool) -> tuple[float, float]:
    """Returns the average CPU time of a block in the arena and Redis together, with its results, and the time to close
    it.
    """
    before = time.process_time() + cpu_seconds(server)
    took = [await closing.close(void=void) for _ in range(BLOCKS_PER_TURN)]
    return (time.process_time() + cpu_seconds(server) - before) / BLOCKS_PER_TURN, median(took)


@click.command()
@click.option(
    "--few", type=click.IntRange(min=1), default=1000, show_default=True, help="Stored blocks, in the small case."
)
@click.option(
    "--many", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Stored blocks, in the large case."
)
@click.option("--bots", type=click.IntRange(min=2), default=12, show_default=True, help="Bots that play each other.")
@click.option("--turns", type=click.IntRange(min=1), default=11, show_default=True, help="Turns of each case.")
def main(few: int, many: int, bots: int, turns: int) -> None:
    """Measure the cost of closing a block with few and with many blocks stored."""
    asyncio.run(measure(few, many, bots, turns, lambda line: print(line, flush=True)))


if __name__ == "__main__":
    main()
