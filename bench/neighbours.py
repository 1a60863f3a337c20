"""What a program in a sandbox does to another one beside it, and learns of it, by the caches and the memory they share.

The victim copies a few megabytes again and again, as long as nothing else, then beside a neighbour that computes, then
beside one that goes through more memory than the caches hold. Then a neighbour that does so in some tenths of a second,
drawn by lot, and sleeps in the others, is watched by a program that only measures how long its own copies take: how
many of the tenths does it tell rightly? Half of them is chance.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from random import Random
from statistics import median

import click

from fudaba_arena.programs.found import found
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Job, Running

_SLOTS = 100
_SLOT = 0.1
_VICTIM = """
import sys, time
own, until, copies = bytes(4_000_000), time.perf_counter() + float(sys.argv[1]), 0
while time.perf_counter() < until:
    bytearray(own)
    copies += 1
print(copies)
"""
_COMPUTES = "while True: pass"
_THRASHES = """
far = bytes(64_000_000)
while True: bytearray(far)
"""
_SENDS = """
import random, sys, time
begin, slots, slot = map(float, sys.argv[1:])
lots, far = random.Random(1), bytes(16_000_000)
for number in range(int(slots)):
    on, end = lots.random() < 0.5, begin + (number + 1) * slot
    while (left := end - time.time()) > 0:
        if on and time.time() >= begin: bytearray(far)
        else: time.sleep(min(left, 0.01))
"""
_WATCHES = """
import json, sys, time
begin, slots, slot = map(float, sys.argv[1:])
own, took = bytes(4_000_000), [[] for _ in range(int(slots))]
time.sleep(max(0.0, begin - time.time()))
while (number := int((time.time() - begin) / slot)) < slots:
    before = time.perf_counter()
    bytearray(own)
    took[number].append(time.perf_counter() - before)
print(json.dumps([sorted(one)[len(one) // 2] if one else 0.0 for one in took]))
"""


class _Host:
    def __init__(self) -> None:
        self.sandbox = Bubblewrap.open()
        self._runtime = next(found(["python"]))

    def start(self, code: str, *arguments: float) -> Running:
        """Starts a program in Python in a sandbox."""
        command = ["python3", "-c", code, *map(str, arguments)]
        return self.sandbox.start(Job(command=command, read_only=self._runtime.shown, env=self._runtime.env))

    async def said(self, running: Running) -> str:
        """What a program printed, once it has ended."""
        ending = await running.wait()
        if ending.code != 0:
            raise RuntimeError(f"a program failed: {ending}, {running.stderr.decode()}")
        return running.stdout.decode()


async def copies(host: _Host, neighbour: str, seconds: float) -> float:
    """Copies a second of the victim beside a neighbour, or none."""
    beside = host.start(neighbour) if neighbour else None
    await asyncio.sleep(0.5)
    found = int(await host.said(host.start(_VICTIM, seconds))) / seconds
    if beside is not None:
        await beside.kill()
    return found


async def told(host: _Host, now: float) -> float:
    """The share of the slots that the watching program tells rightly."""
    begin = now + 2.0
    sends, watches = host.start(_SENDS, begin, _SLOTS, _SLOT), host.start(_WATCHES, begin, _SLOTS, _SLOT)
    took = json.loads(await host.said(watches))
    await sends.kill()
    lots = Random(1)
    sent = [lots.random() < 0.5 for _ in range(_SLOTS)]
    middle = median(took)
    right: float = sum((one > middle) == bit for one, bit in zip(took, sent, strict=True)) / _SLOTS
    return max(right, 1 - right)


async def measure(runs: int, seconds: float) -> None:
    """Prints everything."""
    host = _Host()
    try:
        alone, computing, thrashing, rights = [], [], [], []
        for _ in range(runs):
            alone.append(await copies(host, "", seconds))
            computing.append(await copies(host, _COMPUTES, seconds))
            thrashing.append(await copies(host, _THRASHES, seconds))
            rights.append(await told(host, time.time()))
        for what, found in (("one that computes", computing), ("one that goes through much memory", thrashing)):
            shares = [one / bare for one, bare in zip(found, alone, strict=True)]
            click.echo(f"beside {what}: {median(shares):.2f} of the speed alone ({min(shares):.2f}-{max(shares):.2f})")
        click.echo(f"tenths of a second told rightly: {median(rights):.0%} ({min(rights):.0%}-{max(rights):.0%})")
    finally:
        await host.sandbox.close()


@click.command()
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1))
@click.option("--seconds", default=3.0, show_default=True, help="How long the victim copies each time.")
def main(runs: int, seconds: float) -> None:
    """Measure what sandboxes do to each other by what they share: as root, with nothing else running."""
    if shutil.which("bwrap") is None:
        raise click.ClickException("this needs bubblewrap")
    asyncio.run(measure(runs, seconds))


if __name__ == "__main__":
    main()
