"""Hunts for channels: a pair of programs, one of which is told bits, and what the other one makes of them."""

from __future__ import annotations

import asyncio
import json
import platform
import random
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from fudaba_arena.sandbox.sandbox import SOCKET, RunningProgram, Sandbox
from fudaba_arena.sandbox.syscalls import numbers
from tests.support.arena.sandbox import channels
from tests.support.arena.sandbox.channels.program import CHANNELS
from tests.support.arena.sandbox.sandboxes import python

_HERE = Path(channels.__file__).parent
_PACKAGE = Path(*channels.__name__.split("."))
_CODE = "import sys; sys.path.insert(0, sys.argv[1])\nfrom {module} import main; main(sys.argv[2])"
_LIMITS = {"processes": 1_000, "open_files": 1_000}
"""The limits, with room for ended threads that the kernel still counts for a moment."""
_KEYS = {"x86_64": {"add_key": 248, "request_key": 249}, "aarch64": {"add_key": 217, "request_key": 218}}


@dataclass(frozen=True)
class Heard:
    """The findings of a hunt about an object."""

    right: int
    """The number of right bits in the most favourable reading."""
    refused: str
    """The error that either of the two last met; empty for none."""


async def hunted(sandbox: Sandbox, bits: int, names: Sequence[str] = tuple(CHANNELS), **job: Any) -> dict[str, Heard]:
    """Has one program send this many bits by each object, and another one listen, in sandboxes of these jobs. Returns
    what was heard by each object.
    """
    lots = {name: random.SystemRandom().sample([False, True] * (bits // 2), bits) for name in names}
    heard: dict[str, list[float]] = {name: [] for name in names}
    refused = dict.fromkeys(names, "")
    given = {
        "key": secrets.token_hex(8),
        "numbers": dict(numbers(platform.machine())) | _KEYS[platform.machine()],
        "channels": list(names),
    }
    async with _program(sandbox, given, job) as sender, _program(sandbox, given, job) as hearer:
        for together in _apart(names):
            for number in range(bits):
                sending = {name: lots[name][number] for name in together}
                turns = [
                    await sender.turn("release", number, together),
                    await hearer.turn("ready", number, together),
                    await sender.turn("send", number, sending),
                    await hearer.turn("hear", number, together),
                ]
                for name in together:
                    answers = [turn[name] for turn in turns]
                    errors = [answer for answer in answers if isinstance(answer, str)]
                    refused[name] = errors[0] if errors else refused[name]
                    heard[name].append(0.0 if isinstance(answers[-1], str) else answers[-1])
            await sender.turn("release", bits, together)
    return {name: Heard(right_bits(lots[name], heard[name]), refused[name]) for name in names}


def _apart(names: Sequence[str]) -> list[list[str]]:
    """Objects of which none changes what is heard of another."""
    lots = sorted({CHANNELS[name].after for name in names})
    return [[name for name in names if CHANNELS[name].after == lot] for lot in lots]


def right_bits(sent: Sequence[bool], heard: Sequence[float]) -> int:
    """Returns how many bits are told from numbers: by how high these are, or by whether they rose; or by the
    opposite."""
    rises = [after - before for before, after in zip([heard[0], *heard], heard, strict=False)]
    best = 0
    for readings, middle in (
        (heard, _middle(heard)),
        (heard, median(heard)),
        (rises, _middle(rises)),
        (rises, 0.0),
    ):
        right = sum((reading > middle) == bit for reading, bit in zip(readings, sent, strict=True))
        best = max(best, right, len(sent) - right)
    return best


def _middle(readings: Sequence[float]) -> float:
    return (min(readings) + max(readings)) / 2


@dataclass(frozen=True)
class _Program:
    running: RunningProgram
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def turn(self, turn: str, number: int, bits: Mapping[str, bool] | Sequence[str]) -> dict[str, float | str]:
        """Makes it do something with these objects, and returns what it says of each."""
        return await self.ask({"turn": turn, "number": number, "channels": list(bits), "bits": bits})

    async def ask(self, order: dict[str, Any]) -> dict[str, float | str]:
        self.writer.write(json.dumps(order).encode() + b"\n")
        if not (line := await self.reader.readline()):
            raise AssertionError((await self.running.wait(), self.running.stdout, self.running.stderr))
        answer: dict[str, float | str] = json.loads(line)
        return answer


@asynccontextmanager
async def _program(sandbox: Sandbox, given: dict[str, Any], job: dict[str, Any]) -> AsyncIterator[_Program]:
    path = sandbox.new_socket()
    called: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    server = await asyncio.start_unix_server(lambda *both: called.put_nowait(both), str(path))
    code = _CODE.format(module=f"{channels.__name__}.program")
    root = Path("/run/hunt") if sandbox.isolated else _HERE.parents[len(_PACKAGE.parts) - 1]
    inside = str(SOCKET if sandbox.isolated else path)
    shown = {root / _PACKAGE: _HERE} if sandbox.isolated else {}
    running = sandbox.start(python(code, str(root), inside, read_only=shown, socket=path, limits=_LIMITS, **job))
    try:
        ending, first = asyncio.create_task(running.wait()), asyncio.create_task(called.get())
        await asyncio.wait([ending, first], return_when=asyncio.FIRST_COMPLETED)
        assert first.done(), (await ending, running.stdout, running.stderr)
        program = _Program(running, *first.result())
        await program.ask(given)
        yield program
        program.writer.close()
        await program.writer.wait_closed()
        await ending
    finally:
        await running.kill()
        server.close()
