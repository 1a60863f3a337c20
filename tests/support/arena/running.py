"""A real service and real runs of an arena, as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.commands.cli import arena as command_line
from fudaba_arena.schedule.seeds import block_seed, deal_seed
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until

ARENA: Final = "from fudaba_arena.commands.cli import arena; arena(prog_name='fudaba arena')"
PLAYER: Final = """\
import asyncio, os, pathlib, time
import fudaba

class Player(fudaba.Bot):
    begun = 0

    def __init__(self):
        Player.begun += 1
        self.free = Player.begun <= int(os.environ.get("FREE", "0"))

    async def choose(self, decision):
        gate = pathlib.Path(os.environ.get("GATE", "/"))
        while not self.free and not gate.exists():
            gate.with_suffix(".waits").touch()
            await asyncio.sleep(0.01)
        await asyncio.sleep(float(os.environ.get("SLOW", "0")))
        return 0

fudaba.run(Player)
"""
"""A bot that plays the default move, after a while; but in its first FREE matches not before the file GATE exists."""


def gated(gate: Path, free: int = 0) -> str:
    """Returns the variables of a bot that plays only this many matches before a file exists."""
    return f"{{ GATE = '{gate}', FREE = '{free}' }}"


def waits_at(gate: Path) -> bool:
    """Returns whether a bot has had a decision put to it that waits for the file."""
    return gate.with_suffix(".waits").exists()


def runs(pid: int) -> bool:
    """Returns whether a process runs; an ended one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def environment() -> dict[str, str]:
    """Returns the environment without the variables that name another service. With it, no worker is stopped because
    this machine is busy.
    """
    named = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
    return named | {"FUDABA_ARENA_WORKER_LATE": "3600"}


class Service:
    """A service process with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix:{folder}/s"
        self._token_file = folder / "token"
        self._arena = folder / "arena-token"
        self.process = self._start()

    @property
    def token(self) -> str:
        return self._token_file.read_text().strip()

    @property
    def arena_token(self) -> str:
        """The token of arenas: never the organiser's."""
        return self._arena.read_text().strip()

    def _start(self, first: str = "") -> Forked:
        # The author of a module's submissions sends more bots than an account has by default.
        options = ["--data", str(self.folder / "data"), "--listen", self.address, "--bots-per-account", "1000"]
        process = Forked(
            [
                "serve",
                *options,
                "--organiser-token-file",
                str(self._token_file),
                "--arena-token-file",
                str(self._arena),
            ],
            self.folder / "log",
            environment(),
            first,
        )
        with Client(self.address) as client:

            def answers() -> bool:
                assert process.poll() is None, (self.folder / "log").read_text()
                try:
                    client.matches.ListMatches(matches_pb2.ListMatchesRequest(), timeout=5)
                except ServiceError:
                    return False  # not there yet
                return self._token_file.exists() and self._arena.exists()

            wait_until(answers, "the service answers")
        return process

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self, first: str = "") -> None:
        """Starts it, with this code run before everything else."""
        self.process = self._start(first)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the service does not stop: {(self.folder / 'log').read_text()}") from None

    @contextmanager
    def client(self, *, stranger: bool = False) -> Iterator[Client]:
        with Client(self.address, "" if stranger else self.token) as client:
            yield client

    def matches(self, label: str) -> dict[str, matches_pb2.Match]:
        """Returns all matches of a tournament that the service knows. No other tournament may be as new."""
        found: dict[str, matches_pb2.Match] = {}
        page = ""
        with self.client() as client:
            while True:
                answer = client.matches.ListMatches(matches_pb2.ListMatchesRequest(page_size=20, page_token=page))
                new = {match.header.match_id: match for match in answer.matches if match.header.label == label}
                found |= new
                page = answer.next_page_token
                if not page or not new:
                    return found

    def record(self, match_id: str, *, stranger: bool = False) -> record_pb2.MatchRecord:
        with self.client(stranger=stranger) as client:
            return client.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id), timeout=PATIENCE).record

    def bot_processes(self) -> list[int]:
        """Returns the living processes that play on this service by an arena's order."""
        return [
            pid
            for pid, env in _environments()
            if f"FUDABA_SERVER={self.address}" in env and any(setting.startswith("FUDABA_TOKEN=") for setting in env)
        ]


def command_of(pid: int) -> str:
    """Returns the command line of a process, for messages; empty for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def _environments() -> Iterator[tuple[int, list[str]]]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            env = (place / "environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # gone, or not ours
        if runs(int(place.name)):
            yield int(place.name), env


@contextmanager
def service() -> Iterator[Service]:
    """Yields a service in a folder with a short path, for its sockets."""
    with short_folder() as place:
        running = Service(place)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.stop()


def check_deals(master: bytes, seeds: Mapping[tuple[int, int], bytes]) -> None:
    """Checks that match seeds, by block and deal, come from the master."""
    for (number, deal), seed in seeds.items():
        assert deal_seed(block_seed(master, number), deal) == seed, (number, deal)


class Arena:
    """The arena's command line in a folder of its own."""

    def __init__(self, service: Service, folder: Path, tournament: str) -> None:
        self.service = service
        self.folder = folder
        self.file = folder / "t.toml"
        self.file.write_text(tournament, encoding="utf-8")
        (folder / "player.py").write_text(PLAYER, encoding="utf-8")
        self.runs = 0
        self.first = ""
        """Code that its runs begin with."""

    def command(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end, in this process: starting another one takes longer than most commands."""
        hidden = dict.fromkeys(name for name in os.environ if name.startswith("FUDABA_"))
        wanted = hidden | {"FUDABA_ARENA_DATA": str(self.folder / "data")} | env
        done = CliRunner().invoke(command_line, arguments, env=wanted, prog_name="fudaba arena")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    def json(self, *arguments: str) -> Any:
        done = self.command(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def run(self, *arguments: str) -> Iterator[Run]:
        """Yields a run in the background. It has ended when the block is left."""
        self.runs += 1
        running = Run(self, self.folder / f"run-{self.runs}.log", arguments)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.process.kill()
                running.process.wait()

    def run_to_the_end(self, *arguments: str) -> Run:
        with self.run(*arguments) as running:
            running.wait()
            return running


class Run:
    """An `arena run` as a process; its output is in a file."""

    def __init__(self, arena: Arena, log: Path, arguments: Sequence[str]) -> None:
        self._log = log
        command = ["arena", "run", str(arena.file), "--data", str(arena.folder / "data")]
        env = environment() | {"FUDABA_SERVER": arena.service.address, "FUDABA_TOKEN": arena.service.arena_token}
        self.process = Forked([*command, *arguments], log, env, arena.first)

    @property
    def output(self) -> str:
        # A process that has just been started may not have opened it yet.
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def wait_for(self, text: str) -> None:
        def said() -> bool:
            assert self.process.poll() is None or text in self.output, self.output
            return text in self.output

        wait_until(said, lambda: f"the arena says {text!r}: {self.output}")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
