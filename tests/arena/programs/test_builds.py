"""Builds that mean harm: what they leave is judged as what strangers send, and nothing of them goes on."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.programs.building import BUILD_LIMITS, build, describe_ending
from fudaba_arena.programs.installed_runtimes import found
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.submissions.manifest import Manifest
from tests.support.arena.nodes import LIVES, Node, node
from tests.support.arena.programs.checks import refused
from tests.support.arena.programs.uploads import GOOD, commands_with, folder
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.folders import file_sizes, paths_below
from tests.support.patience import wait_until

Submit = Callable[..., pb.Submission]
ONCE = str(100_000 + secrets.randbelow(1_000_000_000))
"""Seconds that a process of a build of this run sleeps, and of no other run on this machine."""
BUILD: dict[str, Any] = {"build": '["python3", "build.py"]'}
FORGING = """
import io, os, signal, tarfile, time

def evil(tar):
    EVIL

def running():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try: name, state = open(f"/proc/{pid}/stat").read().partition("(")[2].split(") ")
        except OSError: continue
        if state[0] != "Z": yield name, int(pid)

shell = os.getppid()
with open("much", "wb") as much: much.truncate(500_000_000)
for number in range(1_000): os.link("much", f"much-{number}")
if os.fork() == 0:
    os.setsid()
    while not {"tar", "gzip"} <= dict(running()).keys(): pass
    os.kill(shell, signal.SIGSTOP)
    os.kill(dict(running())["tar"], signal.SIGKILL)
    while "gzip" in dict(running()): time.sleep(0.01)
    os.unlink(os.path.join(os.environ["TMPDIR"], "not-packed"))
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as tar: evil(tar)
    with open("/run/fudaba/built.tar.gz", "wb") as archive: archive.write(into.getvalue())
    os.kill(shell, signal.SIGCONT)
    os._exit(0)
"""
"""A build that puts an archive of its own in the place of what is packed: that lasts until this stops it."""
LINKING = """
    about = tarfile.TarInfo("shadow")
    about.type, about.linkname = tarfile.SYMTYPE, "/etc/shadow"
    tar.addfile(about)
"""


@pytest.fixture(scope="module")
def worker(hosted: Service, arena: Arena, need_sandbox: None) -> Iterator[Node]:
    """Yields one whose file bounds what a build may compute. Others need far less."""
    file = arena.folder / "worker.toml"
    file.write_text("[builds]\ncpu = 15\n", encoding="utf-8")
    place = arena.folder / "data" / "submissions"
    with node(hosted, arena, "bounds", "--submissions", str(place), "--config", str(file), *LIVES) as started:
        yield started


@pytest.mark.nightly(
    "`sandbox/test_attacks.py` ends what computes for ever, a build that sleeps is ended below, and"
    " `test_explanations.py` has a build's words"
)
def test_the_author_of_a_build_that_computes_for_ever_is_told_its_limit(submit: Submit) -> None:
    output = refused(submit(folder({"build.py": "while True: pass", "bot.py": GOOD}, **BUILD), "endless"), "LIMIT")
    assert output.startswith("the build went over the limit cpu: the limit is of the whole build, ")


@pytest.mark.exhaustive
async def test_a_build_that_sleeps_for_ever_is_ended(need_sandbox: None, tmp_path: Path) -> None:
    manifest = Manifest("sleeper", ("naga",), "other", ("./bot",), build=("sleep", ONCE))
    (tmp_path / "source").mkdir()
    sandbox = Bubblewrap.open()
    try:
        limits = replace(BUILD_LIMITS, wall=1.0)
        runtime = Runtime("other", "other")
        built = await build(sandbox, manifest, runtime, tmp_path / "source", tmp_path / "built.tar.gz", limits)
    finally:
        await sandbox.close()
    assert (built.passed, built.ending.cause) == (False, Cause.WALL)
    assert describe_ending(built.ending) == "went over the limit wall"
    wait_until(lambda: not commands_with(f"sleep\0{ONCE}".encode()), "no process of the build is left")


@pytest.mark.exhaustive
async def test_maven_starts_in_the_sandbox_of_a_build(
    need_tool: Callable[[str], Path], need_sandbox: None, tmp_path: Path
) -> None:
    need_tool("mvn")
    manifest = Manifest("brewed", ("naga",), "java", ("./bot",), build=("mvn", "-o", "--version"))
    (tmp_path / "source").mkdir()
    [runtime] = found(["java"])
    sandbox = Bubblewrap.open()
    try:
        built = await build(sandbox, manifest, runtime, tmp_path / "source", tmp_path / "built.tar.gz")
    finally:
        await sandbox.close()
    assert built.passed, built.output
    assert "Apache Maven 3" in built.output


@pytest.mark.exhaustive
def test_a_link_in_what_a_build_makes_shows_the_sandboxs_own_files(submit: Submit, worker: Node) -> None:
    build = "import os; os.symlink('/etc/passwd', 'passwd')"
    submission = submit(folder({"build.py": build, "bot.py": GOOD}, **BUILD), "links")
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    [made] = (worker.folder / "programs").glob("*/passwd")
    assert not made.is_symlink()
    assert made.read_text().startswith("bot:x:")


@pytest.mark.exhaustive
def test_a_link_to_what_a_build_cannot_read_fails_it(submit: Submit) -> None:
    build = "import os; os.symlink('/etc/shadow', 'shadow')"
    output = refused(submit(folder({"build.py": build, "bot.py": GOOD}, **BUILD), "shadows"), "BUILD")
    assert "\n| tar: ./shadow: " in output


@pytest.mark.parametrize(
    ("evil", "fault"),
    [
        (LINKING, "KIND"),
        pytest.param("tar.addfile(tarfile.TarInfo('../../evil'))", "NAME", marks=pytest.mark.exhaustive),
    ],
    ids=["a link", "a path that leads out"],
)
@pytest.mark.exhaustive
def test_an_archive_that_a_build_forges_is_refused(submit: Submit, worker: Node, evil: str, fault: str) -> None:
    files: dict[str, str | bytes] = {"build.py": FORGING.replace("EVIL", evil), "bot.py": GOOD}
    refused(submit(folder(files, **BUILD), f"forger-{fault.lower()}"), fault)
    assert not [path for path in paths_below(worker.folder) if path.name in {"evil", "shadow"}]


@pytest.mark.exhaustive
def test_what_a_build_leaves_running_ends_with_it(submit: Submit) -> None:
    build = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp("sleep", ["sleep", "ONCE"])
    os._exit(0)
"""
    submission = submit(folder({"build.py": build.replace("ONCE", ONCE), "bot.py": GOOD}, **BUILD), "haunted")
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    wait_until(lambda: not commands_with(f"sleep\0{ONCE}".encode()), "no process of the build is left")


@pytest.mark.exhaustive
def test_setuid_bits_are_dropped_from_archives_and_from_what_builds_make(submit: Submit, worker: Node) -> None:
    build = "import os\nopen('tool-2', 'w').close()\ntry: os.chmod('tool-2', 0o6755)\nexcept OSError: pass"
    files: dict[str, str | bytes] = {"build.py": build, "bot.py": GOOD, "tool-1": "#!/bin/sh\n"}
    submission = submit(folder(files, modes={"tool-1": 0o6755}, **BUILD), "raised")
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    tools = list((worker.folder / "programs").glob("*/tool-*"))
    assert {path.name for path in tools} == {"tool-1", "tool-2"}
    for path in tools:
        assert not path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID)


@pytest.mark.exhaustive
def test_what_a_refused_build_has_written_is_left_nowhere(arena: Arena, submit: Submit, worker: Node) -> None:
    kept = arena.folder / "data" / "submissions"

    before = sum(file_sizes(kept))
    build = "import os; open('amplified', 'wb').write(os.urandom(5_000_000))"
    raw = folder({"build.py": build, "bot.py": "raise SystemExit(3)"}, **BUILD)
    submission = submit(raw, "amplifier")
    refused(submission, "START")
    assert [pb.SubmissionStage.Name(stage.stage) for stage in submission.stages if stage.passed][-1].endswith("BUILD")
    wait_until(lambda: sum(file_sizes(kept)) <= before, "what was refused is not kept")
    wait_until(
        lambda: not list((worker.folder / "programs").glob(f"{submission.sha256.hex()}*")),
        "and is nowhere on the worker",
    )


@pytest.mark.exhaustive
def test_the_worker_keeps_nothing_half_done(worker: Node) -> None:
    wait_until(lambda: not list(Path(worker.folder / "programs").glob("new-*")), "what was half done is gone")
