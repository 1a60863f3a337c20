"""What a program keeps: its folder lives on from run to run, is sized, and harms nobody whatever is put into it."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.leftovers import sweep
from fudaba_arena.sandbox.sandbox import Cause, Sandbox
from tests.support.arena.sandbox.kept_folders import STAY, job
from tests.support.arena.sandbox.sandboxes import done, said

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]

PAGE_BYTES = 4_096
KEPT_BYTES = 100 * PAGE_BYTES
COUNT = """
import os, pathlib
kept = pathlib.Path(os.environ["FUDABA_KEPT"])
runs = kept / "seen" / "runs"
runs.parent.mkdir(exist_ok=True)
before = int(runs.read_text()) if runs.exists() else 0
runs.write_text(str(before + 1))
print(before)
"""
FILL = """
import errno
written = 0
try:
    with open("/kept/much", "wb", buffering=0) as file:
        while True: written += file.write(bytes(4096))
except OSError as error: print(errno.errorcode[error.errno], written)
"""
MILLION = """
import errno
try:
    for number in range(1_000_000): open(f"/kept/{number}", "w").close()
except OSError as error: print(errno.errorcode[error.errno], number)
"""
ODD = """
import os, socket
os.chdir("/kept")
open("good", "w").write("good")
os.symlink("/etc/shadow", "shadow")
os.symlink("/", "root")
os.symlink("good", "better")
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
for name in "device", "zero":
    try: os.mknod(name, 0o666 | 0o020000, os.makedev(1, 5))
    except OSError: print("no", name)
open("program", "w").write("#!/bin/sh")
os.chmod("program", 0o6755)
open("secret", "w").write("mine")
os.chmod("secret", 0)
open(b"\\xff\\n-rf", "w").write("odd")
deep = "/kept"
for level in range(40):
    deep += "/d"
    os.mkdir(deep)
"""


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    """Returns an empty folder."""
    return KeptFiles(tmp_path / "kept.tar")


def names(kept: KeptFiles) -> dict[str, tuple[bool, int, bytes | None]]:
    """Returns what is in an archive: whether it is a file, its mode, what it says."""
    with tarfile.open(kept.archive, encoding="utf-8", errors="surrogateescape") as archive:
        found = {}
        for member in archive:
            file = archive.extractfile(member)
            found[member.name] = member.isreg(), member.mode, file.read() if file is not None else None
        return found


async def test_what_a_program_writes_is_there_when_it_runs_again(on_host: Sandbox, kept: KeptFiles) -> None:
    for number in range(3):
        running = on_host.start(job(kept, COUNT))
        ending, output = await done(running)
        assert (ending.code, output.strip()) == (0, str(number)), output
        assert kept.note == ""
    assert (kept.files, kept.size) == (2, PAGE_BYTES)
    assert names(kept) == {"seen": (False, 0o755, None), "seen/runs": (True, 0o644, b"3")}


async def test_a_folder_in_which_nothing_changed_makes_the_same_archive(on_host: Sandbox, kept: KeptFiles) -> None:
    await done(on_host.start(job(kept, COUNT)))
    before = kept.archive.read_bytes()
    await done(on_host.start(job(kept, "")))
    assert kept.archive.read_bytes() == before


async def test_what_a_program_wrote_before_it_was_killed_or_crashed_is_kept(
    bubblewrap: Bubblewrap, kept: KeptFiles
) -> None:
    running = bubblewrap.start(job(kept, STAY))
    await said(running, "written")
    await running.kill(Cause.CPU)
    assert names(kept) == {"new": (True, 0o644, b"new")}
    ending, _ = await done(bubblewrap.start(job(kept, "import os; os.unlink('/kept/new'); os.abort()")))
    assert ending.cause is Cause.SIGNAL
    assert names(kept) == {}


async def test_more_than_its_size_fails_in_the_write_and_what_fitted_is_kept(
    bubblewrap: Bubblewrap, kept: KeptFiles
) -> None:
    ending, output = await done(bubblewrap.start(job(kept, FILL, kept=KEPT_BYTES)))
    assert (ending.code, output.split()) == (0, ["ENOSPC", str(KEPT_BYTES)])
    assert (kept.size, kept.note) == (KEPT_BYTES, "")


async def test_a_million_files_fail_when_they_are_made(bubblewrap: Bubblewrap, kept: KeptFiles) -> None:
    ending, output = await done(bubblewrap.start(job(kept, MILLION, kept_files=50)))
    assert (ending.code, output.split()) == (0, ["ENOSPC", "50"])
    assert (kept.files, kept.note) == (50, "")


async def test_a_folder_that_an_earlier_larger_limit_filled_can_be_read_and_made_smaller(
    bubblewrap: Bubblewrap, kept: KeptFiles
) -> None:
    await done(bubblewrap.start(job(kept, FILL, kept=KEPT_BYTES)))
    less: dict[str, Any] = {"kept": 16 * PAGE_BYTES, "kept_files": 5}
    more = "print(len(open('/kept/much', 'rb').read()))\nopen('/kept/more', 'wb', 0).write(b'x')"
    ending, output = await done(bubblewrap.start(job(kept, more, **less)))
    assert ending.code == 1
    assert output.startswith(f"{KEPT_BYTES}\n")
    assert "No space left on device" in output
    _, output = await done(bubblewrap.start(job(kept, "import os; os.truncate('/kept/much', 10)", **less)))
    assert (kept.size, kept.note) == (PAGE_BYTES, ""), output


async def test_links_devices_pipes_and_sockets_are_left_out_and_modes_are_plain(
    bubblewrap: Bubblewrap, kept: KeptFiles
) -> None:
    ending, output = await done(bubblewrap.start(job(kept, ODD)))
    assert (ending.code, output) == (0, "no device\nno zero\n")
    found = names(kept)
    levels = {"/".join("d" * level) for level in range(1, 33)}
    assert {name: content for name, content in found.items() if name not in levels} == {
        "good": (True, 0o644, b"good"),
        "program": (True, 0o755, b"#!/bin/sh"),
        "secret": (True, 0o644, b"mine"),
        "\udcff\n-rf": (True, 0o644, b"odd"),
    }
    assert levels <= found.keys()
    assert kept.note.startswith("of its folder was left out: 'better', which is neither a file nor a folder, ")
    assert kept.note.endswith(" and 3 more")
    listed = "import os; print(sorted(os.listdir(b'/kept')), oct(os.stat('/kept/program').st_mode))"
    _, output = await done(bubblewrap.start(job(kept, listed)))
    assert output == "[b'd', b'good', b'program', b'secret', b'\\xff\\n-rf'] 0o100755\n"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("for n in range(40): open(f'/kept/{n}', 'w').truncate(20 * 4096)", "when each is counted in full"),
        ("import os\nfor n in range(40): os.link('/kept/whole', f'/kept/{n}')", "when each is counted in full"),
    ],
    ids=["holes", "hard links"],
)
async def test_files_that_are_more_than_they_seem_are_not_kept_and_nothing_before_is_lost(
    bubblewrap: Bubblewrap, kept: KeptFiles, code: str, why: str
) -> None:
    await done(bubblewrap.start(job(kept, f"open('/kept/whole', 'wb').write(bytes({20 * PAGE_BYTES}))")))
    before = kept.archive.read_bytes()
    ending, output = await done(bubblewrap.start(job(kept, code, kept=KEPT_BYTES)))
    assert ending.code == 0, output
    assert kept.note.startswith("its folder stays as it was before")
    assert why in kept.note
    assert kept.archive.read_bytes() == before
    assert not list(kept.archive.parent.glob("*.new"))


async def test_files_beyond_the_limits_are_not_kept_where_nothing_enforces_them(
    on_host: Sandbox, kept: KeptFiles
) -> None:
    many = "import os\nfor number in range(30): open(os.environ['FUDABA_KEPT'] + f'/{number}', 'w')"
    await done(on_host.start(job(kept, many, kept_files=20)))
    assert kept.files == (20 if on_host.isolated else 0)
    assert on_host.isolated or "more than 20 files" in kept.note


async def test_what_it_keeps_counts_towards_its_memory(
    bubblewrap: Bubblewrap, kept: KeptFiles, enforced: Callable[[str], None]
) -> None:
    enforced("memory")
    code = "file = open('/kept/x', 'wb')\nwhile True: file.write(bytes(1_000_000))"
    limits = {"memory": 60_000_000, "kept": 500_000_000, "file_size": 500_000_000}
    ending, _ = await done(bubblewrap.start(job(kept, code, **limits)))
    assert ending.cause is Cause.MEMORY


async def test_whoever_cannot_unpack_what_it_keeps_loses_none_of_it(
    bubblewrap: Bubblewrap, kept: KeptFiles, enforced: Callable[[str], None]
) -> None:
    enforced("memory")
    await done(bubblewrap.start(job(kept, "open('/kept/x', 'wb').write(bytes(40_000_000))")))
    before = kept.archive.read_bytes()
    ending, _ = await done(bubblewrap.start(job(kept, "print('here')", memory=16_000_000)))
    assert ending.cause is Cause.MEMORY
    assert kept.archive.read_bytes() == before


async def test_of_two_that_run_at_once_neither_sees_what_the_other_writes(
    bubblewrap: Bubblewrap, tmp_path: Path
) -> None:
    both = [KeptFiles(tmp_path / f"{number}.tar") for number in range(2)]
    running = [bubblewrap.start(job(kept, STAY)) for kept in both]
    for program in running:
        await said(program, "written")
    listed = "import os; print(os.listdir('/kept'))"
    other = KeptFiles(tmp_path / "other.tar")
    assert (await done(bubblewrap.start(job(other, listed))))[1] == "[]\n"
    for program in running:
        await program.kill()
        assert program.remains() == []


WORKER = """
import asyncio, sys
from pathlib import Path
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.folder_archive import KeptFiles
from tests.support.arena.sandbox.kept_folders import STAY, job
from tests.support.arena.sandbox.sandboxes import said

async def main():
    sandbox = Bubblewrap.open(Path(sys.argv[1]))
    running = sandbox.start(job(KeptFiles(Path(sys.argv[2])), STAY))
    await said(running, "written")
    print("written", flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


@pytest.mark.exhaustive
async def test_a_worker_that_is_killed_loses_nothing_that_was_kept_before_and_leaves_no_mount(
    bubblewrap: Bubblewrap, root: Path, kept: KeptFiles
) -> None:
    await done(bubblewrap.start(job(kept, COUNT)))
    before = kept.archive.read_bytes()
    command = [sys.executable, "-c", WORKER, str(root), str(kept.archive)]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert worker.stdout is not None
    assert worker.stdout.readline() == "written\n"
    folder = next((root / "owners").glob(f"{worker.pid}-*"))
    assert str(folder) in mounts()
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert folder.name in sweep(root)
    assert str(folder) not in mounts()
    assert not folder.exists()
    assert kept.archive.read_bytes() == before
    assert os.listdir(kept.archive.parent) == ["kept.tar"]  # noqa: PTH208  # names


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()
