"""Bots that crash, come late or never, lose on time or raise, in whole runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fudaba.v1 import bots_pb2
from tests.support.arena.commands.tournaments import PLAYER, RANDOM, STEADY, bot, counted_ids, head
from tests.support.arena.running import Arena, Service, environment
from tests.support.patience import wait_until


@pytest.mark.nightly(
    "`test_running_formats.py` has a program that ends and others who play on, `play/test_bot_process.py`"
    " has its last words, and `api/test_steering.py` has a bot that never comes"
)
def test_bots_that_crash_or_never_come_are_withdrawn_and_the_others_play_on(hosted: Service, tmp_path: Path) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="never-comes", version="1"))
    bots = [STEADY, RANDOM, bot("never-comes", "remote = true"), bot("crashes", 'command = ["python", "crash.py"]')]
    arena = Arena(hosted, tmp_path, head("absent", connect_seconds=60, no_shows=1) + "".join(bots))
    (tmp_path / "crash.py").write_text("raise SystemExit('there is no model.bin')\n")
    running = arena.run_to_the_end()
    assert running.process.returncode == 1
    assert "bot never-comes is withdrawn: it did not connect within 60 s\n" in running.output
    assert ": never-comes did not connect; it is played again on new deals" in running.output
    for said in (running.output.partition("rank  bot")[2], arena.command("standings").stdout):
        (last_line,) = re.findall(r"^bot crashes is withdrawn: .*its last lines .*:\n(.*)$", said, re.MULTILINE)
        assert last_line == "    there is no model.bin"
    assert re.search(r"\d of \d+ blocks are parked.*; try again with --retry-parked, or end without", running.output)

    about = arena.json("standings")
    assert not about["complete"]
    assert about["master"] is None
    assert set(about["withdrawn"]) == {"never-comes", "crashes"}
    played = {tuple(sorted(match["bots"])) for match in arena.json("matches") if match["counts"] == "yes"}
    assert played == {("random", "steady")}
    voids = {row["bot"]: row["voids"] for row in about["standings"]}
    assert [(row["bot"], row["rank"]) for row in about["standings"]][2:] == [("crashes", None), ("never-comes", None)]
    assert {row["rank"] for row in about["standings"][:2]} <= {1, 2}
    assert re.search(r"^ *- +crashes +1 +- +-", running.output, re.MULTILINE)
    assert voids["never-comes"] == 1
    assert voids["steady"] == voids["random"] == 0
    assert all(row["points"] == 0 for row in about["standings"] if row["bot"] in about["withdrawn"])
    assert {void["cause"] for void in arena.json("matches", "--void")} == {"no_show"}

    closed = arena.run_to_the_end("--close")
    assert closed.process.returncode == 0
    assert "; left out for good" in closed.output
    assert arena.json("standings")["master"] in closed.output
    refused = arena.run_to_the_end("--retry-parked")
    assert refused.process.returncode == 1
    assert "tournament absent is over and its deals are open; begin another one under a new name" in refused.output


@pytest.mark.exhaustive
def test_a_remote_bot_that_comes_late_is_waited_for(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("late") + RANDOM + bot("late-one", "remote = true", author='"me"'))
    unknown = arena.run_to_the_end()
    assert unknown.process.returncode == 1
    assert 'fudaba bot create late-one --version 1 --author "me"' in unknown.output
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="late-one", author="you"))
        other = arena.run_to_the_end()
        line = arena.file.read_text().splitlines().index('author = "me"') + 1
        assert (
            f'{arena.file}:{line}: bot late-one is by me here, and by you on the service; write author = "you"'
            in other.output
        )
        # Who leaves the author out takes the service's, also when the run goes on later.
        arena.file.write_text(arena.file.read_text().replace('author = "me"\n', ""), encoding="utf-8")
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="late-one")).token
    with arena.run() as running:
        wait_until(lambda: hosted.matches("late"), "the first match")
        env = environment() | {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token}
        with subprocess.Popen([sys.executable, tmp_path / "player.py"], env=env) as player:
            assert running.wait() == 0, running.output
            assert player.poll() is None
            player.terminate()
    assert arena.json("matches", "--void") == []
    assert len(counted_ids(arena)) == 2
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    arena.file.write_text(arena.file.read_text() + 'author = "me"\n', encoding="utf-8")
    changed = arena.run_to_the_end()
    assert "author of bot late-one was 'you', is 'me'" in changed.output


@pytest.mark.exhaustive
def test_bots_whose_authors_turn_out_to_be_one_cannot_meet(hosted: Service, tmp_path: Path) -> None:
    bots = bot("twin-a", "remote = true") + bot("twin-b", "remote = true")
    arena = Arena(hosted, tmp_path, head("twins") + bots)
    with hosted.client() as client:
        for name in ("twin-a", "twin-b"):
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name, author="Ann"))
    running = arena.run_to_the_end()
    assert running.process.returncode == 1
    assert "with the authors that the service knows, all bots are of one author; enter others" in running.output
    assert "there is none yet" in arena.command("standings").stderr


@pytest.mark.exhaustive
def test_a_bot_that_loses_on_time_loses_and_no_block_is_void(hosted: Service, tmp_path: Path) -> None:
    clock = "[clock]\nmove_ms = 15000\nbank_ms = 0\nmax_timeouts = 1\n"
    arena = Arena(hosted, tmp_path, head("slow") + clock + RANDOM + bot("sleeps", PLAYER, env="{ SLOW = '600' }"))
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    assert {(match["forfeited"], match["forfeit_cause"]) for match in arena.json("matches")} == {("sleeps", "timeouts")}
    assert {row["bot"]: row["points"] for row in arena.json("standings")["standings"]} == {"random": 2, "sleeps": -2}
    assert arena.json("standings")["forfeits"] == {"sleeps": {"timeouts": 2}}
    log = tmp_path / "data" / "logs" / "slow" / "sleeps.log"
    assert f"bot sleeps forfeited 2 of 2 matches (2 by timeouts); see its log: {log}" in running.output
    assert "bot random forfeited" not in running.output


@pytest.mark.exhaustive
def test_a_bot_that_raises_in_every_decision_is_named_at_the_end(hosted: Service, tmp_path: Path) -> None:
    raises = bot("raises", 'command = ["python", "-m", "fudaba", "bot", "run", "--on-error", "resign", "bad.py:Bad"]')
    arena = Arena(hosted, tmp_path, head("raising") + RANDOM + raises)
    code = "import fudaba\nclass Bad(fudaba.Bot):\n    def choose(self, decision):\n        raise KeyError('deck')\n"
    (tmp_path / "bad.py").write_text(code)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    log = tmp_path / "data" / "logs" / "raising" / "raises.log"
    assert f"bot raises forfeited 2 of 2 matches (2 by resigning); see its log: {log}" in running.output
    assert "KeyError: 'deck'" in log.read_text()
