"""Pairs of sandboxes on one host try to tell each other bits, by every object that anybody has thought of."""

from __future__ import annotations

import asyncio
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Sandbox
from fudaba_arena.sandbox.unsafe import Unsafe
from tests.support.arena.sandbox.channels.program import CHANNELS
from tests.support.arena.sandbox.hunting import hunted, right_bits
from tests.support.sizes import exhaustive

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]

BITS = 640 if exhaustive() else 64
ENOUGH = BITS * 56 // 64
"""Who guesses gets half of them, and so many once in a thousand million hunts."""
TRY_COUNT = 20
BY_FILES = ["Flock", "FlockOfRuntime", "FlockOfDevice", "RecordLock", "OpenFileLock", "Inotify", "Dnotify",
            "Cached", "CachedName", "TimesOfDevice"]  # fmt: skip
BY_COUNTERS = ["Files", "Inodes", "Threads", "ThreadsBySysinfo", "Memory"]
BY_SANDBOX = ["Lease", "CachedByMincore", "CachedByCachestat", "Terminals", "Space", "SharedMemory", "NamedSocket",
              "AbstractSocket", "Port", "SystemV", "Semaphores", "Processes", "Keyring"]  # fmt: skip
"""What the sandbox refuses to builds, too, or each program has of its own."""
BY_TIME = ["Pressure"]
"""What others who want the cores drown, so that on a busy host no bits come: that it is told, and not, is shown."""
BY_NOBODY = ["TimesOfFile"]
"""What carries nothing without a seal or a sandbox either: files are mounted so that each has its time of reading set
once a day, and in a sandbox never."""
STAYS_OPEN = ["MappedByPagemap", "MappedBySmaps", "EventNumber", "PipeNumber", "MemoryFileNumber"]
"""What the kernel tells a sealed program all the same; see "What stays open" in docs/sandbox.md."""
NOT_BUILT_IN = ("ENOSYS", "EOPNOTSUPP")
"""What a kernel or a file system says that does not have an object at all."""


@pytest.fixture(autouse=True, scope="module")
def alone() -> Iterator[None]:
    """No other run on this host hunts meanwhile: both would use the same files of `/usr`."""
    with Path(tempfile.gettempdir(), "fudaba-hunting.lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


async def test_sealed_sandboxes_tell_each_other_nothing(bubblewrap: Bubblewrap) -> None:
    names = sorted(CHANNELS.keys() - {*STAYS_OPEN})
    heard = await hunted(bubblewrap, BITS, names, sealed=True)
    assert sorted(heard) == names
    assert {name: channel for name, channel in heard.items() if channel.right >= ENOUGH} == {}


async def unheard(sandbox: Sandbox, names: list[str], **more: bool) -> list[str]:
    """Returns the objects by which a pair cannot tell bits. Whoever uses one beside it is noise: so it tries some
    times."""
    for _ in range(TRY_COUNT):
        heard = await hunted(sandbox, 64, names, **more)
        names = [name for name, channel in heard.items() if channel.right < 56 and channel.refused not in NOT_BUILT_IN]
        if not names:
            break
    return names


async def test_each_object_of_the_hunt_is_shown_to_carry_bits_or_why_it_carries_none() -> None:
    assert sorted(BY_FILES + BY_COUNTERS + BY_SANDBOX + BY_TIME + BY_NOBODY + STAYS_OPEN) == sorted(CHANNELS)


async def test_sandboxes_that_are_not_sealed_do_tell_each_other_bits(bubblewrap: Bubblewrap) -> None:
    assert await unheard(bubblewrap, BY_FILES + BY_COUNTERS, sealed=False) == []


@pytest.mark.nightly("that each object is closed, or is said to stay open, is tested above")
async def test_what_is_said_to_stay_open_does(bubblewrap: Bubblewrap) -> None:
    assert await unheard(bubblewrap, STAYS_OPEN, sealed=True) == []


@pytest.mark.exhaustive
async def test_programs_without_a_sandbox_do_tell_each_other_bits(unsafe: Unsafe) -> None:
    assert await unheard(unsafe, BY_SANDBOX) == []


async def test_pressure_is_told_to_programs_that_are_not_sealed_alone(bubblewrap: Bubblewrap) -> None:
    if not await asyncio.to_thread(Path("/proc/pressure/cpu").exists):
        pytest.skip("This kernel tells nothing of pressure.")
    refused = [(await hunted(bubblewrap, 2, BY_TIME, sealed=sealed))["Pressure"].refused for sealed in (False, True)]
    assert refused == ["", "ENOENT"]


async def test_no_sandbox_sees_when_another_one_read_a_file(bubblewrap: Bubblewrap) -> None:
    heard = await hunted(bubblewrap, 8, ["TimesOfFile"], sealed=False)
    assert heard["TimesOfFile"].refused == "EROFS", "what is mounted read-only keeps no times of reading"


@pytest.mark.parametrize("heard", [[0, 5, 5, 0, 5, 0], [9, 8, 8, 9, 8, 9], [1, 4, 9, 2, 8, 3]])
async def test_bits_are_told_from_how_high_a_number_is_or_whether_it_rose(heard: list[float]) -> None:
    assert right_bits([False, True, True, False, True, False], heard) == 6
