"""Measures the bits per second that two sealed sandboxes can exchange through timing alone. See scripts/bench channels.

One program sends random bits, and another one only measures how long its own work takes, on the cores of a match of two
seats (`cores_per_seat = 1`). There are three ways. In the first, the sender computes or sleeps, and the other program
counts in a loop. In the second, the sender goes through memory or sleeps, and the other program copies some. In the
third, the sender reads a file of `/usr` or leaves it, and the other program reads that file. The last way uses a file
for each bit, once: a file that is in memory stays there, and no sealed program can evict it; here the host does so
before each run.

If a share of the bits is wrong, a code can carry 1 - H(share) of each bit over the channel (Shannon's binary symmetric
channel).
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import time
from collections.abc import Sequence
from itertools import islice
from math import log2
from pathlib import Path
from statistics import median
from typing import Final

import click

from bench.neighbours import Host
from fudaba_arena.tournament.limits import Limits

_SEAT: Final = Limits(cores=1)
_LEAD_SECONDS: Final = 2.0
"""The time from now to the first bit. Both programs have started by then."""
_CORES, _MEMORY, _PAGES = "cores", "memory", "pages of files"
_SENDS: Final = """
import os, sys, time
begin, slot, bits, way = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4]
far = bytes(16_000_000) if way == "memory" else b""
if way == "cores": os.fork()
for number, bit in enumerate(bits):
    start, end = begin + number * slot, begin + (number + 1) * slot
    time.sleep(max(0.0, start - time.monotonic()))
    while bit == "1" and time.monotonic() < end:
        bytearray(far)
"""
_HEARS: Final = """
import json, sys, time
begin, slot, count, way = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
own, done = bytes(1_000_000) if way == "memory" else b"", [0] * count
time.sleep(max(0.0, begin - time.monotonic()))
while (number := int((time.monotonic() - begin) / slot)) < count:
    bytearray(own)
    done[number] += 1
print(json.dumps(done))
"""
_READS: Final = """
import json, os, sys, time
before, took = time.monotonic(), []
for path, bit in json.loads(sys.argv[1]):
    file = os.open(path, os.O_RDONLY)
    begin = time.perf_counter()
    if bit: os.pread(file, 4096, 0)
    took.append(time.perf_counter() - begin)
    os.close(file)
print(json.dumps([took, time.monotonic() - before]))
"""


def capacity(wrong: float) -> float:
    """Returns how much of a bit each bit carries, given the share of wrong bits: from 1 down to 0 for half of them."""
    return 1.0 + sum(share * log2(share) for share in (wrong, 1 - wrong) if share)


def wrong_share(sent: Sequence[bool], slower: Sequence[float]) -> float:
    """Returns the share of wrong bits, if a set bit makes the other program slower than the median."""
    middle = median(slower)
    return sum((seen > middle) != bit for seen, bit in zip(slower, sent, strict=True)) / len(sent)


def _lots(bits: int) -> list[bool]:
    return secrets.SystemRandom().sample([False, True] * (bits // 2), bits // 2 * 2)


async def _in_slots(host: Host, way: str, slot: float, bits: int) -> tuple[float, float]:
    """Returns the share of wrong bits, and the number sent per second."""
    sent, begin = _lots(bits), time.monotonic() + _LEAD_SECONDS
    line = "".join("01"[bit] for bit in sent)
    sends = host.start(_SENDS, begin, slot, line, way, limits=_SEAT, sealed=True)
    hears = host.start(_HEARS, begin, slot, len(sent), way, limits=_SEAT, sealed=True)
    done: list[int] = json.loads(await host.said(hears))
    await sends.kill()
    return wrong_share(sent, [-count for count in done]), 1 / slot


def _cold_files(count: int) -> list[str]:
    """Returns files of `/usr`, none of which is in memory now, as far as the kernel honours the request."""
    walked = (Path(folder, name) for folder, _, names in os.walk("/usr/share") for name in names)
    plain = (path for path in walked if path.is_file() and not path.is_symlink() and path.stat().st_size > 4096)
    chosen = [str(path) for path in islice(plain, 0, 40 * count, 40)]
    for path in chosen:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    return chosen


async def _by_pages(host: Host, bits: int) -> tuple[float, float]:
    """Returns the same for files in memory, which both programs read once, one after the other."""
    files = await asyncio.to_thread(_cold_files, bits // 2 * 2)
    sent = _lots(len(files))
    pairs = [[path, bit] for path, bit in zip(files, sent, strict=False)]
    _, sending = json.loads(await host.said(host.start(_READS, json.dumps(pairs), limits=_SEAT, sealed=True)))
    every = json.dumps([[path, True] for path, _ in pairs])
    took, hearing = json.loads(await host.said(host.start(_READS, every, limits=_SEAT, sealed=True)))
    return wrong_share([not bit for bit in sent], took), len(pairs) / (sending + hearing)


async def measure(runs: int, bits: int) -> None:
    """Prints all results."""
    host = Host()
    ways = [(_CORES, slot) for slot in (0.005, 0.02, 0.1)] + [(_MEMORY, slot) for slot in (0.02, 0.1)]
    try:
        for way, slot in [*ways, (_PAGES, 0.0)]:
            found = [await (_in_slots(host, way, slot, bits) if slot else _by_pages(host, bits)) for _ in range(runs)]
            capacities = [rate * capacity(wrong) if wrong < 1 / 2 else 0.0 for wrong, rate in found]
            wrong = median(share for share, _ in found)
            each = f"{1000 * slot:g} ms a bit" if slot else f"{median(rate for _, rate in found):,.0f} files a second"
            spread = f"{median(capacities):,.1f} bits a second ({min(capacities):,.1f}-{max(capacities):,.1f})"
            click.echo(f"{way}, {each}: {wrong:.1%} wrong, {spread}")
    finally:
        await host.sandbox.close()
    by_chance = capacity(1 / 2 - 1 / bits**0.5)
    click.echo(f"Of {bits} bits, chance alone may tell {by_chance:.2%}. Load: {os.getloadavg()[0]:.0f}.")


@click.command()
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1))
@click.option("--bits", default=200, show_default=True, type=click.IntRange(20, 1000), help="Bits sent in each run.")
def main(runs: int, bits: int) -> None:
    """Measure what timing carries between two sealed sandboxes: as root, with nothing else running."""
    if shutil.which("bwrap") is None:
        raise click.ClickException("this needs bubblewrap")
    asyncio.run(measure(runs, bits))


if __name__ == "__main__":
    main()
