"""Leaving a block after a lost match does not pay: what is left of the block is forfeited, and it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.v1 import arena_pb2, bots_pb2, record_pb2
from tests.support.arena.api.ladders import (
    OPEN,
    SHORT,
    author,
    call,
    create,
    get,
    playing_now,
    register,
    until,
    wait_until_connected,
)
from tests.support.arena.commands.tournaments import PATIENT_CLOCK
from tests.support.arena.running import Service, environment
from tests.support.arena.standing import Arena
from tests.support.forked import Forked
from tests.support.patience import PATIENCE

DODGER = """\
import os
import random

import fudaba


class Dodger(fudaba.Bot):
    '''Exits whenever it has lost the first match of a block.'''

    blocks = set()

    def choose(self, decision):
        return random.randrange(decision.legal_count)

    def over(self, match):
        block = match.id.rpartition("-")[0]
        if block not in self.blocks and match.score < 0:
            os._exit(0)
        self.blocks.add(block)
"""


PAUSING_DODGER = """\
import os
import random

import fudaba
from fudaba.client import Client
from fudaba.v1 import bots_pb2


class Dodger(fudaba.Bot):
    '''Pauses itself in the first match of a block, so that the next one waits, and exits if it has lost that match.'''

    blocks = set()

    def started(self, match):
        self.is_first = match.id.rpartition("-")[0] not in self.blocks
        self.blocks.add(match.id.rpartition("-")[0])
        if self.is_first:
            self.change("Pause")

    def choose(self, decision):
        return random.randrange(decision.legal_count)

    def over(self, match):
        if self.is_first and match.score < 0:
            os._exit(0)
        if self.is_first:
            self.change("Resume")

    def change(self, action):
        with Client({server!r}, {token!r}) as client:
            getattr(client.bots, action + "Bot")(getattr(bots_pb2, action + "BotRequest")())
"""


def entrant_of(hosted: Service, arena: Arena, bot: str, lines: str) -> tuple[str, str]:
    """Returns a new ladder, and the tokens of the author and of version 2 of a bot that is to enter it."""
    create(arena, lines)
    token = author(hosted, f"of-{bot}")
    register(hosted, token, bot)
    with Client(hosted.address, token) as client:
        client.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot=bot, version="2"), timeout=PATIENCE)
        own = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot, version="2"), timeout=PATIENCE).token
    return token, own


def enter(arena: Arena, ladder: str, bot: str, token: str) -> None:
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version="2"), token)


@pytest.mark.exhaustive
def test_who_pauses_itself_before_it_leaves_after_a_lost_match_forfeits_the_rest_of_the_block(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    ladder, bot = "paused", "pauser"
    # It loses by its moves alone, however slow the machine is.
    rules = f"connect_seconds = 10\nno_shows = 100\nclock = {PATIENT_CLOCK}\n"
    lines = f"{rules}{OPEN.format(name=ladder, narrow=0)}\n[absence]\ngrace_seconds = 3\n"
    token, own = entrant_of(hosted, arena, bot, lines)
    program = tmp_path / "dodger.py"
    program.write_text(PAUSING_DODGER.format(server=hosted.address, token=own))
    (tmp_path / "token").write_text(own)
    where = ["--server", hosted.address, "--token-file", str(tmp_path / "token"), "--capacity", "1"]
    process = Forked(["bot", "run", f"{program}:Dodger", *where], tmp_path / "dodger.log", environment())
    try:
        wait_until_connected(hosted, bot)
        enter(arena, ladder, bot, token)
        until(arena, lambda: void_or_absent(arena, ladder, f"{bot}@2"), "it has left a block after a lost match")
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
    played = [match for match in arena.matches(f"{ladder}.1") if f"{bot}@2" in match.bots and match.scores]
    assert not [match for match in played if match.counting == arena_pb2.MATCH_COUNTING_VOID]
    lost, absent = sorted(played, key=lambda match: match.end_time.ToMilliseconds())[-2:]
    own_scores = [match.scores[[*match.bots].index(f"{bot}@2")] for match in (lost, absent)]
    assert (lost.block, lost.forfeit_cause, own_scores[0] < 0) == (absent.block, 0, True)
    assert (absent.forfeit_cause, own_scores[1] < 0) == (record_pb2.FORFEIT_CAUSE_ABSENT, True)
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))


@pytest.mark.nightly(
    "one that pauses itself first, so that it leaves in time, forfeits above; `play/test_absence.py` has both rules"
)
@pytest.mark.parametrize(("absence", "pays"), [("grace_seconds = 0", False), ("forfeits = false", True)])
def test_who_exits_whenever_its_first_match_of_a_block_is_lost_loses_the_rest_where_absence_forfeits(
    hosted: Service, arena: Arena, tmp_path: Path, absence: str, pays: bool
) -> None:
    ladder, bot = ("free", "hopper") if pays else ("strict", "dodger")
    first, rest = OPEN.format(name=ladder, narrow=0).split("\n", 1)
    lines = f"{first}\n{SHORT.format(rest=rest)}\n[absence]\n{absence}\n"
    token, own = entrant_of(hosted, arena, bot, lines)
    assert get(arena, ladder).definition.HasField("absence") is not pays
    program = tmp_path / "dodger.py"
    program.write_text(DODGER)
    (tmp_path / "token").write_text(own)
    where = ["--server", hosted.address, "--token-file", str(tmp_path / "token"), "--capacity", "1"]

    def run() -> Forked:
        command = ["bot", "run", f"{program}:Dodger", *where]
        process = Forked(command, tmp_path / "dodger.log", environment())
        wait_until_connected(hosted, bot)
        return process

    running = [run()]

    def dodged() -> bool:
        """Returns whether a block was left at the right moment. It is too late once the service has begun the next
        match.

        The bot comes back when what it was in is over.
        """
        if running[-1].poll() is not None and not playing_now(arena, ladder, f"{bot}@2"):
            running.append(run())
        return void_or_absent(arena, ladder, f"{bot}@2")

    try:
        enter(arena, ladder, bot, token)
        until(arena, dodged, "it has lost the first match of a block, and left before the next one")
    finally:
        running[-1].kill()
        running[-1].wait()
    played = [match for match in arena.matches(f"{ladder}.1") if f"{bot}@2" in match.bots and match.scores]
    lost_for_nothing = [match for match in played if match.counting == arena_pb2.MATCH_COUNTING_VOID]
    absent = [match for match in played if match.forfeit_cause == record_pb2.FORFEIT_CAUSE_ABSENT]
    answer = call(arena, "GetStandings", arena_pb2.GetStandingsRequest(tournament=ladder), "")
    forfeits = {(count.bot, count.cause): count.matches for count in answer.forfeits}
    voids = {(count.bot, count.cause): count.blocks for count in answer.voids}
    if pays:
        assert lost_for_nothing
        assert voids[f"{bot}@2", arena_pb2.VOID_CAUSE_NO_SHOW] > 0
        assert absent == []
    else:
        assert lost_for_nothing == []
        assert forfeits[f"{bot}@2", record_pb2.FORFEIT_CAUSE_ABSENT] >= len(absent) > 0
        assert max(match.scores[[*match.bots].index(f"{bot}@2")] for match in absent) < 0
        # It may have been in two blocks: of each it had played something.
        begun = {match.block for match in played if match not in absent}
        assert {match.block for match in absent} <= begun
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))


def void_or_absent(arena: Arena, ladder: str, bot: str) -> bool:
    """Returns whether a match of a bot was void although it has a result, or forfeited by absence in a block that
    counts."""
    return any(
        match.counting == arena_pb2.MATCH_COUNTING_VOID
        or (
            match.counting == arena_pb2.MATCH_COUNTING_COUNTED
            and match.forfeit_cause == record_pb2.FORFEIT_CAUSE_ABSENT
        )
        for match in arena.matches(f"{ladder}.1")
        if bot in match.bots and match.scores
    )
