"""Every command on the README and on the page about a first service is run, as it stands there, and so are those of
backups and of two players. Only what stands for something is put in its place: a local service for the example's host,
the tokens, ids and codes that it gives out for those that are printed."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.cli import cli

pytest.importorskip("redis", reason="the service's extra is not installed")
pytest.importorskip("numpy", reason="the arena's extra is not installed")
pytest.importorskip("textual", reason="the extra for playing is not installed")

from tests.support.folders import short_folder
from tests.support.kit.command_lines import understood, with_files
from tests.support.patience import wait_until
from tests.support.service.processes import FUDABA, Process, free_port
from tests.support.terminal.terminal import CTRL_C, Terminal

ROOT = Path(__file__).resolve().parents[2]
README, FIRST, PLAYING, BACKUPS = (
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/first_service.md", "docs/playing.md", "docs/backups.md")
)
BIN = Path(sys.executable).parent
HOST = "play.example.org:7710 --tls"
"""Stands for a service on the pages."""


def commands(page: str) -> list[str]:
    """Returns the command lines of a page's blocks, without their comments."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    lines = [line[2:] for kind, block in blocks if not kind for line in block.splitlines() if line.startswith("$ ")]
    return [re.sub(r"\s{2,}# .*", "", line).strip() for line in lines]


class Reader:
    """Somebody who types the pages' commands in a folder of their own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.left = [*commands(README), *commands(FIRST)]
        """What is still to be typed. Of the other pages only some is."""
        self.address = f"127.0.0.1:{free_port()}"
        names = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
        self.environment = names | {
            "HOME": str(home),
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "FUDABA_LISTEN": self.address,
            "FUDABA_SERVER": self.address,
        }

    def takes(self, beginning: str) -> str:
        """Returns the next command that begins so; each of the first two pages is taken once.

        The example's host becomes the local one.
        """
        lines = [*self.left, *commands(PLAYING), *commands(BACKUPS)]
        found = next((line for line in lines if line.startswith(beginning)), None)
        assert found is not None, f"{beginning!r} is on no page, or is taken already: {self.left}"
        if found in self.left:
            self.left.remove(found)
        return found.replace(HOST, self.address)

    def types(self, beginning: str, *, folder: Path | None = None, **placeholders: str) -> str:
        """Runs a command of the pages. Returns what it prints to standard output."""
        line = self.takes(beginning)
        for name, value in placeholders.items():
            assert name in line
            line = line.replace(name, value)
        return self.runs(line, folder)

    def runs(self, line: str, folder: Path | None = None) -> str:
        """Runs a command. Returns what it prints to standard output.

        It is run here where it can be: to start so many processes would take longer than all else.
        """
        program, *words = shlex.split(line)
        if program == "fudaba" and "&&" not in words:
            known = dict.fromkeys(name for name in os.environ if name not in self.environment)
            with contextlib.chdir(folder or self.folder):
                said = CliRunner().invoke(cli, self.at_home(words), env=known | self.environment, prog_name="fudaba")
            assert said.exit_code == 0, (line, said.output)
            return said.stdout
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder or self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def at_home(self, words: list[str]) -> list[str]:
        """Returns the words of a command as a shell gives them to it."""
        return [word.replace("~", str(self.home), 1) if word.startswith("~/") else word for word in words]

    def starts(self, process: Process, line: str, said: str) -> None:
        """Starts a command that runs on, and waits until it has said this."""
        variables, _, words = line.partition("fudaba ")
        named = dict(variable.split("=", 1) for variable in shlex.split(variables))
        ours = {name: value for name, value in self.environment.items() if name.startswith("FUDABA_")}
        process.launch(
            [str(FUDABA), *self.at_home(shlex.split(words))], ours | named, f"import os; os.chdir({str(self.folder)!r})"
        )
        wait_until(lambda: said in process.log or not process.running, lambda: f"{said!r} of {line}: {process.log}")
        assert said in process.log, process.log


@pytest.fixture
def reader() -> Iterator[Reader]:
    """Yields a reader with the files that the pages tell to have."""
    with short_folder() as home:
        folder = home / "bots"
        folder.mkdir()
        bot = (ROOT / "docs" / "examples" / "first_bot.py").read_text(encoding="utf-8")
        (folder / "first_bot.py").write_text(bot, encoding="utf-8")
        (folder / "mybot.py").write_text(bot.replace("class FirstBot", "class MyBot"), encoding="utf-8")
        [tournament] = re.findall(r"^```toml\n(.*?)^```$", FIRST, re.DOTALL | re.MULTILINE)
        assert "blocks = 30" in tournament
        shorter = tournament.replace("blocks = 30", "blocks = 2")
        (folder / "spring.toml").write_text(shorter, encoding="utf-8")
        yield Reader(home, folder)


def test_every_command_of_the_pages_is_one_that_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(with_files(tmp_path))
    typed = [line for page in (README, FIRST, PLAYING, BACKUPS) for line in commands(page)]
    ours = [line for line in typed if not line.startswith(("scripts/", "export "))]
    assert len(ours) >= 30
    assert [line for line in ours if not understood(line)] == []


@pytest.mark.exhaustive
def test_every_command_of_the_pages_does_what_they_say(reader: Reader) -> None:
    in_a_clone(reader)
    service, alice, bob = (Process(reader.home, name) for name in ("service", "alice", "bob"))
    with service, alice, bob:
        reader.starts(service, reader.takes("fudaba serve"), "fudaba serves on ")
        [token] = re.findall(r"^organiser token \(shown this once\): (\S+)$", service.log, re.MULTILINE)
        export = reader.takes("export FUDABA_TOKEN=")
        assert token.startswith(export.partition("=")[2].rstrip("…"))
        reader.environment["FUDABA_TOKEN"] = token

        tokens = [reader.types(f"fudaba bot create {name}").strip() for name in ("alice", "bob")]
        run = reader.takes("FUDABA_TOKEN=… fudaba bot run mybot.py:MyBot --server ")
        for bot, its in zip((alice, bob), tokens, strict=True):
            reader.starts(bot, run.replace("…", its), "connected to")
        matches(reader)
        assert bob.terminate() == 0
        tournament(reader)
        people(reader)
        assert alice.terminate() == 0
        reader.runs(reader.takes("fudaba backup").replace("/backups", str(reader.home)))
        assert service.terminate() == 0
    for option in ("--check", "--data"):
        line = reader.takes(f"fudaba restore /backups/fudaba-1.tar.zst {option}")
        reader.runs(line.replace("/backups", str(reader.home)))
    assert (reader.home / "restored").is_dir()
    assert reader.left == []


def in_a_clone(reader: Reader) -> None:
    """What is typed in a clone before there is a service."""
    reader.takes("scripts/demo")  # tests/repository/test_demo.py runs it
    path = reader.takes("export PATH=")
    assert reader.runs(f"{path}; command -v fudaba", ROOT).strip() == str(ROOT / ".venv" / "bin" / "fudaba")
    said = reader.types("fudaba match local naga --bot docs/examples/first_bot.py:FirstBot", folder=ROOT)
    rows = [line for line in said.splitlines() if line.startswith(("naga: ", "docs/", "random "))]
    assert len(rows) == 3
    assert all(row.rstrip("0123456789. ms") in README for row in rows)  # but for the slowest decision
    reader.types("fudaba bot new careful")
    # Two matches are enough: the program is started anew for each.
    assert "records are in " in reader.runs(f"{reader.takes('fudaba match local naga --bot ./careful')} --deals 1")
    reader.types("fudaba proto")
    assert (reader.folder / "bundle" / "README.md").exists()


def matches(reader: Reader) -> None:
    """Matches of bots on the service."""
    match_id = reader.types("fudaba match create naga alice bob").strip()
    other = reader.types("fudaba match create naga --seat").strip()
    assert "placement" in reader.types("fudaba match watch", ID=match_id)
    shown = reader.types("fudaba record get", ID=match_id)
    assert "seat 0 (alice 1)" in shown
    assert "seat 1 (house-sensible 1)" in reader.runs(f"fudaba match watch {other}")


def tournament(reader: Reader) -> None:
    """A tournament, and what anybody can check of it."""
    reader.types("fudaba arena check")
    assert "sensible" in reader.types("fudaba arena run")
    assert '"alice"' in reader.types("fudaba arena standings --json")
    reader.types("fudaba arena export")
    assert "right" in reader.types("fudaba arena verify")


def people(reader: Reader) -> None:
    """People in their terminals: in process, then two of them on the service."""
    alone = reader.takes("fudaba play naga")
    with Terminal(*shlex.split(alone)[1:], folder=reader.folder) as terminal:
        terminal.shows("against sensible")
        leave(terminal)
    tokens = [reader.runs(f"fudaba bot create {name}").strip() for name in ("anna", "bert")]
    invite = reader.takes(f"fudaba play naga --server {HOST} --against invite")
    join = reader.takes(f"fudaba play --server {HOST} --join")
    with Terminal(*shlex.split(invite)[1:], folder=reader.folder, FUDABA_TOKEN=tokens[0]) as anna:
        anna.shows("waiting for 1 seat")
        [code] = re.findall(r"join ((?:\w{4}-){2}\w{4})", anna.text)
        join = re.sub(r"(?:\w{4}-){2}\w{4}", code, join)
        with Terminal(*shlex.split(join)[1:], folder=reader.folder, FUDABA_TOKEN=tokens[1]) as bert:
            anna.shows("against bert")
            bert.shows("against anna")
            leave(bert)
        leave(anna)


def leave(terminal: Terminal) -> None:
    """Goes away, as a second Ctrl-C does."""
    terminal.press(CTRL_C)
    terminal.press(CTRL_C)
    assert terminal.ends() in {0, signal.SIGINT + 128}


@pytest.mark.parametrize("line", sorted(set(re.findall(r"`(fudaba [^`…]+)`", README + FIRST))))
def test_a_command_in_the_text_is_one_that_there_is(line: str) -> None:
    words = line.split()[1:]
    assert CliRunner().invoke(cli, [*words, "--help"]).exit_code == 0
