"""All processes of one `fudaba up` are killed at once, again and again."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, final

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, matches_pb2
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.descendants import descendants
from tests.support.service.processes import FUDABA, Process

KILL_COUNT = 10
BLOCK_COUNT = 60
TOURNAMENT = f"""\
name = "lasting"
game = "naga"
blocks = {BLOCK_COUNT}
attempts = 50
concurrency = 2
[[bots]]
name = "sensible"
builtin = "sensible"
[[bots]]
name = "random"
builtin = "random"
"""


@final
class Up(Process):
    """`fudaba up`, with sockets in its folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "up")
        self.service, self.arena = f"unix:{folder}/s", f"unix:{folder}/a"
        self.token_file = folder / "d" / "organiser.token"
        config = folder / "fudaba.toml"
        config.write_text("[worker]\nheartbeat = 2\n")  # what a killed worker had is soon played again
        self._command = [str(FUDABA), "up", "--data", str(folder / "d"), "--config", str(config)]
        self._command += ["--listen", self.service, "--arena-listen", self.arena, "--web-listen", "127.0.0.1:0"]

    def start(self) -> None:
        self.launch(self._command)

    def is_up(self) -> bool:
        assert self.running, self.log
        return "Fudaba is up" in self.log

    def kill_everything(self, *, supervisor: bool) -> None:
        """Kills service, arena, worker, gateway and both stores; and the process that looks after them, or not."""
        killed = list(_below(self.pid))
        if supervisor:
            self.kill()
        for pid in killed:
            with suppress(ProcessLookupError):  # it has ended with the one above it
                os.kill(pid, signal.SIGKILL)

    def get(self, service: str, method: str, request: Any) -> Any:
        """Returns the answer to a call, as soon as there is one."""
        found: list[Any] = []

        def answered() -> bool:
            with Client(service, self.token_file.read_text().strip()) as client, suppress(ServiceError):
                found.append(
                    getattr(getattr(client, "arena" if service == self.arena else "matches"), method)(
                        request, timeout=PATIENCE
                    )
                )
            return bool(found)

        wait_until(answered, lambda: f"{method}: {self.log}")
        return found[0]


def _below(pid: int) -> Iterator[int]:
    for child in descendants(pid):
        yield child
        yield from _below(child)


@pytest.mark.nightly(
    "`serving/commands/test_up.py` kills each part of one `fudaba up` once, `test_killed_store.py` an embedded store"
)
def test_everything_may_be_killed_ten_times_at_any_moment_and_each_result_is_there_once_and_its_own() -> None:
    chance = random.Random(31)
    with short_folder() as place, Up(place) as running:
        running.start()
        wait_until(running.is_up, lambda: running.log)
        running.get(running.arena, "CreateTournament", arena_pb2.CreateTournamentRequest(definition=TOURNAMENT))
        for number in range(KILL_COUNT):
            time.sleep(chance.uniform(0.0, 6.0))  # any moment will do: some strike a start, others a match
            running.kill_everything(supervisor=number % 2 == 1)
            if not running.running:
                running.start()
        request = arena_pb2.GetTournamentRequest(tournament="lasting")

        def over() -> bool:
            found = running.get(running.arena, "GetTournament", request).tournament
            return bool(found.state == arena_pb2.TOURNAMENT_STATE_CLOSED)

        wait_until(over, lambda: f"all is played: {running.log}")
        assert running.get(running.arena, "GetTournament", request).tournament.progress.complete
        counted = [match for match in _matches(running) if match.counting == arena_pb2.MATCH_COUNTING_COUNTED]
        assert len({match.match_id for match in counted}) == len(counted) == 2 * BLOCK_COUNT
        for match in counted:
            asked = matches_pb2.GetRecordRequest(match_id=match.match_id)
            record = running.get(running.service, "GetRecord", asked).record
            assert list(record.end.outcome.scores) == list(match.scores)
            assert [player.bot for player in record.header.players] == [re.sub("@.*", "", bot) for bot in match.bots]
        assert "Traceback" not in (place / "up.log").read_text(errors="replace")


def _matches(running: Up) -> Iterator[arena_pb2.TournamentMatch]:
    page = ""
    while True:
        request = arena_pb2.ListTournamentMatchesRequest(tournament="lasting", page_size=50, page_token=page)
        answer = running.get(running.arena, "ListTournamentMatches", request)
        yield from answer.matches
        page = answer.next_page_token
        if not page:
            return
