"""A program that plays is refused the calls by which sandboxes of one host could tell each other something."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_asyncio

from fudaba_arena.programs.installed_runtimes import found
from fudaba_arena.programs.memory import memory_options
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.sandbox.sandbox import Job
from fudaba_arena.sandbox.syscalls import numbers
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox import sealed_calls
from tests.support.arena.sandbox.sandboxes import done, python

pytestmark = pytest.mark.asyncio(loop_scope="module")

REFUSED = {
    "flock": "ENOLCK",
    "flock by x32": "ENOSYS",
    "F_GETLK": "ENOLCK",
    "F_SETLK": "ENOLCK",
    "F_SETLKW": "ENOLCK",
    "F_OFD_GETLK": "ENOLCK",
    "F_OFD_SETLK": "ENOLCK",
    "F_OFD_SETLKW": "ENOLCK",
    "F_SETLEASE": "EINVAL",
    "F_GETLEASE": "EINVAL",
    "F_NOTIFY": "EINVAL",
    "F_GET_RW_HINT": "EINVAL",
    "inotify_init1": "ENOSYS",
    "inotify_add_watch": "ENOSYS",
    "inotify_rm_watch": "ENOSYS",
    "preadv2 that does not wait": "ENOTSUP",
    "pwritev2 that does not wait": "ENOTSUP",
    "mincore": "ENOSYS",
    "cachestat": "ENOSYS",
    "fadvise64": "ENOSYS",
    "readahead": "ENOSYS",
    "openat2": "ENOSYS",
    "flags of a file system": "ENOTTY",
    "sysinfo": "ENOSYS",
    "PR_SET_MEMORY_MERGE": "EINVAL",
    "PR_SCHED_CORE": "EINVAL",
    "MADV_MERGEABLE": "EINVAL",
    "huge pages by memfd_create": "EINVAL",
    "huge pages by mmap": "ENOMEM",
    "huge pages by shmget": "ENOMEM",
    "pidfd_open": "ENOSYS",
    "sched_setaffinity": "EPERM",
    "CLONE_PIDFD": "EINVAL",
    "SO_COOKIE": "ENOPROTOOPT",
    "SO_PEERPIDFD": "ENOPROTOOPT",
    "SO_PASSPIDFD": "ENOPROTOOPT",
    "landlock_create_ruleset": "ENOSYS",
}
WHERE_THERE_IS_ONE = {
    "pwritev2 that does not wait", "flock by x32",
    "cachestat", "openat2", "PR_SET_MEMORY_MERGE", "MADV_MERGEABLE", "huge pages by memfd_create", "huge pages by mmap",
    "huge pages by shmget", "SO_COOKIE", "SO_PEERPIDFD", "SO_PASSPIDFD", "landlock_create_ruleset",
    "flags of a file system", "PR_SCHED_CORE",
}  # fmt: skip
"""A kernel or a file system without it says the same as the filter."""


READ_PROC = """
import hashlib, json, os
found = {}
def look(place):
    for entry in os.scandir(place):
        if entry.is_symlink() or place == "/proc" and entry.name.isdigit(): continue
        try:
            if entry.is_dir(): look(entry.path)
            else: found[entry.path] = hashlib.sha256(open(entry.path, "rb").read(1_000_000)).hexdigest()
        except OSError: pass
look("/proc")
print(json.dumps(found))
"""
TOUCH = """
import errno, os
for name in "null", "zero", "full", "random", "urandom":
    try: os.utime(f"/dev/{name}")
    except OSError as error: print(errno.errorcode[error.errno])
open("/dev/null", "w").write("x")
"""


async def answers(sandbox: Bubblewrap, *, sealed: bool) -> dict[str, str]:
    program = Path("/run/sealed_calls.py")
    command = [sys.executable, "-I", "-S", str(program), json.dumps(dict(numbers(platform.machine())))]
    shown = own_python() | {program: Path(sealed_calls.__file__)}
    running = sandbox.start(Job(command=command, read_only=shown, sealed=sealed))
    ending = await running.wait()
    assert ending.code == 0, (ending, running.stdout, running.stderr)
    found: dict[str, str] = json.loads(running.stdout)
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sealed(bubblewrap: Bubblewrap) -> dict[str, str]:
    return await answers(bubblewrap, sealed=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def unsealed(bubblewrap: Bubblewrap) -> dict[str, str]:
    return await answers(bubblewrap, sealed=False)


async def test_a_sealed_program_is_refused_what_carries_messages(sealed: dict[str, str]) -> None:
    assert {call: sealed[call] for call in REFUSED} == REFUSED


async def test_a_program_that_builds_is_not_refused_it(unsealed: dict[str, str]) -> None:
    assert [call for call in REFUSED.keys() - WHERE_THERE_IS_ONE if unsealed[call] == REFUSED[call]] == []


async def contents_of_proc(sandbox: Bubblewrap, *, sealed: bool) -> dict[str, str]:
    """Returns what a program reads in `/proc` outside of the folders of processes: digests by file."""
    _, output = await done(sandbox.start(python(READ_PROC, sealed=sealed, limits={"memory": 300 * 2**20})))
    found: dict[str, str] = json.loads(output)
    return found


async def test_what_a_sealed_program_reads_in_proc_never_changes(bubblewrap: Bubblewrap) -> None:
    first = await contents_of_proc(bubblewrap, sealed=True)
    assert await contents_of_proc(bubblewrap, sealed=True) == first
    assert {"/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/sys/vm/max_map_count"} <= first.keys()
    assert not any(name.startswith(("/proc/sys/kernel/pty", "/proc/pressure", "/proc/sys/fs/inode")) for name in first)


async def test_what_another_program_reads_there_does_change(bubblewrap: Bubblewrap) -> None:
    first, second = [await contents_of_proc(bubblewrap, sealed=False) for _ in range(2)]
    assert {"/proc/stat", "/proc/uptime"} <= {name for name in first if first[name] != second.get(name)}


async def test_a_sealed_program_finds_its_own_memory_and_as_many_processors_as_there_are(
    bubblewrap: Bubblewrap,
) -> None:
    code = "import os; print(open('/proc/meminfo').readline().split()[1], os.cpu_count())"
    _, output = await done(bubblewrap.start(python(code, sealed=True, limits={"memory": 300 * 2**20})))
    assert output.split() == [str(300 * 1024), str(os.cpu_count())]


async def test_a_sealed_program_has_a_database_without_locks(bubblewrap: Bubblewrap) -> None:
    code = """
import sqlite3
for options in "?nolock=1", "":
    base = sqlite3.connect(f"file:/tmp/base.db{options}", uri=True)
    try:
        base.execute("create table if not exists kept (word)")
        base.execute("insert into kept values ('x')")
        base.commit()
        print(base.execute("select count(*) from kept").fetchone()[0])
    except sqlite3.OperationalError as error: print(error)
"""
    _, output = await done(bubblewrap.start(python(code, sealed=True)))
    lines = output.splitlines()
    assert lines[0] == "1"
    assert "lock" in lines[1], lines


@pytest.mark.parametrize("sealed", [False, True])
async def test_no_program_gets_a_terminal(bubblewrap: Bubblewrap, *, sealed: bool) -> None:
    code = "import os\ntry: os.openpty(); print('opened')\nexcept OSError: print(os.listdir('/dev/pts'))"
    _, output = await done(bubblewrap.start(python(code, sealed=sealed)))
    assert output == "[]\n"


async def test_a_sealed_program_writes_to_devices_and_does_not_set_their_times(bubblewrap: Bubblewrap) -> None:
    if not bubblewrap.closes_devices:
        pytest.skip("NOT TESTED: this process may not mount, so that devices are as the host has them")
    _, output = await done(bubblewrap.start(python(TOUCH, sealed=True)))
    assert output.split() == 5 * ["EROFS"]


async def test_java_takes_half_of_the_limit_for_its_heap(
    bubblewrap: Bubblewrap, need_tool: Callable[[str], Path]
) -> None:
    need_tool("java")
    [runtime] = found(["java"])
    limits = Limits(memory=400 * 2**20)
    job = Job(
        command=["java", "-XX:+PrintFlagsFinal", "-version"],
        read_only=runtime.shown,
        env=runtime.env | memory_options("java", limits.memory),
        limits=limits,
        sealed=True,
    )
    running = bubblewrap.start(job)
    ending = await running.wait()
    assert ending.code == 0, (ending, running.stdout, running.stderr)
    [heap] = re.findall(rb" MaxHeapSize *= *(\d+)", running.stdout)
    assert int(heap) == 200 * 2**20
    assert b"warning" not in running.stdout


async def test_no_program_gets_io_uring(sealed: dict[str, str], unsealed: dict[str, str]) -> None:
    assert (sealed["io_uring_setup"], unsealed["io_uring_setup"]) == ("EPERM", "EPERM")
