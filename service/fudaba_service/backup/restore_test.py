"""The test of a backup: it is restored, checked as a whole installation, and thrown away."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from fudaba import tether
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.records import SUFFIX
from fudaba.supervisor import ORGANISER_TOKEN_FILE, PROGRAM
from fudaba.v1 import matches_pb2
from fudaba_service.backup.container import BackupContents, BackupError, Bar
from fudaba_service.backup.making import PARTS, part_in
from fudaba_service.backup.restoring import restore
from fudaba_service.backup.scratch import scratch_folder

__all__ = ["MAX_REPLAYED_RECORDS", "CheckedBackup", "check_by_restoring"]

MAX_REPLAYED_RECORDS: Final = 50
"""The number of records, spread over the archive, that a test replays."""
_MAX_START_SECONDS: Final = 900.0
_STALL_SECONDS: Final = 60.0
"""The time after which a service that lists too few matches, and no more than before, is found wrong. It may still be
making the index of its archive.
"""
_LOOK_SECONDS: Final = 0.1
_PAGE_SIZE: Final = 1000
_CALL_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 30.0
_MAX_SHOWN_CHARACTERS: Final = 2000


@final
@dataclass(frozen=True, slots=True)
class CheckedBackup:
    """The facts that a restore test confirmed."""

    contents: BackupContents
    matches: int
    """The number of matches that the restored service listed."""
    replayed: int
    """The number of records that were replayed."""
    tournaments: int
    """The number of tournaments and seasons whose exports were verified."""


def check_by_restoring(file: Path, scratch: Path, bar: Bar, identity: Path | None = None) -> CheckedBackup:
    """Restores a backup below the folder `scratch`, checks the restored folder, and removes it.

    It runs `fudaba data check`, starts a service of its own on the restored data, compares the number of matches, and
    verifies records, and the export of every tournament. Nothing outside reaches that service. `identity` is that of
    `read`. Raises `BackupError`.
    """
    try:
        with scratch_folder(scratch.absolute()) as folder:
            contents = restore(file, folder / "data", bar, identity)
            if contents.header.store == "external":
                raise BackupError(
                    f"{file} was made without the store, so no service can start from it; test it beside the Redis that"
                    " belongs to it"
                )
            return _Restored(file, folder, contents).check()
    except OSError as error:
        raise BackupError(f"{error.filename or scratch}: {error.strerror or error}") from error


@final
class _Restored:
    """A restored backup."""

    def __init__(self, file: Path, folder: Path, contents: BackupContents) -> None:
        self._file = file
        self._folder = folder
        self._contents = contents
        data = folder / "data"
        self._data = data
        parts = {part: data / part for part in PARTS if (data / part).is_dir()} or {part_in(data): data}
        self._service = parts.get("service")
        self._arena = parts.get("arena")

    def check(self) -> CheckedBackup:
        """Returns what was found right. Raises `BackupError` for the first thing that is wrong."""
        self._run("data", "check", self._data)
        matches = self._listed_matches(self._service) if self._service is not None else 0
        replayed = self._replay(self._service) if self._service is not None else 0
        tournaments = self._verify_tournaments(self._arena) if self._arena is not None else 0
        return CheckedBackup(self._contents, matches, replayed, tournaments)

    def _listed_matches(self, data: Path) -> int:
        """Starts a service, and returns the number of matches that it lists, which is that of the backup."""
        expected = self._contents.header.live_matches + self._contents.records
        with self._served(data) as client:
            listed, changed = -1, time.monotonic()
            while listed < expected:
                if time.monotonic() - changed > _STALL_SECONDS:
                    raise self._wrong(f"the restored service lists {listed} matches, and the backup has {expected}")
                if (count := _count(client)) != listed:
                    listed, changed = count, time.monotonic()
                else:
                    time.sleep(_LOOK_SECONDS)
        return listed

    @contextmanager
    def _served(self, data: Path) -> Iterator[Client]:
        token, log = self._folder / ORGANISER_TOKEN_FILE, self._folder / "service.log"
        with tempfile.TemporaryDirectory(prefix="fudaba-") as short, log.open("wb") as output:
            address = f"unix:{short}/s"  # only this user reaches it
            words = ["serve", "--data", str(data), "--listen", address, "--grace", "0"]
            words += ["--new-organiser-token", "--organiser-token-file", str(token)]
            process = tether.start([*PROGRAM, *words], env=self._environment, output=output)
            try:
                self._await_start(process, log)
                with Client(address, token.read_text(encoding="utf-8").strip()) as client:
                    try:
                        yield client
                    except ServiceError as error:
                        raise self._wrong(f"the restored service refuses to list its matches: {error}") from error
            finally:
                process.terminate()
                try:
                    process.wait(_STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _await_start(self, process: subprocess.Popen[bytes], log: Path) -> None:
        deadline = time.monotonic() + _MAX_START_SECONDS
        while b"\nfudaba serves on " not in b"\n" + log.read_bytes():
            if process.poll() is not None or time.monotonic() > deadline:
                raise self._wrong(f"no service starts from it: {_end(log.read_text(errors='replace'))}")
            time.sleep(_LOOK_SECONDS)

    def _replay(self, data: Path) -> int:
        """Verifies records from all of the archive. Returns their number."""
        found = sorted((data / "archive").glob(f"*/*{SUFFIX}"))
        step = max(1, -(-len(found) // MAX_REPLAYED_RECORDS))
        if chosen := found[::step]:
            self._run("record", "verify", "--quiet", *chosen)
        return len(chosen)

    def _verify_tournaments(self, data: Path) -> int:
        """Exports and verifies every tournament. Returns their number."""
        status: Any = json.loads(self._run("arena", "status", "--data", data, "--json"))
        for tournament in status["tournaments"]:
            export = self._folder / "export.jsonl"
            # Its exit code says whether the tournament is complete.
            words = "arena", "export", "--tournament", tournament["name"], "--data", data, "--output", export
            self._run(*words, allowed=(0, 1))
            if not export.is_file():
                raise self._wrong(f"the tournament {tournament['name']} cannot be exported")
            self._run("arena", "verify", export)
            export.unlink()
        return len(status["tournaments"])

    def _run(self, *words: str | Path, allowed: Sequence[int] = (0,)) -> str:
        """Returns what a command of `fudaba` prints. Raises `BackupError` if it fails."""
        command = [*PROGRAM, *map(str, words)]
        done = subprocess.run(
            command, env=self._environment, cwd=self._folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", check=False,
        )  # fmt: skip
        if done.returncode not in allowed:
            shown = " ".join(map(str, words[:2]))
            raise self._wrong(f"`fudaba {shown}` says of it: {_end(done.stdout + done.stderr)}")
        return done.stdout

    @property
    def _environment(self) -> dict[str, str]:
        """The environment without settings, which would lead to the stores and servers in use."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
        return kept | {"TMPDIR": str(self._folder), "PYTHONUNBUFFERED": "1"}

    def _wrong(self, reason: str) -> BackupError:
        return BackupError(f"{self._file} was restored, but is not right: {reason}")


def _count(client: Client) -> int:
    count, token = 0, ""
    while True:
        request = matches_pb2.ListMatchesRequest(page_size=_PAGE_SIZE, page_token=token)
        page = client.matches.ListMatches(request, timeout=_CALL_SECONDS)
        count, token = count + len(page.matches), page.next_page_token
        if not token:
            return count


def _end(text: str) -> str:
    return text.strip()[-_MAX_SHOWN_CHARACTERS:]
