"""`fudaba arena workers`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from fudaba.cli.output import print_json, say, say_text, table
from fudaba.safe_text import safe_line
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.workers.known_workers import Isolation, KnownWorker
from fudaba_arena.tournament.limits import CORES_PER_SEAT, LIMITS, PONDER

__all__ = ["show_workers"]


async def show_workers(data: Path, redis: str | None, *, as_json: bool) -> int:
    """Prints the workers of the arena that uses a folder or a Redis. Raises `ArenaError`."""
    async with open_to_read(data, redis) as store:
        found = await store.workers.all()
        clocks = await store.clocks.of_workers()
    if as_json:
        print_json(
            {"workers": [_worker_json(worker) | {"clock_ahead_seconds": clocks.get(worker.name)} for worker in found]}
        )
        return 0
    rows = [
        [
            safe_line(known_worker.name),
            known_worker.state_name,
            f"{known_worker.blocks}/{known_worker.most_blocks}",
            f"{known_worker.seats}/{known_worker.most_seats}",
            f"{known_worker.silent_seconds:.0f} s ago",
            str(len(known_worker.runtimes)),
            safe_line(" ".join(filter(None, (known_worker.isolation.mode, known_worker.isolation.version)))) or "-",
            _not_enforced(known_worker.isolation),
            safe_line(known_worker.host),
            f"{clocks[known_worker.name]:+.1f} s" if known_worker.name in clocks else "-",
            safe_line(known_worker.why),
        ]
        for known_worker in found
    ]
    told_columns = ["isolation", "not enforced", "host", "clock", "why"]
    columns = ["worker", "state", "blocks", "seats", "heard of", "runtimes", *told_columns]
    say_text(table(columns, rows, "llrrrrlllrl"))
    if not found:
        say("no workers", err=True)
    return 0


def _not_enforced(isolation: Isolation) -> str:
    """Returns the ladder rules that a worker cannot enforce on submitted bots."""
    if not isolation.mode:
        return "-"
    if not isolation.enforces:
        return "not told"
    return ", ".join(isolation.not_enforced((*LIMITS, CORES_PER_SEAT, PONDER))) or "-"


def _worker_json(worker: KnownWorker) -> dict[str, object]:
    runtimes = [runtime.name for runtime in worker.runtimes]
    return asdict(worker) | {"state": worker.state_name, "runtimes": runtimes}
