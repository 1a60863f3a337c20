"""Whole tournaments of several games and of five seats: a real service, real bots, the arena's command line."""

from __future__ import annotations

import csv
import json
import signal
from collections import Counter
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba.v1 import matches_pb2
from fudaba_arena.commands.cli import arena as command_line
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.schedule.seeds import commitment
from fudaba_arena.tournament.file import read_tournament
from tests.support.arena.commands.tournaments import PATIENT_CLOCK
from tests.support.arena.running import Arena, Service, check_deals, gated, service
from tests.support.patience import wait_until

GAMES = """\
[[games]]
game = "naga"
blocks = 1

[[games]]
game = "napoleon"
options = { deals = 1 }
"""
ENDS = ("wins", "draws", "losses", "share")
FIVES = """\
[[games]]
game = "napoleon"
options = { deals = 1 }
"""


def bot(name: str, kind: str, more: str = "") -> str:
    return f'[[bots]]\nname = "{name}"\n{kind}\n{more}\n'


def player(name: str, more: str = "") -> str:
    return bot(name, 'command = ["python", "player.py"]', more)


def waiting(name: str, gate: Path, free: int) -> str:
    """Returns a bot that plays only this many matches before a file exists."""
    return player(name, f"env = {gated(gate, free)}\nstateless = true")


def house(*names: str, more: str = "") -> str:
    return "".join(bot(name, f'builtin = "{"first" if name == "first" else "random"}"', more) for name in names)


def played_schedule(arena: Arena) -> Schedule:
    return schedule_of(read_tournament(arena.file), arena.json("standings")["id"])


@pytest.mark.nightly(
    "`audit/test_export_of_a_run.py` plays the two games side by side and shows their ladders, and"
    " `ladder/test_ratings_several.py` rates over both"
)
def test_two_games_are_played_side_by_side_and_have_an_overall_ladder_and_one_each(
    hosted: Service, tmp_path: Path
) -> None:
    bots = house("one", "two", "first") + house("five-a", "five-b", more='games = ["napoleon"]')
    arena = Arena(hosted, tmp_path, f'name = "both"\n{GAMES}{bots}')
    checked = arena.command("check", str(arena.file)).stdout
    assert checked.partition(": ")[2] == ("5 bots, 3 blocks, 6 matches of naga; 1 block, 20 matches of napoleon\n")
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output

    about = json.loads(shown(arena, "--json"))
    schedule = schedule_of(read_tournament(arena.file), about["id"])
    matches = {match.match_id: (block, match) for block in schedule for match in block.matches}
    results = {match["match_id"]: match for match in arena.json("matches")}
    assert results.keys() == matches.keys() == hosted.matches("both").keys()
    seeds: dict[tuple[int, int], bytes] = {}
    for match_id, (block, match) in matches.items():
        record = hosted.record(match_id, stranger=True)
        assert record.header.game == results[match_id]["game"] == block.game
        assert (
            tuple(participant.bot for participant in record.header.players)
            == match.bots
            == tuple(results[match_id]["bots"])
        )
        assert list(record.end.outcome.scores) == results[match_id]["scores"]
        assert seeds.setdefault((block.number, match.deal), record.seed) == record.seed
    assert commitment(bytes.fromhex(about["master"])).hex() == about["commitment"]
    check_deals(bytes.fromhex(about["master"]), seeds)
    assert (about["games"], about["ladder"], about["complete"]) == (["naga", "napoleon"], "overall", True)
    check_ladders(arena, about, running.output)


def shown(arena: Arena, *arguments: str, code: int = 0) -> str:
    """Returns what `fudaba arena standings` prints, in this process."""
    env = {"FUDABA_ARENA_DATA": str(arena.folder / "data")}
    done = CliRunner().invoke(command_line, ["standings", *arguments], env=env)
    assert done.exit_code == code, done.output
    return done.output


def check_ladders(arena: Arena, about: dict[str, Any], output: str) -> None:
    overall = {row["bot"]: row for row in about["standings"]}
    naga, napoleon = ({row["bot"]: row for row in about["ladders"][game]["standings"]} for game in ("naga", "napoleon"))
    assert set(naga) == {"one", "two", "first"}
    assert set(napoleon) == set(overall)
    for name, row in overall.items():
        assert row["matches"] == napoleon[name]["matches"] + (naga[name]["matches"] if name in naga else 0)
        assert row["points"] is None
        assert (row["rank"] is None) == (row["half"] is None) == (name not in naga)
    assert {row["matches"] for row in napoleon.values()} == {20}
    assert sum(row["points"] for row in napoleon.values()) == 0
    assert [seat["seat"] for seat in about["ladders"]["napoleon"]["seats"]] == [0, 1, 2, 3, 4]

    # The same for people, at the end of the run and afterwards.
    afterwards = shown(arena)
    for text in (output, afterwards):
        lines = text.splitlines()
        places = [lines.index(name) for name in ("overall", "naga", "napoleon")]
        assert places == sorted(places)
        assert lines[places[0] + 1].split() == (
            ["rank", "bot", "version", "rating", "±", "95%", "naga", "napoleon", *ENDS, "matches", "voids"]
        )
        assert lines[places[1] + 1].split()[-7:] == ["points", *ENDS, "matches", "voids"]
    lines = afterwards.splitlines()
    assert shown(arena, "--game", "napoleon").splitlines()[:6] == lines[lines.index("napoleon") + 1 :][:6]
    alone = json.loads(shown(arena, "--game", "naga", "--json"))
    assert (alone["ladder"], alone["standings"]) == ("naga", about["ladders"]["naga"]["standings"])
    rows = list(csv.DictReader(StringIO(shown(arena, "--csv"))))
    assert Counter(row["ladder"] for row in rows) == {"overall": 5, "naga": 3, "napoleon": 5}
    assert "the tournament has no standings of nagga; it has: overall, naga, napoleon" in shown(
        arena, "--game", "nagga", code=1
    )


@pytest.mark.nightly(
    "`audit/test_export_of_a_run.py` plays with such bots, and `schedule/test_round_robin.py` has all seatings"
)
def test_five_that_remember_meet_every_deal_once_in_the_seatings_of_the_schedule(
    hosted: Service, tmp_path: Path
) -> None:
    bots = "".join(player(f"five-{letter}") for letter in "abcde")
    arena = Arena(hosted, tmp_path, f'name = "remember"\n{FIVES}{bots}')
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    seeds = {match_id: hosted.record(match_id, stranger=True).seed for match_id in hosted.matches("remember")}
    assert len(set(seeds.values())) == len(seeds) == 20
    seated = {tuple(match["bots"]) for match in arena.json("matches") if match["counts"] == "yes"}
    assert len(seated) == 20


def test_fewer_bots_than_seats_are_refused_with_what_to_enter(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, f'name = "few"\n{FIVES}{house("one", "two")}')
    refused = arena.command("check", str(arena.file))
    assert refused.returncode == 2
    assert "napoleon needs at least 5 bots, this one has 2; add tables [[bots]], for example" in refused.stderr


def played(hosted: Service, tournament: str, least: int) -> bool:
    states = [match.state for match in hosted.matches(tournament).values()]
    return states.count(matches_pb2.MATCH_STATE_FINISHED) >= least


@pytest.mark.nightly("`test_running_on.py` kills an arena, and a service with its store, in a game of two")
def test_a_tournament_of_fives_whose_arena_and_service_are_killed_counts_every_match_once(tmp_path: Path) -> None:
    with service() as hosted:
        gate = tmp_path / "gate"
        bots = house("one", "two", "first") + waiting("slow", gate, 10) + player("other")
        arena = Arena(hosted, tmp_path, f'name = "killed"\nclock = {PATIENT_CLOCK}\nconcurrency = 4\n{GAMES}{bots}')
        before: dict[str, list[int]] = {}
        for kills_service, least in ((True, 5), (False, 15)):
            with arena.run() as running:
                wait_until(partial(played, hosted, "killed", least), "play")
                if kills_service:
                    hosted.kill()
                running.process.kill()
                running.wait()
            wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
            if kills_service:
                hosted.start_again()
            stored = {match["match_id"]: match["scores"] for match in arena.json("matches")}
            assert stored.items() >= before.items()
            before = stored
        assert 0 < len(before) < 40
        gate.touch()
        again = arena.run_to_the_end()
        assert again.process.returncode == 0, again.output
        after = {match["match_id"]: match for match in arena.json("matches")}
        assert {match_id: match["scores"] for match_id, match in after.items()}.items() >= before.items()

        # Every place in the schedule counts once, with the matches of one block; each as the service has it.
        schedule = played_schedule(arena)
        voids = Counter(void["slot"] for void in arena.json("matches", "--void"))
        blocks = schedule.pending(lambda _: False, voids)
        wanted = {match.match_id for block in blocks for match in block.matches}
        counted = {match_id: match for match_id, match in after.items() if match["counts"] == "yes"}
        assert counted.keys() == wanted
        assert Counter(match["game"] for match in counted.values()) == {"naga": 20, "napoleon": 20}
        for match_id, match in counted.items():
            assert list(hosted.record(match_id, stranger=True).end.outcome.scores) == match["scores"]


@pytest.mark.nightly("`test_running_on.py` stops a tournament of a game of two, whose matches are finished first")
def test_a_stopped_tournament_of_fives_plays_its_matches_to_the_end_first(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    bots = house("one", "two", "first", "four") + waiting("slow", gate, 2)
    arena = Arena(hosted, tmp_path, f'name = "calm"\nclock = {PATIENT_CLOCK}\nconcurrency = 3\n{FIVES}{bots}')
    with arena.run("--grace", "300") as running:
        wait_until(partial(played, hosted, "calm", 2), "play")
        running.signal(signal.SIGTERM)
        gate.touch()
        assert running.wait() == 1
    assert arena.json("matches", "--void") == []
    assert {match.state for match in hosted.matches("calm").values()} == {matches_pb2.MATCH_STATE_FINISHED}
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert len(hosted.matches("calm")) == 20
