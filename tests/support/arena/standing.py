"""A standing arena as a process, on a real service."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from tests.support.arena.clients import Clients
from tests.support.arena.running import PLAYER, Service, environment
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until


class Arena:
    """`fudaba arena serve` with a folder of its own, which bots' commands are started in."""

    def __init__(self, service: Service, folder: Path, *options: str) -> None:
        self.service = service
        self.folder = folder
        self.address = f"unix:{folder}/a"
        self.options = options
        self.redis = options[options.index("--redis") + 1] if "--redis" in options else ""
        (folder / "player.py").write_text(PLAYER, encoding="utf-8")
        self.first = ""
        """Code that it begins with."""
        self.process: Forked
        self.clients = Clients(self.address)
        """The clients for calls with one answer."""

    @property
    def output(self) -> str:
        log = self.folder / "arena.log"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    def start(self) -> Self:
        """Starts it; returns when it serves."""
        token = self.folder / "token"
        token.write_text(self.service.arena_token)
        where = ["--data", str(self.folder / "data"), "--listen", self.address, "--commands", str(self.folder)]
        whom = ["--server", self.service.address, "--token-file", str(token)]
        self.clients.close()
        before = self.output.count("serves on")
        log = self.folder / "arena.log"
        self.process = Forked(["arena", "serve", *where, *whom, *self.options], log, environment(), self.first)

        def serves() -> bool:
            assert self.process.poll() is None, self.output
            return self.output.count("serves on") > before

        wait_until(serves, lambda: f"the arena serves: {self.output}")
        return self

    def kill(self) -> None:
        self.clients.close()
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Asks it to stop. Returns its exit status."""
        self.clients.close()
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def calls(self, token: str | None = None) -> Client:
        """Returns a client for calls with one answer, with the organiser's token, or with another, or with none
        (empty).
        """
        return self.clients.with_token(self.service.token if token is None else token)

    @contextmanager
    def client(self, token: str | None = None) -> Iterator[Client]:
        """Yields such a client, for streams too: they end with the context."""
        with Client(self.address, self.service.token if token is None else token) as client:
            yield client

    def create(self, definition: str, **more: Any) -> arena_pb2.Tournament:
        request = arena_pb2.CreateTournamentRequest(definition=definition, **more)
        return self.calls().arena.CreateTournament(request, timeout=PATIENCE).tournament

    def get(self, name: str, token: str = "") -> arena_pb2.Tournament:
        request = arena_pb2.GetTournamentRequest(tournament=name)
        return self.calls(token).arena.GetTournament(request, timeout=PATIENCE).tournament

    def matches(self, name: str, token: str = "") -> list[arena_pb2.TournamentMatch]:
        found: list[arena_pb2.TournamentMatch] = []
        page = ""
        while True:
            request = arena_pb2.ListTournamentMatchesRequest(tournament=name, page_size=7, page_token=page)
            answer = self.calls(token).arena.ListTournamentMatches(request, timeout=PATIENCE)
            assert len(answer.matches) <= 7
            found += answer.matches
            page = answer.next_page_token
            if not page:
                return found

    def wait_for(self, name: str, state: arena_pb2.TournamentState.ValueType) -> arena_pb2.Tournament:
        def reached() -> arena_pb2.Tournament | None:
            assert self.process.poll() is None, self.output
            if self.get(name).state != state:  # whose token it is the arena would ask the service at each look
                return None
            found = self.get(name, self.service.token)
            return found if found.state == state else None

        found: arena_pb2.Tournament = wait_until(reached, lambda: f"{name} reaches state {state}: {self.output}")
        return found

    def refusal(self, call: str, request: Any, token: str | None = None) -> ServiceError:
        """Returns the refusal of a call that must be refused."""
        try:
            getattr(self.calls(token).arena, call)(request, timeout=PATIENCE)
        except ServiceError as error:
            return error
        raise AssertionError(f"{call} was not refused")

    def command(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of `fudaba` that finds this arena, as the organiser."""
        known = {"FUDABA_ARENA": self.address, "FUDABA_TOKEN": self.service.token}
        done = CliRunner().invoke(cli, words, env=known | env, prog_name="fudaba")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    def json(self, *words: str) -> Any:
        done = self.command(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@contextmanager
def standing(service: Service, *options: str, first: str = "") -> Iterator[Arena]:
    """Yields an arena that stands, in a folder with a short path, for its sockets. It begins with the code `first`."""
    with short_folder() as place:
        arena = Arena(service, place, *options)
        arena.first = first
        arena.start()
        try:
            yield arena
        finally:
            arena.clients.close()
            if arena.process.poll() is None:
                arena.kill()


@contextmanager
def two_standing(service: Service, redis_url: str) -> Iterator[tuple[Arena, Arena]]:
    """Yields two arenas on one store, with one archive: blocks that have left the store are there for both."""
    with short_folder() as place:
        shared = ("--redis", redis_url, "--archive", str(place))
        with standing(service, *shared) as first, standing(service, *shared) as other:
            yield first, other
