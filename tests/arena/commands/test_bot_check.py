"""`fudaba bot check` runs what is to be submitted as a worker does, on its author's machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba_arena.commands import bot_check
from tests.support.arena.programs.uploads import GOOD
from tests.support.arena.running import environment, runs
from tests.support.arena.sandbox.sandboxes import need_sandbox
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA

__all__ = ["need_sandbox"]


@pytest.fixture
def bot(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bot's folder."""

    def written(code: str, **manifest: str) -> Path:
        place = tmp_path / "bot"
        place.mkdir()
        words = {"name": '"bot"', "games": '["naga"]', "language": '"python"', "start": '["python3", "bot.py"]'}
        (place / "bot.toml").write_text("".join(f"{key} = {value}\n" for key, value in (words | manifest).items()))
        (place / "bot.py").write_text(code)
        return place

    return written


def checked(place: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Returns what the command says, in this process: another one would first import all of the service."""
    hidden = dict.fromkeys(name for name in os.environ if name.startswith("FUDABA_"))
    words = ["bot", "check", str(place), *options]
    done = CliRunner().invoke(cli, words, env=hidden | more, prog_name="fudaba")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def stages(report: Any) -> list[tuple[str, bool]]:
    return [(stage["stage"], stage["passed"]) for stage in report["stages"]]


def test_a_bot_goes_through_all_stages_in_a_sandbox_as_a_worker_s_file_says(
    bot: Callable[..., Path], tmp_path: Path, need_sandbox: None
) -> None:
    file = tmp_path / "worker.toml"
    file.write_text("[limits]\nmost_memory = 3_000_000_000\n", encoding="utf-8")
    build = """['python3', '-c', "open('made.py', 'w').write(open('bot.py').read())"]"""
    place = bot(GOOD, build=build, start='["python3", "./made.py"]', ram_mb="2500")
    done = checked(place, "--json", "--config", str(file))
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert stages(report) == [(name, True) for name in ("unpack", "build", "start", "connect", "match", "resources")]
    assert "s of CPU" in report["stages"][4]["output"]
    assert not any("sandbox" in note for note in report["not_checked"])
    assert report["not_checked"][0] == f"limits that the arena's organiser has set: here those of {file} apply"


@pytest.mark.exhaustive
def test_where_there_is_no_sandbox_it_runs_without_and_that_is_said(bot: Callable[..., Path], tmp_path: Path) -> None:
    build = """['python3', '-c', "open('made.py', 'w').write(open('bot.py').read())"]"""
    place = bot(GOOD, build=build, start='["python3", "./made.py"]')
    (tmp_path / "tmp").mkdir()
    done = checked(place, PATH=str(tmp_path), TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nbuild begins\nmatch of naga begins\n" in done.stderr
    assert "there is no sandbox here, so it runs with your own rights: " in done.stderr
    assert "not checked: whether it works in a sandbox, within its limits: there is none here: " in done.stdout
    assert "not measured on this host: cpu, memory, processes" in done.stdout
    assert not list((tmp_path / "tmp").iterdir())
    assert sorted(path.name for path in place.iterdir()) == ["bot.py", "bot.toml"]  # it is built elsewhere


@pytest.mark.exhaustive
def test_what_an_arena_would_refuse_is_told_with_the_position_and_by_the_exit_code(
    bot: Callable[..., Path], need_sandbox: None
) -> None:
    done = checked(bot(GOOD.replace("return 0", "return 'no such move'")))
    assert (done.returncode, done.stderr) == (1, "match of naga begins\n")
    assert "\nmatch: refused after " in done.stdout
    assert "'no' is not a move of Naga" in done.stdout
    assert "the position at decision" in done.stdout


@pytest.mark.exhaustive
def test_a_runtime_that_is_not_there_is_told_before_anything_of_the_bot_is_run(
    bot: Callable[..., Path], tmp_path: Path, need_sandbox: None
) -> None:
    done = checked(bot("raise SystemExit", runtime='"python-2.7"'), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr, stages(report)) == (1, "", [("unpack", False)])
    own = ".".join(map(str, sys.version_info[:2]))
    assert report["stages"][0]["output"] == f"there is no runtime python-2.7 for python here; there are: python-{own}"
    assert report["stages"][0]["fault"] == "runtime"
    unpacked = checked(tmp_path / "bot", "--json", "--no-run")
    assert (unpacked.returncode, unpacked.stderr) == (1, "")
    assert json.loads(unpacked.stdout)["stages"][0]["output"] == report["stages"][0]["output"]


@pytest.mark.nightly(
    "`programs/test_bad_bots.py` and `test_checking.py` have bots that end before and in mid-match, and are told where"
)
def test_a_bot_that_leaves_before_its_last_decision_fails_although_the_match_comes_to_its_end(
    bot: Callable[..., Path], need_sandbox: None
) -> None:
    leaves = "if decision.legal_count == 1: print('I have had enough', flush=True); os._exit(0)\n        return 0"
    done = checked(bot("import os" + GOOD.replace("return 0", leaves)))
    assert done.returncode == 1, done.stdout
    report = re.search(r"\n  naga: in seat [01] it ended with status 0 in mid-match, after (\d+) moves\n", done.stdout)
    assert report is not None, done.stdout
    assert int(report[1]) > 0
    assert "the position at decision" in done.stdout
    assert "  | I have had enough\n" in done.stdout


@pytest.mark.exhaustive
def test_a_bot_that_answers_illegally_once_fails_although_it_plays_on(
    bot: Callable[..., Path], need_sandbox: None
) -> None:
    errs = "return wrong.pop() if wrong else 0"
    done = checked(bot("wrong = ['no such move']" + GOOD.replace("return 0", errs)))
    assert done.returncode == 1, done.stdout
    assert re.search(r"in seat 0, 1 answer refused, the first to decision \S+: MALFORMED_MOVE", done.stdout), (
        done.stdout
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("number", "sandbox"),
    [
        (signal.SIGINT, True),
        *(
            pytest.param(*case, marks=pytest.mark.nightly("the same of Ctrl-C and a sandbox"))
            for case in [(signal.SIGINT, False), (signal.SIGTERM, True)]
        ),
    ],
)
def test_a_check_that_is_interrupted_leaves_nothing(
    bot: Callable[..., Path], tmp_path: Path, need_sandbox: None, number: int, *, sandbox: bool
) -> None:
    mark = f"import time; time.sleep(1000)  # {tmp_path}"
    place = bot("import time; time.sleep(1000)", start=json.dumps(["python3", "-c", mark]))
    (tmp_path / "tmp").mkdir()
    env = environment() | {"TMPDIR": str(tmp_path / "tmp")} | ({} if sandbox else {"PATH": str(tmp_path)})
    check = subprocess.Popen(
        [FUDABA, "bot", "check", place], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env,
        start_new_session=True,
    )  # fmt: skip
    try:
        wait_until(lambda: len(found(mark)) >= 2, "both seats are started")
        pids = [*found(mark), *found(str(tmp_path / "tmp"))]
        os.killpg(check.pid, number)
        _, said = check.communicate(timeout=PATIENCE)
    finally:
        check.kill()
    assert (check.returncode, b"interrupted" in said) == (130, True), said
    assert not [pid for pid in pids if runs(pid)]
    assert not list((tmp_path / "tmp").iterdir())
    assert not list(Path("/run/fudaba-sandbox/owners").glob(f"{check.pid}-*"))


def found(text: str) -> list[int]:
    """Returns the processes in whose command line a text is."""
    pids = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (place / "cmdline").read_bytes():
                pids.append(int(place.name))
        except OSError:
            continue  # gone
    return pids


def test_without_the_service_it_says_what_to_install(bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "_NEEDED", ("no_such_package",))
    done = CliRunner().invoke(cli, ["bot", "check", str(bot(GOOD))], prog_name="fudaba")
    assert done.exit_code == 0
    assert "nothing of it was run; for that, FUDABA_PAGE=none pip install '.[service]'" in done.stdout


@pytest.mark.exhaustive
def test_of_the_extras_only_that_of_the_service_is_needed() -> None:
    lacks = """
import sys

class Lacks:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"dramatiq", "fsspec", "numpy", "rich"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Lacks())
import fudaba_arena.commands.checking_here
"""
    subprocess.run([sys.executable, "-c", lacks], check=True)
