"""Runs that were killed or stopped, or whose service or store was: they go on, and each result counts once."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from fudaba.v1 import matches_pb2
from fudaba_games.registry import game
from tests.support.arena.commands.tournaments import (
    PATIENT_CLOCK,
    PLAYER,
    RANDOM,
    STEADY,
    bot,
    counted_ids,
    finished,
    head,
    planned_ids,
    played_schedule,
)
from tests.support.arena.running import Arena, Service, gated, service
from tests.support.folders import remove_folder
from tests.support.patience import wait_until

NEWER = """
from fudaba_games.naga.rules import Naga

Naga.rules_version += 1
"""
"""What a process runs before everything else: it then is a release with the next version of the rules."""


@pytest.mark.exhaustive
def test_a_killed_arena_leaves_no_bots_and_goes_on_with_the_same_matches(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=8))
    clock = "[clock]\nmove_ms = 600000\n"  # no match ends by it before the bots are back
    arena = Arena(hosted, tmp_path, head("killed", blocks=9) + clock + RANDOM + slow)
    with arena.run() as running:
        # The arena has stored a result a moment after the service has the match's end.
        wait_until(lambda: finished(hosted, "killed") >= 5 and arena.json("matches"), "play")
        running.process.kill()
        running.wait()
    wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
    before = {match["match_id"]: match["scores"] for match in arena.json("matches")}
    assert 0 < len(before) < 18

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert arena.json("matches", "--void") == []
    after = {match["match_id"]: match["scores"] for match in arena.json("matches")}
    assert after.items() >= before.items()
    assert sorted(after) == counted_ids(arena) == sorted(planned_ids(arena)) == sorted(hosted.matches("killed"))


@pytest.mark.nightly("`workers/test_loss.py` has the same where the worker was killed")
def test_matches_that_lost_their_bots_for_long_with_a_killed_arena_do_not_count(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 20000\nbank_ms = 0\nmax_timeouts = 1\n"
    waits = bot("gated", PLAYER, stateless="true", capacity="1", env=gated(gate))
    arena = Arena(hosted, tmp_path, head("away", attempts=1) + clock + RANDOM + waits)
    with arena.run() as running:
        wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("away").values()), "play")
        running.process.kill()
        running.wait()
    wait_until(lambda: finished(hosted, "away"), "its end by the clock")
    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert [(void["cause"], void["bots"]) for void in arena.json("matches", "--void")] == [("away", [])]
    counted = [match for match in arena.json("matches") if match["counts"] == "yes"]
    assert [(match["block"], match["forfeited"]) for match in counted] == [(1, ""), (1, "")]


def processes_of_store(folder: Path) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # gone
        if b"--appendonly" in words and str(folder).encode() in words:
            found.append(int(place.name))
    return found


@pytest.mark.exhaustive
def test_a_service_and_a_store_that_die_in_between_cost_time_and_no_result(tmp_path: Path) -> None:
    with service() as hosted:
        gate = tmp_path / "gate"
        slow = bot("slow", PLAYER, env=gated(gate, free=5))
        arena = Arena(hosted, tmp_path, head("outage", blocks=9, clock=PATIENT_CLOCK) + RANDOM + slow)
        with arena.run() as running:
            wait_until(lambda: finished(hosted, "outage") >= 2, "play")
            (store,) = processes_of_store(tmp_path / "data" / "store")
            os.kill(store, signal.SIGKILL)
            hosted.kill()
            running.wait_for("cannot reach the service")
            hosted.start_again()
            gate.touch()
            assert running.wait() == 0, running.output
        assert "the service answers again, after" in running.output
        assert "the arena's store died; starting it again" in running.output
        assert counted_ids(arena) == sorted(planned_ids(arena)) == sorted(hosted.matches("outage"))


@pytest.mark.exhaustive
def test_matches_that_the_service_lost_are_not_dealt_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with service() as hosted:
        arena = Arena(
            hosted, tmp_path, head("lost", clock=PATIENT_CLOCK) + RANDOM + bot("gated", PLAYER, env=gated(gate))
        )
        with arena.run() as running:
            wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("lost").values()), "play")
            hosted.kill()
            remove_folder(hosted.folder / "data")
            running.process.kill()
            running.wait()
        hosted.start_again()
        gate.touch()
        refused = arena.run_to_the_end()
        assert refused.process.returncode == 1
        assert not hosted.matches("lost")
        again = arena.run_to_the_end("--service-id", refused.output.partition("add --service-id ")[2].split()[0])
        assert again.process.returncode == 0, again.output
        voids = arena.json("matches", "--void")
        assert [(void["block"], void["cause"], void["bots"]) for void in voids] == [(0, "lost", [])]
        assert {name.split("-")[-2] for name in hosted.matches("lost")} == {"b1"}


@pytest.mark.exhaustive
def test_blocks_that_a_change_of_rules_ended_are_played_again_and_charged_to_nobody(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 600000\n"
    with service() as hosted:
        arena = Arena(
            hosted, tmp_path, head("rules", attempts=1) + clock + RANDOM + bot("gated", PLAYER, env=gated(gate))
        )
        with arena.run() as running:
            wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("rules").values()), "play")
            hosted.stop()
            hosted.start_again(NEWER)
            running.wait_for("is void: the service got another version of the game's rules; it is played again")
            gate.touch()
            assert running.wait() == 0, running.output
        voids = arena.json("matches", "--void")
        assert {(void["cause"], *void["bots"]) for void in voids} == {("rules_changed",)}
        assert counted_ids(arena)


@pytest.mark.nightly(
    "`tournament/test_tournament.py` keeps the version of the rules, and blocks that a change of rules"
    " ended are played again above"
)
def test_a_tournament_that_goes_on_by_other_rules_says_so(tmp_path: Path) -> None:
    gate, version = tmp_path / "gate", game("naga").rules_version
    with service() as hosted:
        arena = Arena(
            hosted,
            tmp_path,
            head("update", attempts=1, clock=PATIENT_CLOCK) + RANDOM + bot("gated", PLAYER, env=gated(gate)),
        )
        with arena.run("--grace", "0.2") as running:
            wait_until(lambda: any(m.HasField("start_time") for m in hosted.matches("update").values()), "play")
            running.signal(signal.SIGINT)
            assert running.wait() == 1
        hosted.stop()
        hosted.start_again(NEWER)
        gate.touch()
        arena.first = NEWER
        again = arena.run_to_the_end()
        assert again.process.returncode == 0, again.output
        assert (
            f"began with version {version} of the rules of naga, and goes on with version {version + 1}" in again.output
        )
        tournament, *_ = map(json.loads, arena.command("export").stdout.splitlines())
        assert tournament["definition"]["games"][0]["rules_version"] == version


@pytest.mark.nightly(
    "matches in play are finished before a stop below, and `workers/test_loss.py` has what a stopped"
    " worker cut off played anew"
)
def test_a_stopped_arena_says_how_to_go_on_and_what_it_cut_off_is_played_anew(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    bots = [RANDOM, STEADY, bot("gated", PLAYER, env=gated(gate))]
    arena = Arena(hosted, tmp_path, head("stopped", attempts=1, clock=PATIENT_CLOCK) + "".join(bots))
    with arena.run("--grace", "0.2") as running:
        wait_until(lambda: len(hosted.matches("stopped")) >= 3, "play")
        running.signal(signal.SIGINT)
        assert running.wait() == 1
    assert "the same command continues" in running.output
    assert hosted.bot_processes() == []
    voids = arena.json("matches", "--void")
    assert {(void["cause"], *void["bots"]) for void in voids} == {("stopped",)}

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    schedule = played_schedule(arena)
    replaced = {void["block"] for void in voids}
    wanted = [b if b.number not in replaced else schedule.replacement(b) for b in schedule]
    assert counted_ids(arena) == sorted(match.match_id for block in wanted for match in block.matches)


@pytest.mark.exhaustive
def test_matches_in_play_are_finished_before_a_stop(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=2))
    arena = Arena(hosted, tmp_path, head("calm", blocks=60, clock=PATIENT_CLOCK) + RANDOM + slow)
    with arena.run("--grace", "300") as running:
        wait_until(lambda: finished(hosted, "calm") >= 2 and len(hosted.matches("calm")) >= 3, "play")
        running.signal(signal.SIGTERM)
        gate.touch()
        assert running.wait() == 1
    assert "stopped with" in running.output
    assert arena.json("matches", "--void") == []
    states = {match.state for match in hosted.matches("calm").values()}
    assert states == {matches_pb2.MATCH_STATE_FINISHED}
    assert len(arena.json("matches")) == len(hosted.matches("calm"))
