"""Gauntlet and Swiss, really played: a service, built-in bots, the arena's command line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.arena.commands.tournaments import PLAYER, RANDOM, STEADY, bot, exported, head
from tests.support.arena.running import Arena, Service, gated
from tests.support.patience import wait_until

FIRST = bot("first", 'builtin = "first"')
NEWER = bot("newer", 'builtin = "random"')


@pytest.mark.nightly(
    "`schedule/test_gauntlet.py` has who meets whom, `audit/test_verify.py` exports a gauntlet, and a"
    " Swiss is played below"
)
def test_a_gauntlet_is_played_to_its_end(hosted: Service, tmp_path: Path) -> None:
    more = {"format": '"gauntlet"', "challengers": '["steady", "newer"]'}
    arena = Arena(hosted, tmp_path, head("gauntlet", **more) + STEADY + NEWER + RANDOM + FIRST)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    met = {tuple(sorted(match["bots"])) for match in exported(arena, tmp_path, "match")}
    assert met == {("newer", "random"), ("first", "newer"), ("random", "steady"), ("first", "steady")}


@pytest.mark.nightly(
    "`schedule/test_swiss.py` reads rounds again and goes on alike, `test_running_on.py` kills a round"
    " robin, and a Swiss is played to its end below"
)
def test_a_swiss_that_is_killed_in_a_round_goes_on_with_the_same_round(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 600000\n"  # no match ends by it before the bots are back
    waits = bot("waits", PLAYER, env=gated(gate, free=2))
    swiss = head("swiss", format='"swiss"', rounds=3) + clock
    arena = Arena(hosted, tmp_path, swiss + STEADY + NEWER + RANDOM + FIRST + waits)
    with arena.run() as running:
        log = tmp_path / "run-1.log"
        wait_until(lambda: log.exists() and "round 2 of 3 begins: 2 groups" in running.output, "the second round")
        running.process.kill()
        running.wait()
    wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
    before = exported(arena, tmp_path, "round")
    assert len(before) >= 2
    table = arena.json("standings")
    assert not table["complete"]
    assert table["swiss"][0]["rounds_begun"] == len(before)

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert "round 2 of 3 begins" not in again.output
    rounds = exported(arena, tmp_path, "round")
    assert rounds[: len(before)] == before
    check_rounds(rounds, {"steady", "newer", "random", "first", "waits"})
    check_standings(arena)


def check_rounds(rounds: list[dict[str, Any]], bots: set[str]) -> None:
    """Everybody is in each round once, nobody meets anybody twice, and nobody has two byes."""
    assert [line["round"] for line in rounds] == [0, 1, 2]
    byes = [bot for line in rounds for bot in line["byes"]["naga"]]
    assert len(set(byes)) == 3
    met = []
    for line in rounds:
        groups = [group for block in line["blocks"] for group in block["groups"]]
        assert {*line["byes"]["naga"], *(bot for group in groups for bot in group)} == bots
        met += [tuple(group) for group in groups]
    assert len(set(met)) == len(met) == 6


def check_standings(arena: Arena) -> None:
    """The table has everybody, best first, and its points are the shares of the matches and the byes."""
    table = arena.json("standings")
    assert table["complete"]
    (swiss,) = table["swiss"]
    rows = swiss["rows"]
    assert (swiss["game"], swiss["rounds_begun"], swiss["rounds"]) == ("naga", 3, 3)
    assert all(better["victory_points"] >= other["victory_points"] for better, other in pairwise(rows))
    assert sum(row["victory_points"] for row in rows) == 7.5  # three rounds of five bots, half a point each
    assert sorted(row.get("byes", 0) for row in rows) == [0, 0, 1, 1, 1]
    assert all(row["rounds_played"] + row.get("byes", 0) == 3 for row in rows)
    text = arena.command("standings").stdout
    assert text.startswith("naga, 3 of 3 rounds\nrank  bot")


@pytest.mark.exhaustive
def test_a_bot_whose_process_ends_does_not_hold_up_a_swiss(hosted: Service, tmp_path: Path) -> None:
    swiss = head("absent", format='"swiss"', rounds=3, attempts=1)
    arena = Arena(hosted, tmp_path, swiss + STEADY + RANDOM + FIRST + bot("gone", 'command = ["false"]'))
    running = arena.run_to_the_end("--close")
    assert running.process.returncode == 0, running.output
    first, *later = exported(arena, tmp_path, "round")
    assert first["out"] == []
    assert [line["out"] for line in later] == [["gone"], ["gone"]]
    standings = arena.json("standings")
    assert standings["complete"]
    (table,) = standings["swiss"]
    assert all(better["victory_points"] >= other["victory_points"] for better, other in pairwise(table["rows"]))
    row = next(row for row in table["rows"] if row["bot"] == "gone")
    assert (row["victory_points"], row.get("rounds_played", 0), row["byes"]) == (0.5, 0, 1)
