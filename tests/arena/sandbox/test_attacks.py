"""Programs that take all they can get are ended, leave nothing, and a bot beside them plays its match undisturbed."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Cause, Job
from tests.support.arena.sandbox.bots import Neighbour, neighbour
from tests.support.arena.sandbox.sandboxes import done, python, said
from tests.support.patience import until
from tests.support.service.organiser import Organiser

pytestmark = pytest.mark.asyncio(loop_scope="module")

BYTES_PER_MB = 1_000_000
PAGE = os.sysconf("SC_PAGE_SIZE")
FORK_BOMB = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""
THREADS = """
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(1000,)).start()
    except RuntimeError: pass
"""
HOG = "held = []\nwhile True: held.append(10_000_000 * b'x')"
HOGS = """
import os, time
for _ in range(3): os.fork()
held = 30_000_000 * b"x"
time.sleep(1000)
"""
MAPPED = """
import mmap
held = mmap.mmap(-1, 1_000_000_000)
while True: held.write(1_000_000 * b"x")
"""
IN_FILES = """
for number in range(1000):
    open(f"/tmp/{number}", "wb").write(1_000_000 * b"x")
    open(f"/dev/shm/{number}", "wb").write(1_000_000 * b"x")
"""
INODES = """
import itertools
for number in itertools.count(): open(f"/tmp/{number}", "w").close()
"""
BUSY = """
import os
for _ in range(3): os.fork()
while True: pass
"""
FILL = """
import json, os
filled, top = {}, {}
for folder, _, _ in os.walk("/"):
    if folder.startswith("/proc"): continue
    # What is shown from below /tmp stands in folders of the same file system.
    system = top.setdefault(os.stat(folder).st_dev, folder)
    size = 0
    try:
        with open(f"{folder}/filler", "wb", buffering=0) as file:
            filled.setdefault(system, 0)
            while True: size += file.write(bytes(100_000))
    except OSError: pass
    if system in filled: filled[system] = max(filled[system], size)
print(json.dumps(filled))
"""
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(100_000)
    os._exit(0)
"""
DEAF = """
import os, signal, time
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
os.fork()
time.sleep(100_000)
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def good(bubblewrap: Bubblewrap, organiser: Organiser) -> AsyncIterator[Neighbour]:
    """Yields a good bot in a sandbox of its own."""
    async with neighbour(bubblewrap, organiser) as running:
        yield running


async def attacked(sandbox: Bubblewrap, good: Neighbour, job: Job) -> tuple[Cause, str]:
    """Returns how an attack ended, and what it said. Meanwhile the good bot plays; of the attacker nothing is left."""
    match_id = await good.begins()
    running = sandbox.start(job)
    ending, output = await done(running)
    assert running.remains() == []
    await good.undisturbed(match_id)
    return ending.cause, output


@pytest.mark.parametrize("code", [FORK_BOMB, THREADS], ids=["processes", "threads"])
async def test_a_fork_bomb_ends(
    bubblewrap: Bubblewrap, good: Neighbour, enforced: Callable[[str], None], code: str
) -> None:
    enforced("processes")
    assert (await attacked(bubblewrap, good, python(code, limits={"processes": 20})))[0] is Cause.PROCESSES


@pytest.mark.parametrize("code", [HOG, HOGS, MAPPED, IN_FILES], ids=["one", "over forks", "mapped", "in files"])
async def test_a_memory_hog_ends(
    bubblewrap: Bubblewrap, good: Neighbour, enforced: Callable[[str], None], code: str
) -> None:
    enforced("memory")
    limits = {"memory": 100 * BYTES_PER_MB, "disk": 1_000 * BYTES_PER_MB, "file_size": 1_000 * BYTES_PER_MB}
    assert (await attacked(bubblewrap, good, python(code, limits=limits)))[0] is Cause.MEMORY


@pytest.mark.exhaustive
async def test_whoever_makes_files_without_end_ends(
    bubblewrap: Bubblewrap, good: Neighbour, enforced: Callable[[str], None]
) -> None:
    enforced("memory")
    assert (await attacked(bubblewrap, good, python(INODES, limits={"memory": 40 * BYTES_PER_MB})))[0] is Cause.MEMORY


@pytest.mark.exhaustive
async def test_a_busy_loop_in_several_processes_ends(
    bubblewrap: Bubblewrap, good: Neighbour, enforced: Callable[[str], None]
) -> None:
    enforced("cpu")
    assert (await attacked(bubblewrap, good, python(BUSY, limits={"cpu": 1.0})))[0] is Cause.CPU


@pytest.mark.exhaustive
async def test_it_fills_no_more_than_its_two_folders_in_memory(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    job = python(FILL, limits={"disk": 4 * BYTES_PER_MB})
    cause, output = await attacked(bubblewrap, good, job)
    assert cause is Cause.EXIT
    filled = json.loads(output)
    assert filled.keys() == {"/tmp", "/dev/shm"}
    pages = -(-4 * BYTES_PER_MB // PAGE) * PAGE
    assert set(filled.values()) == {pages}


@pytest.mark.exhaustive
async def test_a_file_grows_no_larger_than_it_may(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    job = python(FILL, limits={"disk": 40 * BYTES_PER_MB, "file_size": BYTES_PER_MB})
    _, output = await attacked(bubblewrap, good, job)
    assert json.loads(output) == {"/tmp": BYTES_PER_MB, "/dev/shm": BYTES_PER_MB}


async def test_no_process_opens_more_files_than_it_may(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    code = "held = []\ntry:\n while True: held.append(open('/dev/null'))\nexcept OSError: print(len(held))"
    _, output = await attacked(bubblewrap, good, python(code, limits={"open_files": 40}))
    assert int(output) == 40 - 3


async def test_a_gigabyte_on_standard_output_ends_it(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    code = "import os\nfor _ in range(1000): os.write(1, bytes(1_000_000))"
    cause, output = await attacked(
        bubblewrap, good, python(code, limits={"output": BYTES_PER_MB, "output_kept": 10_000})
    )
    assert cause is Cause.OUTPUT
    assert len(output) < 10_100


async def test_a_daemon_does_not_outlive_its_parent(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    assert (await attacked(bubblewrap, good, python(DAEMON)))[0] is Cause.EXIT


async def test_a_program_that_ignores_every_signal_is_killed(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    cause, _ = await attacked(bubblewrap, good, python(DEAF, limits={"wall": 1.0}))
    assert cause is Cause.WALL


async def test_another_bots_socket_cannot_be_written_to(bubblewrap: Bubblewrap, good: Neighbour) -> None:
    await until(lambda: good.relay.connections == 1, "the connection of the good one")
    code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    cause, output = await attacked(bubblewrap, good, python(code, str(good.relay.path)))
    assert cause is Cause.EXIT
    assert "FileNotFoundError" in output
    assert good.relay.connections == 1
    # On the host nobody but root and the one bot's uid may connect.
    about = good.relay.path.stat()
    assert stat.S_IMODE(about.st_mode) == 0o600
    assert about.st_uid not in {os.getuid(), 0}


async def test_two_bots_that_run_at_once_have_different_uids(bubblewrap: Bubblewrap) -> None:
    both = [bubblewrap.start(python("print('here', flush=True); import time; time.sleep(1000)")) for _ in range(2)]
    for program in both:
        await said(program, "here")
    uids = {os.stat(f"/proc/{sandboxed.pid}").st_uid for sandboxed in both}  # noqa: PTH116  # Path.stat is taken for slow
    await asyncio.gather(*(sandboxed.kill() for sandboxed in both))
    assert len(uids) == 2
    assert not uids & {0, os.getuid()}
